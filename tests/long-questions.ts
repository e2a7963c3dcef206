/** Questions of the greatest length that the gateway accepts, each of a kind that costs the offline model much work. */
import { readPhrases } from '../src/server/phrases.ts';
import { builtIn } from './registry.ts';

const LONGEST = 4_000;
const repeat = (text: string): string =>
  text
    .repeat(Math.ceil(LONGEST / text.length))
    .slice(0, LONGEST)
    .trim();

/** A deterministic random number generator: a failing test can be repeated. */
function numbers(): (below: number) => number {
  let last = 7;
  return (below) => (last = (last * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
}

export function longQuestions(): string[] {
  const next = numbers();
  const pick = (list: readonly string[]): string => list[next(list.length)] ?? '';
  const many = (make: () => string): string => {
    let text = '';
    while (text.length < LONGEST) text += make();
    return text.slice(0, LONGEST).trim();
  };
  const asks = [
    ...builtIn.tools.flatMap(({ examples }) => examples.map(({ question }) => question)),
    ...[...readPhrases(builtIn).values()].flatMap((byQuestion) => [...byQuestion.values()].flat()),
  ];
  const words = [...new Set(asks.flatMap((ask) => ask.toLowerCase().match(/[a-z]+/g) ?? []))];
  const misspelled = (word: string): string => {
    const at = next(word.length);
    return `${word.slice(0, at)}${pick([...'abcdefghij'])}${word.slice(at + 1)}`;
  };
  const name = (): string => pick(words).replace(/^./, (letter) => letter.toUpperCase());
  return [
    many(() => `${misspelled(pick(words))} `),
    many(() => `${pick(words)} `),
    many(() => `${pick(asks)} `),
    `approve ${many(() => `${pick(words)} `)}`.slice(0, LONGEST),
    `create a ticket: ${many(() => `${pick(words)} `)}`.slice(0, LONGEST),
    many(() => `${name()} ${name()}, `),
    many(() => pick([`${pick(words)} `, '2026-01-02 ', `${name()} `, '$5k ', `"${pick(words)}" `, 'INV-1 ', "sarah's "])),
    repeat('unpaid '),
    repeat('not yet approved '),
    repeat('a@b'),
    repeat('é '),
    repeat('from 1 to 2 december '),
  ];
}
