/** Cases for inputs: every endpoint answers VALIDATION_ERROR for an input that the schema does not accept. */
import type { ErrorAnswer } from '../../declare/errors.ts';
import type { Tool } from '../../declare/tool.ts';
import { codeOf, concurrently, type Endpoint, leakIn, type Property, propertiesOf, today } from '../tool-caller.ts';
import { ensure, ensureEqual, inShort } from './expect.ts';
import { type ContractCase, examplesOf, nameOf, type Subject, workingExample } from './subject.ts';

const ENDPOINTS: readonly Endpoint[] = ['rest', 'mcp', 'direct'];
const isText = ({ type, enum: options, format }: Property) => type === 'string' && options === undefined && format === undefined;

/** Returns values that this schema must refuse. */
export function wrongFor(property: Property): unknown[] {
  const { type, enum: options } = property;
  const anything = [null, [], {}, { $ne: null }, { $gt: '' }];
  const others = type === 'array' ? anything.filter((value) => !Array.isArray(value)) : type === 'object' ? [null, [], 'text'] : anything;
  if (options) return [...others, 'no-such-choice', '', 7, true, `${String(options[0])}!`];
  if (type === 'boolean') return [...others, 'true', 'false', 1, 0, ''];
  if (type === 'integer' || type === 'number') return [...others, ...wrongNumbers(property)];
  if (type === 'string') return [...others, ...wrongTexts(property)];
  return others;
}

function wrongNumbers({ type, minimum, exclusiveMinimum, maximum, multipleOf }: Property): unknown[] {
  const numbers: unknown[] = ['50', '', true, [50]];
  if (minimum !== undefined) numbers.push(minimum - 1, -1e9);
  if (exclusiveMinimum !== undefined) numbers.push(exclusiveMinimum, -1e9);
  if (maximum !== undefined) numbers.push(maximum + 1, ...[2 ** 31, 2 ** 53, 1e21].filter((large) => large > maximum));
  if (type === 'integer') numbers.push(50.5, 1e-7, 2 ** 53);
  if (multipleOf !== undefined) numbers.push(1 + multipleOf / 10);
  return numbers;
}

const WRONG_DATES = [
  '2026-02-30',
  '2026-13-01',
  '2026-2-3',
  '16/11/2026',
  '2026-11-16T00:00:00Z',
  '',
  'today',
  '0000-00-00',
  '99999-01-01',
];
const WRONG_IDS = [
  '',
  'abc',
  '../../etc/passwd',
  '{0e000000-0000-4000-8000-000000000009}',
  '0e000000-0000-4000-8000-00000000000',
  "0e000000-0000-4000-8000-000000000009' or true --",
  'null',
];
/** The endpoints refuse a body with a longer text before it reaches the tool. */
const HUGE = 30_000;
function wrongTexts({ format, maxLength, minLength }: Property): unknown[] {
  const texts: unknown[] = [5, true, ['text']];
  if (format === 'date') texts.push(...WRONG_DATES);
  if (format === 'uuid') texts.push(...WRONG_IDS);
  if (maxLength !== undefined) texts.push('x'.repeat(maxLength + 1), 'é'.repeat(maxLength + 1));
  if ((maxLength ?? HUGE) < HUGE) texts.push('x'.repeat(HUGE));
  if ((minLength ?? 0) > 0) texts.push('');
  return texts;
}

/** Invisible characters, and characters that change the order of the text around them. */
const UNSEEN = ['\u202e', '\u2066', '\u{e0041}\u{e0042}', '\u0007', '\u001b[31m'];
/** Texts with a meaning in SQL, in templates, in HTML or in a file path. */
const SYNTAX = [
  "' or '1'='1",
  "'; drop table employees; --",
  '") union select null--',
  '\\',
  '%',
  '${7*7}',
  '<img src=x>',
  '../../../etc/passwd',
];

export function inputCases(subject: Subject): ContractCase[] {
  return subject.registry.tools.flatMap((tool) => [
    { name: `${nameOf(tool)} refuses every input that its schema does not accept`, run: () => checkRefusals(subject, tool) },
    { name: `${nameOf(tool)} treats text as text, whatever it contains`, run: () => checkTexts(subject, tool) },
  ]);
}

async function goodCall(subject: Subject, tool: Tool) {
  const opened = await subject.begin();
  const callers = subject.callersOf(tool);
  const example =
    workingExample(subject, tool) ?? examplesOf(subject, tool).find(({ as }) => callers.some(({ username }) => username === as));
  if (example === undefined) return undefined;
  return { ...opened, as: example.as, input: example.input(today(opened.server)) };
}

async function checkRefusals(subject: Subject, tool: Tool): Promise<void> {
  const good = await goodCall(subject, tool);
  // Nobody in this configuration may call the tool.
  if (good === undefined) return;
  const { caller, as, input } = good;
  const declared = propertiesOf(tool);
  const pinned = Object.keys(tool.domain.pinned ?? {});
  const unknown = ['no_such_input', 'userId', 'roles', 'sql', '$where', ' ', ''].filter(
    (key) => !declared.some(([name]) => name === key) && !pinned.includes(key.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)),
  );
  // A text that is no id of a record is the id of no record.
  const isId = (key: string) => tool.kind === 'history' && key === 'id';
  const hidden = declared.filter(([key, each]) => isText(each) && key !== 'cursor' && !isId(key));
  const wrong: readonly Readonly<Record<string, unknown>>[] = [
    ...unknown.map((key) => ({ [key]: 'x' })),
    { ['k'.repeat(10_000)]: 1 },
    ...declared.flatMap(([key, property]) => wrongFor(property).map((value) => ({ [key]: value }))),
    ...hidden.flatMap(([key]) => UNSEEN.map((character) => ({ [key]: `Anna${character}Bell` }))),
  ];
  await concurrently(wrong, async (part) => {
    const what = `${nameOf(tool)} for ${as} with ${inShort(part)}`;
    const outcomes = await Promise.all(ENDPOINTS.map((endpoint) => caller.call(endpoint, as, tool, { ...input, ...part })));
    for (const [at, { answer, text }] of outcomes.entries()) {
      const code = codeOf(answer);
      ensure(code === 'VALIDATION_ERROR', `${what} (${ENDPOINTS[at]}): expected VALIDATION_ERROR, but got ${code}.`);
      const leak = leakIn(text.replaceAll('received undefined', ''));
      ensure(leak === undefined, `${what} (${ENDPOINTS[at]}): the error reveals the implementation: ${leak}.`);
      ensureEqual(answer, outcomes[0]?.answer, `${what}: the answer at ${ENDPOINTS[at]} differs from REST`);
    }
    ensureEqual(
      outcomes.map(({ status }) => status),
      [400, 200, 400],
      `${what}: the HTTP statuses`,
    );
    ensure(JSON.stringify(outcomes[0]?.answer as ErrorAnswer).length < 2_000, `${what}: the error repeats the whole input.`);
  });
}

async function checkTexts(subject: Subject, tool: Tool): Promise<void> {
  const good = await goodCall(subject, tool);
  if (good === undefined) return;
  const { caller, server, as, input } = good;
  const writes = tool.kind === 'act' || tool.kind === 'write';
  if (writes) await subject.restore(tool.domain);
  for (const [key, property] of propertiesOf(tool).filter(([name, each]) => isText(each) && name !== 'cursor')) {
    const texts = SYNTAX.filter(({ length }) => length <= (property.maxLength ?? 0));
    const attempt = async (text: string) => {
      // Uses the endpoints in turn, because another case proves that all endpoints answer the same.
      const endpoint = ENDPOINTS[SYNTAX.indexOf(text) % ENDPOINTS.length] ?? 'rest';
      const { answer, status } = await caller.call(endpoint, as, tool, { ...input, [key]: text });
      const code = codeOf(answer);
      ensure(
        status < 500 && !['INTERNAL_ERROR', 'DATABASE_ERROR', 'SERVICE_UNAVAILABLE'].includes(code),
        `${nameOf(tool)} for ${as} with ${key} = ${inShort(text)} (${endpoint}): expected an answer, but got ${code}.`,
      );
    };
    // Concurrent acts of one person could conflict.
    await concurrently(texts, attempt, writes ? 1 : undefined);
    if (tool.kind === 'write') {
      server.clock.pass(301);
      caller.forget();
    }
  }
  if (writes) await subject.restore(tool.domain);
}
