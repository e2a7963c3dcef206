/** Cases for examples: each endpoint gives the declared answer in the published shape, and the audit log has the call. */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import type { Answer } from '../../declare/answer.ts';
import { statusOf, toolFailure } from '../../declare/errors.ts';
import { canWriteAtOnce, type Tool } from '../../declare/tool.ts';
import { answerOf, jsonSchema } from '../../derive/answers.ts';
import { mcpTool } from '../../derive/mcp.ts';
import { createQualifier } from '../../derive/qualify.ts';
import { codeOf, type Endpoint, leakIn, type Outcome, SURFACES, today } from '../tool-caller.ts';
import { ensure, ensureEqual, inShort } from './expect.ts';
import {
  type ContractCase,
  examplesOf,
  expectedCode,
  nameOf,
  newestRecords,
  type Opened,
  type Subject,
  workingExample,
} from './subject.ts';

const schemas = new AjvJsonSchemaValidator();
type Schema = Parameters<typeof schemas.getValidator>[0];
export const schemaProblem = (schema: unknown, value: unknown): string | undefined =>
  schemas.getValidator(schema as Schema)(value).errorMessage;

export function exampleCases(subject: Subject): ContractCase[] {
  return subject.registry.tools.map((tool) => ({
    name: `${nameOf(tool)} answers its examples as declared, at every endpoint alike`,
    async run() {
      const opened = await subject.begin();
      if (canWriteAtOnce(tool)) await subject.restore(tool.domain);
      const sent: Sent[] = [];
      for (const example of examplesOf(subject, tool)) {
        const what = `${nameOf(tool)} for ${example.as}: “${example.question}”`;
        const asked = { tool, what, as: example.as, input: () => example.input(today(opened.server)) };
        sent.push(...(await everywhere(subject, opened, { asked, expected: expectedCode(subject, tool, example) })));
      }
      await checkRecords(opened.server, tool, sent);
      if (canWriteAtOnce(tool)) await subject.restore(tool.domain);
      if (tool.kind === 'write' || subject.callersOf(tool).length === 0) return;
      if ((tool.kind === 'act' || tool.kind === 'history') && tool.examples.every(({ expects }) => expects?.endsWith('_NOT_FOUND'))) return;
      ensure(
        workingExample(subject, tool) !== undefined,
        `${nameOf(tool)} has no example that succeeds: add one, so that the suite can check its answer.`,
      );
    },
  }));
}

interface Asked {
  readonly tool: Tool;
  readonly what: string;
  readonly as: string;
  input(): Readonly<Record<string, unknown>>;
}

async function everywhere(
  { registry }: Subject,
  { server, caller }: Opened,
  { asked, expected }: { readonly asked: Asked; readonly expected: string },
): Promise<Sent[]> {
  const { tool, what, as } = asked;
  const outcomes = new Map<Endpoint, Outcome>();
  await server.clock.stoppedFor(async () => {
    for (const endpoint of SURFACES) outcomes.set(endpoint, await caller.call(endpoint, as, tool, asked.input()));
  });
  for (const [endpoint, outcome] of outcomes) {
    const { answer } = outcome;
    if (codeOf(answer) !== expected)
      throw new Error(`${what} (${endpoint}): expected ${expected}, but got ${inShort(answer ?? outcome.text)}.`);
    checkShape(tool, `${what} (${endpoint})`, outcome);
  }
  const plain = tool.kind === 'act' || (canWriteAtOnce(tool) && expected === 'success') ? typesIn : withoutCursor;
  const [first] = [...outcomes.values()].map(({ answer }) => answer);
  const qualified = createQualifier(registry).answer(first as Answer, tool.domain.name);
  // Hints for MCP clients of the gateway use qualified tool names.
  for (const [endpoint, { answer }] of outcomes)
    ensureEqual(plain(answer), plain(endpoint === 'mcp' ? qualified : first), `${what}: the answer at ${endpoint} differs from REST`);
  return [...outcomes].map(([endpoint, outcome]) => ({ what: `${what} (${endpoint})`, as, outcome }));
}

/** Two equal pages have different cursors, because each encryption has its own nonce. */
const withoutCursor = (answer: unknown): unknown => JSON.parse(JSON.stringify(answer).replace(/"nextCursor":"[^"]+"/, '"nextCursor":"…"'));
/** A tool that writes at once creates a new row each time, so only the types of its answers are equal. */
const typesIn = (value: unknown): unknown =>
  typeof value !== 'object' || value === null
    ? typeof value
    : Array.isArray(value)
      ? value.map(typesIn)
      : Object.fromEntries(Object.entries(value).map(([key, each]) => [key, typesIn(each)]));

function checkShape(tool: Tool, what: string, { answer, status, text, result, requestId }: Outcome): void {
  const shape = schemaProblem(jsonSchema(answerOf(tool), 'output'), answer);
  ensure(shape === undefined, `${what}: the answer does not match the published schema: ${shape}.`);
  if (answer.status === 'error') ensure(leakIn(text) === undefined, `${what}: the error reveals the implementation: ${leakIn(text)}.`);
  if (result === undefined) {
    const code = codeOf(answer);
    const own = code in tool.errors ? toolFailure(code, tool.errors).status : statusOf(code);
    return ensureEqual(status, answer.status === 'error' ? own : 200, `${what}: the HTTP status`);
  }
  const listed = schemaProblem(mcpTool(tool, true).outputSchema, answer);
  ensure(listed === undefined, `${what}: the answer does not match the listed outputSchema: ${listed}.`);
  ensureEqual([status, result.isError ?? false], [200, answer.status === 'error'], `${what}: HTTP status and isError`);
  const [line, embedded] = result.content;
  ensure(/^\S[^\n]*\S$/.test(line?.text ?? ''), `${what}: the first content is no line of text: ${inShort(line)}.`);
  ensure(embedded?.resource?.mimeType === 'application/json', `${what}: the second content is no JSON: ${inShort(embedded)}.`);
  ensureEqual(result._meta.requestId, requestId, `${what}: the request id`);
  if (answer.status === 'pending_confirmation')
    ensure(line?.text?.includes(answer.confirmationData.approvalUrl) === true, `${what}: the text does not name the approval page.`);
  if (answer.status === 'error') ensure(line?.text?.includes(answer.suggestedAction) === true, `${what}: the text leaves out the hint.`);
}

interface Sent {
  readonly what: string;
  readonly as: string;
  readonly outcome: Outcome;
}
/** Background work can write records between those of the calls. */
const OTHERS = 20;
const DECISIONS: Readonly<Record<string, string>> = { success: 'allowed', pending_confirmation: 'pending', error: 'refused' };

async function checkRecords(server: Opened['server'], tool: Tool, sent: readonly Sent[]): Promise<void> {
  const newest = await newestRecords(server, 2 * sent.length + OTHERS);
  for (const { what, as, outcome } of sent) {
    const { requestId, answer } = outcome;
    // A store without transactions records an intent before each outcome.
    const records = newest.filter((each) => each.requestId === requestId && each.code !== 'INTENT');
    const [record, ...more] = records.map(({ username, server: on, tool: name, decision, code }) => ({
      username,
      on,
      name,
      decision,
      code,
    }));
    ensure(record !== undefined && more.length === 0, `${what}: expected one audit record, but there are ${records.length}.`);
    const code = answer.status === 'error' ? answer.code : null;
    const expected = { username: as, on: tool.domain.name, name: tool.name, decision: DECISIONS[answer.status], code };
    ensureEqual(record, expected, `${what}: the audit record`);
  }
}
