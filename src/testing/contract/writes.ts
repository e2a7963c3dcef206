/** Cases for writes: nothing changes before the approval, one approval writes once, and nobody else can decide. */
import type { PendingAnswer } from '../../declare/answer.ts';
import type { Tool, ToolExample } from '../../declare/tool.ts';
import { jsonSchema, resultOf } from '../../derive/answers.ts';
import { codeOf, today } from '../tool-caller.ts';
import { ensure, ensureEqual, inShort } from './expect.ts';
import { schemaProblem } from './examples.ts';
import { type ContractCase, examplesOf, expectedCode, nameOf, type Opened, type Subject } from './subject.ts';

export function writeCases(subject: Subject): ContractCase[] {
  return subject.registry.tools
    .filter(({ kind }) => kind === 'write')
    .map((tool) => ({
      name: `${nameOf(tool)} writes once, and only after the approval of the person who asked`,
      run: () => checkWrite(subject, tool),
    }));
}

interface Ticket {
  readonly tool: Tool;
  readonly as: string;
  readonly pending: PendingAnswer;
}

async function ask({ server, caller }: Opened, tool: Tool, { as, input }: ToolExample): Promise<Ticket> {
  const { answer } = await caller.call('rest', as, tool, input(today(server)));
  ensure(answer.status === 'pending_confirmation', `${nameOf(tool)} for ${as}: expected an approval card, but got ${inShort(answer)}.`);
  return { tool, as, pending: answer };
}

async function checkWrite(subject: Subject, tool: Tool): Promise<void> {
  await subject.restore(tool.domain);
  const example = examplesOf(subject, tool).find((each) => expectedCode(subject, tool, each) === 'pending_confirmation');
  if (example === undefined) {
    ensure(
      subject.callersOf(tool).length === 0,
      `${nameOf(tool)} has no example that answers with an approval card: add one, so that the suite can approve it.`,
    );
    return;
  }
  try {
    await checkDenial(subject, tool, example);
    await checkApproval(subject, tool, example);
  } finally {
    await subject.restore(tool.domain);
  }
}

const NONE = { effects: 0, records: 0 };
const ONE = { effects: 1, records: 1 };

async function checkDenial(subject: Subject, tool: Tool, example: ToolExample): Promise<void> {
  const opened = await subject.begin();
  const { server } = opened;
  const store = await subject.rawStore(tool.domain);
  const before = await store.fingerprint();
  const { as, pending } = await ask(opened, tool, example);
  const id = pending.confirmationId;
  const untouched = async (when: string) =>
    ensureEqual(
      { changed: (await store.fingerprint()) !== before, ...(await store.effectsOf(id)) },
      { changed: false, ...NONE },
      `${nameOf(tool)} for ${as}: what was written ${when}`,
    );
  const { changes, summary } = pending.confirmationData;
  ensure(
    changes.length > 0 && summary.trim() !== '',
    `${nameOf(tool)} for ${as}: the card shows no change: ${inShort(pending.confirmationData)}.`,
  );
  await untouched('before the decision');
  const denied = await server.decide(as, id, false);
  ensureEqual([denied.status, denied.body.status], [200, 'cancelled'], `${nameOf(tool)} for ${as}: the answer to a denial`);
  ensureEqual(
    codeOf((await server.decide(as, id, true)).body),
    'ALREADY_DECIDED',
    `${nameOf(tool)} for ${as}: an approval after the denial`,
  );
  await untouched('after a denial');
}

async function checkApproval(subject: Subject, tool: Tool, example: ToolExample): Promise<void> {
  const opened = await subject.begin();
  const { server } = opened;
  const store = await subject.rawStore(tool.domain);
  const before = await store.fingerprint();
  const { as, pending } = await ask(opened, tool, example);
  const id = pending.confirmationId;
  // Leaves out the person whom the write changes. If the write ends their employment, that person gets another error.
  const others = subject.people.filter(({ username, employeeId }) => username !== as && employeeId !== pending.confirmationData.subject.id);
  const outsiders = async (when: string) => {
    for (const { username } of others) {
      const { status, body } = await server.decide(username, id, true);
      ensureEqual([status, codeOf(body)], [403, 'USER_MISMATCH'], `${nameOf(tool)}: ${username} decides the ticket of ${as} ${when}`);
    }
  };
  await outsiders('before the approval');
  ensureEqual(await store.effectsOf(id), NONE, `${nameOf(tool)} for ${as}: effects before the approval`);
  const replies = await Promise.all(Array.from({ length: 4 }, () => server.decide(as, id, true)));
  const [first] = replies;
  ensure(
    first?.body.status === 'success',
    `${nameOf(tool)} for ${as}: expected success after the approval, but got ${inShort(first?.body)}.`,
  );
  for (const { text } of [...replies, await server.decide(as, id, true)])
    ensureEqual(text, first.text, `${nameOf(tool)} for ${as}: a repeated approval returns another result`);
  const problem = schemaProblem(jsonSchema(resultOf(tool), 'output'), first.body);
  ensure(problem === undefined, `${nameOf(tool)} for ${as}: the result does not match the published schema: ${problem}.`);
  ensureEqual(await store.effectsOf(id), ONE, `${nameOf(tool)} for ${as}: effects and audit records after five approvals`);
  ensure((await store.fingerprint()) !== before, `${nameOf(tool)} for ${as}: the approval changed no row.`);
  ensureEqual(
    codeOf((await server.decide(as, id, false)).body),
    'ALREADY_DECIDED',
    `${nameOf(tool)} for ${as}: a denial after the approval`,
  );
  await outsiders('after the approval');
}
