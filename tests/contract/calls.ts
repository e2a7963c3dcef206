/** The tools and callers of the built-in domains, for the tests over the whole registry. */
import type { Answer } from '../../src/declare/answer.ts';
import type { Role } from '../../src/declare/people.ts';
import { qualifiedName } from '../../src/engine/registry.ts';
import type { Tool } from '../../src/declare/tool.ts';
import type { Persona } from '../../src/declare/sample.ts';
import { persona, personas } from '../../domains/sample-company/people.ts';
import type { TestClient } from '../../src/testing/test-client.ts';
import { today } from '../../src/testing/tool-caller.ts';
import { arranged, type Ready } from './arrange.ts';
import { builtIn, rolesIn } from '../registry.ts';

export const registry = builtIn;
export const { tools } = registry;
export const byName = tools.map((tool) => [qualifiedName(tool), tool] as const);

/** An input and a person for which the tool succeeds on the sample data: its own example, or a row created for it. */
export async function ready(testServer: TestClient, tool: Tool): Promise<Ready> {
  const example = tool.examples.find(({ expects }) => expects === undefined);
  if (example) return { as: example.as, input: example.input(today(testServer)) };
  const make = arranged[qualifiedName(tool)];
  if (make) return make(testServer);
  throw new Error(`${qualifiedName(tool)} has no example that succeeds, and tests/contract/arrange.ts makes no row for it`);
}

/** People who may call the tool. */
export const callersOf = (tool: Tool): Persona[] => personas.filter(({ realm, roles }) => mayCall(tool, rolesIn(realm, roles)));
const mayCall = (tool: Tool, roles: ReadonlySet<Role>) => tool.roles.some((role) => roles.has(role));
export const isAllowed = (tool: Tool, username: string): boolean => callersOf(tool).includes(persona(username));

export const STAFF = personas.filter(({ realm }) => realm === 'staff').map(({ username }) => username);
export const EVERYONE = personas.map(({ username }) => username);

/** Journey tools answer about the product's own history, which names its components. */
export const tellsOfItself = ({ domain }: Tool, answer: Answer): boolean => domain.name === 'journey' && answer.status === 'success';
