/** Cases for rows: people with a linked audience see different rows, and an unknown id is not found. */
import { randomUUID } from 'node:crypto';
import type { Tool } from '../../declare/tool.ts';
import { audienceFor } from '../../engine/access.ts';
import { codeOf, concurrently, today } from '../tool-caller.ts';
import { idsOf } from './declarations.ts';
import { ensure, inShort } from './expect.ts';
import { type ContractCase, nameOf, type Subject, workingExample } from './subject.ts';

export function rowCases(subject: Subject): ContractCase[] {
  const { tools } = subject.registry;
  return [
    ...tools
      .filter((tool) => tool.kind === 'list' && linkedAudiences(tool).length > 0)
      .map((tool) => ({ name: `${nameOf(tool)} shows different people different rows`, run: () => checkLinked(subject, tool) })),
    ...tools
      .filter((tool) => tool.kind !== 'list' && uuidsOf(tool).length > 0)
      .map((tool) => ({ name: `${nameOf(tool)} does not find an unknown id`, run: () => checkUnknown(subject, tool) })),
  ];
}

const linkedAudiences = ({ domain, audience }: Tool): string[] =>
  Object.entries(domain.audiences)
    .filter(([name, { linked }]) => linked === true && (audience === undefined || audience === name))
    .map(([name]) => name);
const uuidsOf = (tool: Tool) => idsOf(tool).filter(([, { format }]) => format === 'uuid');

async function checkLinked(subject: Subject, tool: Tool): Promise<void> {
  const { caller } = await subject.begin();
  for (const audience of linkedAudiences(tool)) {
    const people = subject.callersOf(tool).filter((person) => audienceFor(tool, subject.rolesOf(person)) === audience);
    const seen = await concurrently(people, async ({ username }) => {
      const { answer } = await caller.call('rest', username, tool, {});
      ensure(answer.status === 'success', `${nameOf(tool)} for ${username}: expected rows, but got ${inShort(answer)}.`);
      return { username, rows: JSON.stringify(answer.data), count: (answer.data as unknown[]).length };
    });
    const withRows = seen.filter(({ count }) => count > 0);
    const [first, second] = withRows;
    if (first === undefined || second === undefined) continue;
    const sees = tool.domain.audiences[audience]?.sees ?? audience;
    ensure(
      new Set(seen.map(({ rows }) => rows)).size > 1,
      `${nameOf(tool)}: ${seen.length} people of the audience '${audience}' (${sees}), such as ${first.username} and ${second.username}, ` +
        `all see the same ${first.count} rows.`,
    );
  }
}

async function checkUnknown(subject: Subject, tool: Tool): Promise<void> {
  const { server, caller } = await subject.begin();
  const example = workingExample(subject, tool);
  if (example === undefined) return;
  const input = example.input(today(server));
  for (const [key] of uuidsOf(tool)) {
    const { answer } = await caller.call('rest', example.as, tool, { ...input, [key]: randomUUID() });
    const code = codeOf(answer);
    ensure(
      code.endsWith('_NOT_FOUND'),
      `${nameOf(tool)} for ${example.as} with an unknown ${key}: expected a code that ends with _NOT_FOUND, but got ${code}.`,
    );
  }
}
