/** Grades one turn of a conversation against the expectation of the corpus. */
import type { Answer } from '../../src/declare/answer.ts';
import type { Expectation } from './corpus.ts';

export interface Call {
  readonly server: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly answer: Answer;
}
export interface Turn {
  readonly text: string;
  readonly calls: readonly Call[];
}
export interface Grade {
  readonly faults: readonly string[];
  readonly acted: boolean;
  /** A card or a change, although neither was expected. */
  readonly unaskedWrite: boolean;
}
export interface GradeContext {
  /** Whether a tool changes something, by its name domain.tool. */
  readonly changes: (tool: string) => boolean;
  /** Answers of the conversation so far, in which the records of names are found. */
  readonly seen: readonly Answer[];
}
type Args = Readonly<Record<string, unknown>>;

const fold = (value: unknown): string =>
  String(value)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[_\-\s]+/g, ' ')
    .trim();
const isObject = (value: unknown): value is Args => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Strings and ids of every record in the answers. */
function recordsIn(value: unknown): Args[] {
  if (Array.isArray(value)) return value.flatMap(recordsIn);
  return isObject(value) ? [value, ...Object.values(value).flatMap(recordsIn)] : [];
}
function isNamed(id: unknown, name: string, answers: readonly Answer[]): boolean {
  const wanted = fold(name);
  return answers.flatMap(recordsIn).some((record) => {
    const values = Object.values(record).filter((each) => typeof each === 'string' || typeof each === 'number');
    return values.some((each) => fold(each) === fold(id)) && fold(values.join(' ')).includes(wanted);
  });
}

export function matches(expected: unknown, given: unknown, answers: readonly Answer[]): boolean {
  if (isObject(expected)) {
    if (expected['any'] === true) return given !== undefined;
    if (expected['absent'] === true) return given === undefined;
    if ('optional' in expected) return given === undefined || matches(expected['optional'], given, answers);
    if (Array.isArray(expected['oneOf'])) return expected['oneOf'].some((each) => matches(each, given, answers));
    if (typeof expected['contains'] === 'string')
      return fold(expected['contains'])
        .split(' ')
        .every((word) => fold(isObject(given) || Array.isArray(given) ? JSON.stringify(given) : given).includes(word));
    if (typeof expected['named'] === 'string') return given !== undefined && isNamed(given, expected['named'], answers);
    return isObject(given) && Object.entries(expected).every(([key, value]) => matches(value, given[key], answers));
  }
  if (Array.isArray(expected))
    return Array.isArray(given) && given.length === expected.length && expected.every((each, at) => matches(each, given[at], answers));
  return given !== undefined && fold(expected) === fold(given);
}

const DECLINES =
  /\b(?:cannot|can't|can ?not|do not have permission|may only|may not|not allowed|could not|couldn't|no tool|unable|is only for|not available|none of the)\b/i;
const ASKS_BACK = /\?\s*(?:$|\n|It can be|\(|Please|You could)/;

function kindFault({ kind }: Expectation, { text }: Turn, is: { card: boolean; wrote: boolean }): string | undefined {
  const { card, wrote } = is;
  if (kind === 'card') return card ? undefined : 'made no card';
  if (card) return 'made a card';
  if (kind === 'call') return undefined;
  if (wrote) return 'changed something';
  if (kind === 'decline' && !DECLINES.test(text)) return `did not decline: ${text.slice(0, 100)}`;
  if (kind === 'clarify' && !ASKS_BACK.test(text)) return `did not ask back: ${text.slice(0, 100)}`;
  return undefined;
}

export function gradeTurn(expected: Expectation, turn: Turn, { changes, seen }: GradeContext): Grade {
  const names = turn.calls.map(({ server, tool }) => `${server}.${tool}`);
  const card = turn.calls.some(({ answer }) => answer.status === 'pending_confirmation');
  const wrote = turn.calls.some(({ answer }, at) => answer.status === 'success' && changes(names[at] ?? ''));
  const answers = [...seen, ...turn.calls.map(({ answer }) => answer)];
  const asked = expected.tools.map((each) => [each].flat());
  const mayWrite = expected.kind === 'card' || asked.flat().some(changes);
  const faults: string[] = [];
  const kind = kindFault(expected, turn, { card, wrote });
  if (kind !== undefined) faults.push(kind);
  const args = [expected.args ?? []].flat();
  for (const [at, tools] of asked.entries()) {
    const made = turn.calls.filter((_, n) => tools.includes(names[n] ?? ''));
    const wanted = args[at] ?? {};
    const wrong = (call: Call) =>
      Object.entries(wanted)
        .filter(([key, value]) => !matches(value, call.input[key], answers))
        .map(([key]) => `${key} is ${JSON.stringify(call.input[key])}`);
    if (made.length === 0) faults.push(`did not call ${tools.join(' or ')}, but ${names.join(', ') || 'nothing'}`);
    else if (!made.some((call) => wrong(call).length === 0)) faults.push(...wrong(made.at(-1) as Call));
  }
  const spoken = [
    turn.text,
    ...turn.calls.flatMap(({ answer }) => (answer.status === 'pending_confirmation' ? [answer.message] : [])),
  ].join('\n');
  for (const each of expected.says) if (!new RegExp(each, 'i').test(spoken)) faults.push(`did not say ${each}: ${turn.text.slice(0, 100)}`);
  for (const each of expected.never) if (new RegExp(each, 'i').test(spoken)) faults.push(`said ${each}`);
  if (/\bundefined\b|\bNaN\b|\[object Object\]/.test(turn.text)) faults.push('said undefined, NaN or [object Object]');
  return {
    faults,
    acted: turn.calls.length > 0 && turn.calls.some(({ answer }) => answer.status !== 'error'),
    unaskedWrite: (card || wrote) && !mayWrite,
  };
}
