/** The text of every kind of audit record: its keys, their order and their values do not change, because stored chains contain them. */
import { expect, test } from 'vitest';
import { recorder } from '../../src/engine/audit/recorder.ts';
import type { Ticket } from '../../src/engine/approvals/tickets.ts';
import type { Caller } from '../../src/engine/caller.ts';
import { createRegistry } from '../../src/engine/registry.ts';
import type { Answer } from '../../src/declare/answer.ts';
import { failure } from '../../src/declare/errors.ts';
import { builtIn } from '../registry.ts';

const clock = { now: () => new Date('2026-11-18T10:00:00Z') };
const registry = createRegistry(builtIn.tools);
const tool = registry.find('hr', 'update_salary') ?? expect.fail();
const person = { principal: 'staff/alice', username: 'alice.chen' } as Caller['person'];
const caller = { person, origin: 'web' } as Caller;
const input = { employee_id: 'e1', new_salary: 95_000, reason: 'merit' };
const request = { server: 'hr', tool: 'update_salary', input, surface: 'mcp', requestId: 'r1', caller } as const;
const runtime = { clock, registry };
const call = () => ({ runtime, request, tool, started: performance.now() });
const filtered = () => ({
  ...call(),
  tool: registry.find('hr', 'list_employees'),
  request: { ...request, tool: 'list_employees', input: { department: 'Sales', salary: { from: 90_000 } } },
});
const changes = [
  { field: 'salary', label: 'Salary', from: 1, to: 2, format: 'money' as const },
  { field: 'department', label: 'Department', from: 'a', to: 'b', format: 'text' as const },
];
const effect = { record: 'employee/e1', changes, touched: [], reason: 'Moves, SSN 123-45-6789', confidential: undefined };
const success: Answer = { status: 'success', data: [{}, {}] };

const HEAD = '"at":"2026-11-18T10:00:00.000Z","principal":"staff/alice","username":"alice.chen"';
const HR = `${HEAD},"surface":"mcp","origin":"web","server":"hr","tool":"update_salary"`;
const INPUT = String.raw`"input":"{\"employee_id\":\"e1\",\"new_salary\":\"*** (Hidden)\",\"reason\":\"merit\"}"`;
const CHANGES = '"changes":[{"field":"salary"},{"field":"department","from":"a","to":"b"}]';
const textOf = (record: unknown) => JSON.stringify(record).replace(/"ms":[\d.]+/, '"ms":0');

const KINDS: readonly (readonly [string, () => unknown, string])[] = [
  [
    'a success',
    () => recorder.answered(call(), success),
    `{${HR},"decision":"allowed","code":null,"ms":0,"rows":2,"requestId":"r1",${INPUT}}`,
  ],
  [
    'a refusal',
    () => recorder.answered(call(), failure('NOT_FOUND', 'x').answer()),
    `{${HR},"decision":"refused","code":"NOT_FOUND","ms":0,"rows":0,"requestId":"r1",${INPUT}}`,
  ],
  [
    'a rate-limited call',
    () => recorder.answered(call(), failure('RATE_LIMITED', 'x').answer()),
    `{${HR},"decision":"failed","code":"RATE_LIMITED","ms":0,"rows":0,"requestId":"r1","input":"{}"}`,
  ],
  [
    'a pending approval',
    () => recorder.answered(call(), { status: 'pending_confirmation', confirmationId: 'c1', message: '', confirmationData: {} as never }),
    `{${HR},"decision":"pending","code":null,"ms":0,"rows":0,"requestId":"r1",${INPUT},"confirmationId":"c1"}`,
  ],
  [
    'a call of an unknown tool',
    () => recorder.answered({ ...call(), tool: undefined, request: { ...request, input: {}, tool: 'x'.repeat(80) } }, success),
    `{${HEAD},"surface":"mcp","origin":"web","server":"hr","tool":"${'x'.repeat(64)}","decision":"allowed","code":null,"ms":0,"rows":2,"requestId":"r1","input":"{}"}`,
  ],
  [
    'a write without approval',
    () => recorder.wroteAtOnce(call(), { status: 'success', data: {} }, effect),
    `{${HR},"decision":"allowed","code":null,"ms":0,"rows":1,"requestId":"r1",${INPUT},"records":["employee/e1"],${CHANGES},"reason":"Moves, SSN *** (Hidden)"}`,
  ],
  [
    'a write that changed another record too',
    () =>
      recorder.wroteAtOnce(
        call(),
        { status: 'success', data: {} },
        { ...effect, reason: null, touched: [{ record: 'employee/e2', changes }], confidential: { mask: 'pay', until: '2027-01-01' } },
      ),
    `{${HR},"decision":"allowed","code":null,"ms":0,"rows":1,"requestId":"r1",${INPUT},"records":["employee/e1","employee/e2"],${CHANGES},"touched":[{"record":"employee/e2",${CHANGES}}],"confidential":{"mask":"pay","until":"2027-01-01"}}`,
  ],
  [
    'a list with a condition on a masked field',
    () => recorder.answered(filtered(), success),
    `{${HEAD},"surface":"mcp","origin":"web","server":"hr","tool":"list_employees","decision":"allowed","code":null,"ms":0,"rows":2,"requestId":"r1","input":"{\\"department\\":\\"Sales\\",\\"salary\\":\\"*** (Hidden)\\"}"}`,
  ],
  [
    'a refused contract call',
    () =>
      recorder.refusedContract(
        {
          runtime,
          provision: { name: 'employment', domain: { name: 'hr' } } as never,
          call: { call: 'find', person, requestId: 'r4' } as never,
          started: 0,
        },
        'FORBIDDEN',
      ),
    `{${HEAD},"surface":"internal","origin":"contract","server":"hr","tool":"employment.find","decision":"refused","code":"FORBIDDEN","ms":0,"rows":0,"requestId":"r4","input":"{}"}`,
  ],
  [
    'a first use',
    () => recorder.firstUse(call(), 'accept_invitation'),
    `{${HEAD},"surface":"mcp","origin":"web","server":"hr","tool":"accept_invitation","decision":"allowed","code":null,"ms":0,"rows":1,"requestId":"r1","input":"{}"}`,
  ],
  [
    'an executed ticket',
    () =>
      recorder.executed(
        { runtime, tool: tool as never, started: performance.now() },
        {
          id: 't1',
          server: 'hr',
          tool: 'update_salary',
          input,
          askedAt: '2026-01-01T00:00:00.000Z',
          card: { changes },
        } as unknown as Ticket,
        { by: { person, origin: 'command', requestId: 'r2' }, effect: { ...effect, reason: null } },
      ),
    `{${HEAD},"surface":"internal","origin":"command","server":"hr","tool":"update_salary","decision":"approved","code":null,"ms":0,"rows":1,"requestId":"r2",${INPUT},"confirmationId":"t1","askedAt":"2026-01-01T00:00:00.000Z","records":["employee/e1"],${CHANGES}}`,
  ],
  [
    'a denial',
    () =>
      recorder.decided(runtime, {
        caller,
        confirmationId: 'c'.repeat(70),
        approved: false,
        answer: { status: 'cancelled' },
        requestId: 'r3',
      }),
    `{${HEAD},"surface":"rest","origin":"web","server":"gateway","tool":"confirm","decision":"denied","code":null,"ms":0,"rows":0,"requestId":"r3","input":"{\\"approved\\":false}","confirmationId":"${'c'.repeat(64)}"}`,
  ],
  [
    'an unread call',
    () =>
      recorder.unread({ ...call(), request: { ...request, body: { bytes: 9, sha256: 'd' }, confirmationId: 'c1' } }, 'PAYLOAD_TOO_LARGE'),
    `{${HR},"decision":"refused","code":"PAYLOAD_TOO_LARGE","ms":0,"rows":0,"requestId":"r1","input":"{\\"bytes\\":9,\\"sha256\\":\\"d\\"}","confirmationId":"c1"}`,
  ],
  [
    'a refusal of the assistant',
    () => recorder.refusedByAssistant(call(), 'TOO_MANY'),
    `{${HR},"decision":"refused","code":"TOO_MANY","ms":0,"rows":0,"requestId":"r1",${INPUT}}`,
  ],
  [
    'failed sign-ins',
    () =>
      recorder.unauthenticated(clock, [
        { surface: 'mcp', server: 'hr', times: 2 },
        { surface: 'rest', server: 'hr', times: 3 },
      ]),
    '{"at":"2026-11-18T10:00:00.000Z","principal":"","username":"","origin":"","surface":"several","server":"hr","tool":"",' +
      '"requestId":"","decision":"refused","code":"UNAUTHENTICATED","ms":0,"rows":0,"input":"{\\"calls\\":5,' +
      '\\"by\\":[{\\"surface\\":\\"mcp\\",\\"server\\":\\"hr\\",\\"times\\":2},{\\"surface\\":\\"rest\\",' +
      '\\"server\\":\\"hr\\",\\"times\\":3}]}"}',
  ],
  [
    'further rate-limited calls',
    () => recorder.rateLimited(clock, recorder.answered(call(), failure('RATE_LIMITED', 'x').answer()), 7),
    `{${HEAD},"surface":"mcp","origin":"web","server":"several","tool":"","decision":"failed","code":"RATE_LIMITED","ms":0,"rows":0,"requestId":"","input":"{\\"calls\\":7}"}`,
  ],
  [
    'a write that did not happen',
    () => recorder.notWritten(recorder.answered(call(), success)),
    `{${HR},"decision":"failed","code":"NOT_WRITTEN","ms":0,"rows":0,"requestId":"r1",${INPUT}}`,
  ],
];

test.each(KINDS)('the record of %s', (_name, record, text) => {
  expect(textOf(record())).toBe(text);
});

test('every function of the recorder is tested here', () => {
  const tested = KINDS.map(([, record]) => record.toString()).join();
  expect(Object.keys(recorder).filter((name) => !tested.includes(`.${name}(`))).toEqual([]);
});
