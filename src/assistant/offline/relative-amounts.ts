/** Turns relative amounts ("by 5,000", "a 5 % raise") into absolute ones, from the value that the record has now. */
import { isRelative } from './amounts.ts';
import type { Utterance } from './annotate.ts';
import type { TurnContext } from './context.ts';
import type { IndexedTool } from './index-tools.ts';
import { type Row, rowsIn } from './rows.ts';
import type { Slot } from './schema.ts';

const DOWN = /\b(?:decrease|decreased|reduce|reduced|reduction|cut|lower|less|drop|down|minus)\b/i;

export interface RelativeAmount {
  readonly slot: Slot;
  readonly before: number;
  readonly after: number;
}
const inCents = (value: number): number => Math.round(value * 100) / 100;

/** The field of the record that the slot replaces: `salary` for `new_salary`. */
const fieldFor = (slot: Slot): string => slot.key.replace(/^(?:new|next|updated)_/, '');

/** The present value, from a row that is known already or from a tool of the domain that reads the record. */
function presentValue(context: TurnContext, entry: IndexedTool, { slot, input, about }: AmountRequest): number | undefined {
  const field = fieldFor(slot);
  const known = about?.[field];
  if (typeof known === 'number') return known;
  const ids = entry.slots.filter(({ kind, key }) => (kind === 'id' || kind === 'number-id') && key in input);
  for (const reader of context.allowed.values()) {
    const id = ids.find(({ key }) => reader.slots.some((each) => each.key === key));
    if (reader.tool.domain !== entry.tool.domain || reader.tool.kind !== 'read' || !id) continue;
    if (!(field in (reader.rowSchema.properties ?? {})) || reader.slots.some(({ required, key }) => required && key !== id.key)) continue;
    const [row] = rowsIn(context.memory.call(reader.name, { [id.key]: input[id.key] }));
    const value = row?.[field];
    if (typeof value === 'number') return value;
  }
  return undefined;
}
interface AmountRequest {
  readonly slot: Slot;
  readonly input: Readonly<Record<string, unknown>>;
  readonly about: Row | undefined;
}

/** The slot whose amount is relative. `amount` is undefined if the present value is hidden or unknown. */
export function resolveRelativeAmount(
  context: TurnContext,
  entry: IndexedTool,
  { utterance, input, about }: { utterance: Utterance; input: Readonly<Record<string, unknown>>; about: Row | undefined },
): { readonly slot: Slot; readonly amount: RelativeAmount | undefined } | undefined {
  if (!entry.mutates) return undefined;
  for (const slot of entry.slots.filter(({ kind }) => kind === 'amount')) {
    const said = utterance.amounts.find((amount) => amount.value === input[slot.key] && isRelative(utterance.text, amount));
    if (!said) continue;
    const before = presentValue(context, entry, { slot, input, about });
    if (before === undefined) return { slot, amount: undefined };
    const change = (said.percent ? (before * said.value) / 100 : said.value) * (DOWN.test(utterance.text) ? -1 : 1);
    return { slot, amount: { slot, before, after: inCents(before + change) } };
  }
  return undefined;
}
