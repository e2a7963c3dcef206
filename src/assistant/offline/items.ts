/** Several things with an amount each: "taxi 42.50 and client lunch 88". */
import { overlaps, type Piece, type Reading } from './annotate.ts';
import type { Entry } from './index-tools.ts';
import { type Schema, type Slot, solid, typeOf } from './schema.ts';
import { sentence } from './text.ts';
import { alike, othersFor } from './thesaurus.ts';
import { empty, stem } from './tokenise.ts';

export function itemsIn(entry: Entry, slot: Slot, reading: Reading): { items: Record<string, unknown>[]; used: Piece[] } {
  const shape = solid(slot.schema.items).properties ?? {};
  const fields = Object.entries(shape).map(([key, schema]): [string, Schema] => [key, solid(schema)]);
  const amountKey = fields.find(([, schema]) => typeOf(schema) === 'number')?.[0];
  const textKey = fields.find(
    ([key, schema]) => typeOf(schema) === 'string' && !schema.enum && schema.format === undefined && key !== 'receipt',
  )?.[0];
  const choice = fields.find(([, schema]) => schema.enum);
  const used: Piece[] = [];
  const items: Record<string, unknown>[] = [];
  if (amountKey === undefined || textKey === undefined) return { items, used };
  const figures = reading.amounts.filter(
    (amount) =>
      !/\btotal(?: of)? ?$|\baltogether ?$/i.test(reading.text.slice(0, amount.start)) &&
      !/^ ?(?:dollars |usd )?(?:in (?:total|all)|altogether|total)\b/i.test(reading.text.slice(amount.end)),
  );
  const colon = reading.text.indexOf(': ');
  let start = colon > 0 && figures[0] && figures[0].start > colon ? colon + 2 : 0;
  for (const [at, figure] of figures.entries()) {
    const next = figures[at + 1];
    const stop = /,| and |;|\+|\.\s|$/.exec(reading.text.slice(figure.end));
    const end = Math.min(figure.end + (stop?.index ?? 0), next?.start ?? reading.text.length);
    const words = reading.tokens.filter(
      (token) =>
        token.start >= start &&
        token.end <= end &&
        !overlaps(token, figure) &&
        !reading.whens.some((when) => overlaps(when, token)) &&
        !empty.has(token.word) &&
        !/^(?:dollars?|usd|bucks|euros?)$/.test(token.word) &&
        !(start === 0 && ownWord(entry, token.stem)),
    );
    const text = words.map(({ raw }) => raw).join(' ') || 'Expense';
    const item: Record<string, unknown> = { [amountKey]: figure.value, [textKey]: sentence(text) };
    if (choice) item[choice[0]] = kindOf(entry, slot, choice[0], (choice[1].enum ?? []).map(String), text);
    items.push(item);
    const later = reading.whens.find((when) => when.start >= figure.end && when.start < end);
    used.push({ text: '', start: words[0] ? Math.min(words[0].start, figure.start) : figure.start, end: later?.start ?? end });
    start = end;
  }
  return { items, used };
}

const ownWord = (entry: Entry, word: string): boolean =>
  [
    ...entry.tool.name.split('_'),
    ...entry.tool.title.toLowerCase().split(' '),
    'hand',
    'report',
    'file',
    'claim',
    'put',
    'paid',
    'spent',
    'had',
    'log',
    'enter',
    'register',
    'add',
  ].some((own) => stem(own) === word);

/** By the word itself, by what means the same, or as in an example. */
function kindOf(entry: Entry, slot: Slot, key: string, values: readonly string[], text: string): string | undefined {
  const words = text.toLowerCase().split(/\W+/);
  for (const example of entry.examples) {
    for (const item of (example.input[slot.key] as Record<string, unknown>[] | undefined) ?? []) {
      if (
        Object.values(item).some(
          (value) =>
            typeof value === 'string' &&
            value
              .toLowerCase()
              .split(/\W+/)
              .some((word) => word.length > 3 && words.includes(word)),
        )
      )
        return String(item[key]);
    }
  }
  return (
    values.find((value) => words.some((word) => alike(word, value.toLowerCase()) || othersFor(value.toLowerCase()).includes(word))) ??
    values.find((value) => /^other$/i.test(value)) ??
    values.at(-1)
  );
}
