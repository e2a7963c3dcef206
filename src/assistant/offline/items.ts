/** Finds line items with amounts: "taxi 42.50 and client lunch 88". */
import { overlaps, type TextSpan, type Utterance } from './annotate.ts';
import type { IndexedTool } from './index-tools.ts';
import { type Schema, type Slot, unwrapUnion, typeOf } from './schema.ts';
import { capitalise } from './text.ts';
import { areSynonyms, synonymsOf } from './thesaurus.ts';
import { stopWords, stem } from './tokenise.ts';

export function findItems(entry: IndexedTool, slot: Slot, utterance: Utterance): { items: Record<string, unknown>[]; used: TextSpan[] } {
  const shape = unwrapUnion(slot.schema.items).properties ?? {};
  const fields = Object.entries(shape).map(([key, schema]): [string, Schema] => [key, unwrapUnion(schema)]);
  const amountKey = fields.find(([, schema]) => typeOf(schema) === 'number')?.[0];
  const textKey = fields.find(
    ([key, schema]) => typeOf(schema) === 'string' && !schema.enum && schema.format === undefined && key !== 'receipt',
  )?.[0];
  const choice = fields.find(([, schema]) => schema.enum);
  const used: TextSpan[] = [];
  const items: Record<string, unknown>[] = [];
  if (amountKey === undefined || textKey === undefined) return { items, used };
  const figures = utterance.amounts.filter(
    (amount) =>
      !/\btotal(?: of)? ?$|\baltogether ?$/i.test(utterance.text.slice(0, amount.start)) &&
      !/^ ?(?:dollars |usd )?(?:in (?:total|all)|altogether|total)\b/i.test(utterance.text.slice(amount.end)),
  );
  const colon = utterance.text.indexOf(': ');
  let start = colon > 0 && figures[0] && figures[0].start > colon ? colon + 2 : 0;
  for (const [at, figure] of figures.entries()) {
    const next = figures[at + 1];
    const stop = /,| and |;|\+|\.\s|$/.exec(utterance.text.slice(figure.end));
    const end = Math.min(figure.end + (stop?.index ?? 0), next?.start ?? utterance.text.length);
    const words = utterance.tokens.filter(
      (token) =>
        token.start >= start &&
        token.end <= end &&
        !overlaps(token, figure) &&
        !utterance.dates.some((when) => overlaps(when, token)) &&
        !stopWords.has(token.word) &&
        !/^(?:dollars?|usd|bucks|euros?)$/.test(token.word) &&
        !(start === 0 && isToolWord(entry, token.stem)),
    );
    const text = words.map(({ raw }) => raw).join(' ') || 'Expense';
    const item: Record<string, unknown> = { [amountKey]: figure.value, [textKey]: capitalise(text) };
    if (choice) item[choice[0]] = itemCategory(entry, slot, { key: choice[0], values: (choice[1].enum ?? []).map(String), text });
    items.push(item);
    const later = utterance.dates.find((when) => when.start >= figure.end && when.start < end);
    used.push({ text: '', start: words[0] ? Math.min(words[0].start, figure.start) : figure.start, end: later?.start ?? end });
    start = end;
  }
  return { items, used };
}

const isToolWord = (entry: IndexedTool, word: string): boolean =>
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

/** The category of an item: as in an example, by a synonym, else OTHER. */
function itemCategory(
  entry: IndexedTool,
  slot: Slot,
  { key, values, text }: { key: string; values: readonly string[]; text: string },
): string | undefined {
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
    values.find((value) =>
      words.some((word) => areSynonyms(word, value.toLowerCase()) || synonymsOf(value.toLowerCase()).includes(word)),
    ) ??
    values.find((value) => /^other$/i.test(value)) ??
    values.at(-1)
  );
}
