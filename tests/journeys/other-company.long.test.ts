/** Every tool, resource and prompt of the built-in domains answers in a company without the rows of the sample company. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtInDomains } from '../../domains/index.ts';
import { dayIn } from '../../src/declare/company.ts';
import type { Installed } from '../../src/declare/install.ts';
import type { Persona, SampleCompany } from '../../src/declare/sample.ts';
import { defineSampleCompany } from '../../src/declare/sample-company.ts';
import type { Tool } from '../../src/declare/tool.ts';
import { registryOf } from '../../src/engine/registry.ts';
import { openTestServerOf, type TestServer } from '../../src/testing/test-server.ts';
import { CUSTOMER_ROLES, STAFF_ROLES } from '../registry.ts';

const staff = { department: 'Leitung', location: 'Bremen', hired: '2020-01-01', salary: 90_000 };
const company = defineSampleCompany({
  emailDomain: 'nordwind.example',
  employees: [
    { ...staff, username: 'katrin.vogt', first: 'Katrin', last: 'Vogt', title: 'Leiterin', roles: STAFF_ROLES },
    { ...staff, username: 'lukas.weiss', first: 'Lukas', last: 'Weiß', title: 'Mechatroniker', manager: 'katrin.vogt', roles: [] },
  ],
});
const customer: Persona = {
  username: 'kim@kunde.example',
  name: 'Kim Kunde',
  email: 'kim@kunde.example',
  realm: 'customer',
  sub: '0c000000-0000-4000-8000-00000000ff01',
  organizationId: '0d000000-0000-4000-8000-00000000ff01',
  roles: CUSTOMER_ROLES,
  title: 'Kundin',
};
const other: SampleCompany = { ...company, people: [...company.people, customer] };

const DAY = dayIn('UTC', new Date());
/** The inputs of the examples name rows that do not exist here. */
const inputsOf = (tool: Tool): object[] => [
  {},
  ...tool.examples.map(({ input }) => input(DAY)),
  ...(tool.kind === 'list' ? [{ limit: 1, count: true }] : []),
];
/** The codes that say that the server failed. */
const FAILURES = ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE', 'DEADLINE_EXCEEDED', 'OPERATION_FAILED'];

const withoutSample = (each: Installed): Installed => ({ ...each, sample: undefined });
describe.each<[string, readonly Installed[]]>([
  ['in another company, for which only some domains have sample rows', builtInDomains],
  ['on empty stores, without hr', builtInDomains.filter(({ domain }) => domain.name !== 'hr').map(withoutSample)],
])('%s', (_name, domains) => {
  const registry = registryOf(domains, other);
  let server: TestServer;
  beforeAll(async () => {
    server = await openTestServerOf(registry, {});
  }, 120_000);
  afterAll(() => server.close());

  test.each(registry.domains.map(({ name }) => name))(
    'no tool of %s fails',
    async (domain) => {
      const failed: object[] = [];
      const seen = new Set<string>();
      for (const tool of registry.tools.filter((each) => each.domain.name === domain))
        for (const { username } of registry.people)
          for (const input of inputsOf(tool)) {
            const { status, body } = await server.rest(username, domain, tool.name, input);
            const outcome = body.status === 'error' ? body.code : body.status;
            seen.add(outcome);
            if (status >= 500 || FAILURES.includes(outcome)) failed.push({ tool: tool.name, username, input, outcome });
          }
      expect(failed).toEqual([]);
      expect(seen).toContain('success');
    },
    120_000,
  );

  test('no resource and no prompt fails', async () => {
    const failed: object[] = [];
    for (const { username } of registry.people) {
      const client = await server.mcp(username);
      for (const { uri } of (await client.listResources()).resources)
        await client.readResource({ uri }).catch((error: { code?: number; message: string }) => {
          if (error.code === INTERNAL_ERROR) failed.push({ username, uri, message: error.message });
        });
      for (const { name, arguments: given = [] } of (await client.listPrompts()).prompts) {
        const filled = Object.fromEntries(given.map((argument) => [argument.name, 'Nobody']));
        await client.getPrompt({ name, arguments: filled }).catch((error: { code?: number; message: string }) => {
          if (error.code === INTERNAL_ERROR) failed.push({ username, name, message: error.message });
        });
      }
    }
    expect(failed).toEqual([]);
  }, 60_000);
});

/** The JSON-RPC code of an internal error. */
const INTERNAL_ERROR = -32_603;
