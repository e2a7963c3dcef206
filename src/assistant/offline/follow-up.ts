/** Answers short follow-up questions about the rows shown last. */
import { areSynonyms } from './thesaurus.ts';
import type { Utterance } from './annotate.ts';
import type { TurnContext } from './context.ts';
import type { Frame } from './frame.ts';
import type { IndexedTool } from './index-tools.ts';
import { idKeyFor } from './lookup.ts';
import { requestedFields, describeFields, pluralOf } from './respond-fields.ts';
import { type Row, selectRow, rowsIn } from './rows.ts';
import { capitalise } from './text.ts';
import { stopWords, stem } from './tokenise.ts';

const HOW_MANY =
  /^(?:(?:and|so|ok|okay)[\s,]+)*how many(?: (?:is|are|was|were) (?:that|those|these|there|they|it))?(?: (?:of (?:them|those|these))?(?:(?:are )?(?:there|in (?:all|total)|altogether))?)?[\s?.!]*$/i;

/** "How many is that?" */
export function countShownRows({ result }: Frame, utterance: Utterance): string | undefined {
  if (
    result.type !== 'answered' ||
    result.answer.status !== 'success' ||
    !Array.isArray(result.answer.data) ||
    !HOW_MANY.test(utterance.text)
  )
    return undefined;
  const { metadata, data } = result.answer;
  const counted = metadata?.count ?? (metadata?.summary as Row | undefined)?.['count'];
  const what = pluralOf(result.entry);
  if (typeof counted === 'number') return `There are ${counted} ${what}.`;
  return metadata?.hasMore
    ? `There are more than ${data.length} ${what} (${metadata.totalCount ?? `${data.length}+`}).`
    : data.length === 1
      ? 'There is just one.'
      : `There are ${data.length} ${what}.`;
}

const OPEN =
  /^(?:(?:and|so|ok|okay|please|can you|could you)[\s,]+)*(?:what(?:'s| is| was|s)? (?:in|on|inside) (?:it|that|this|there|them|the (?:\w+ one|\w+))|what does (?:it|that|this|the \w+ one) (?:say|contain|include)|(?:open|show|read|view|display)(?: me| us)? (?:it|that|this|that one|this one|the \w+ one|(?:the |its |more )?details?)|(?:tell me |show me |give me )?(?:more|the details|details)(?: (?:about|of|on) (?:it|that|this|that one|the \w+ one))?)[\s?.!]*$/i;

/** "What's in it?": calls the tool that reads one of the shown rows. */
export function openShownRow(context: TurnContext, last: Frame, utterance: Utterance): Frame | undefined {
  const [shown] = last.shown;
  if (!shown || last.result.type !== 'answered' || last.entry?.mutates || !OPEN.test(utterance.text)) return undefined;
  for (const entry of context.allowed.values()) {
    const slot = entry.slots.find(({ kind, key }) => (kind === 'id' || kind === 'number-id') && isFoundBy(entry, shown.entry, key));
    if (
      entry.tool.kind !== 'read' ||
      entry.tool.domain !== shown.entry.tool.domain ||
      !slot ||
      entry === shown.entry ||
      entry.slots.some((each) => each.required && each !== slot)
    )
      continue;
    const key = idKeyFor(slot, entry, shown.entry);
    const rows = key === undefined ? [] : shown.rows.filter((row) => row[key] !== undefined && row[key] !== null);
    if (key === undefined || rows.length === 0) continue;
    const significant = utterance.tokens.filter(
      ({ word }) => !stopWords.has(word) && !/^(?:open|read|details?|say|contain|include)$/.test(word),
    );
    const row = rows.length === 1 ? rows[0] : selectRow(rows, { ...utterance, tokens: significant });
    if (!row && significant.length > 0) return undefined;
    if (!row)
      return {
        utterance,
        entry,
        input: {},
        shown: [{ entry: shown.entry, rows }],
        result: { type: 'ambiguous', slot, rows, source: shown.entry, entry, called: '', all: false },
      };
    const input = { [slot.key]: row[key] };
    const answer = context.memory.call(entry.name, input);
    return {
      utterance,
      entry,
      input,
      shown: [
        { entry, rows: rowsIn(answer) },
        { entry: shown.entry, rows: [row] },
      ],
      result: { type: 'answered', entry, input, answer, about: row, called: '' },
    };
  }
  return undefined;
}
/** True if the rows of `source` supply the ids of the slot. The slot then takes the row's own id, not a person's id in the row. */
const isFoundBy = (entry: IndexedTool, source: IndexedTool, key: string): boolean =>
  (entry.finders.get(key) ?? []).includes(source.tool.name);

const NEIGHBOUR =
  /^(?:(?:and|ok|okay|now|then|so|show me|open|what about|how about)[\s,]+)*(?:the )?(next|following|previous|preceding|one before|one after)(?: one)?(?:[\s,]+please)?[\s?.!]*$/i;

/** "And the next one?", for records whose id ends in a number. */
export function openNeighbour(context: TurnContext, last: Frame, utterance: Utterance): Frame | undefined {
  const step = NEIGHBOUR.exec(utterance.text)?.[1];
  if (step === undefined || last.result.type !== 'answered' || last.result.entry.tool.kind !== 'read') return undefined;
  const { entry, input } = last.result;
  const [given, ...more] = Object.entries(input);
  const number =
    given && more.length === 0 && entry.slots.some(({ key, kind }) => key === given[0] && (kind === 'id' || kind === 'number-id'))
      ? /^(\D*?)(\d{1,6})$/.exec(String(given[1]))
      : null;
  if (!given || !number) return undefined;
  const value = `${number[1] ?? ''}${Number(number[2]) + (/next|following|after/i.test(step) ? 1 : -1)}`;
  const asks = { [given[0]]: typeof given[1] === 'number' ? Number(value) : value };
  const answer = context.memory.call(entry.name, asks);
  return {
    utterance,
    entry,
    input: asks,
    shown: [{ entry, rows: rowsIn(answer) }],
    result: { type: 'answered', entry, input: asks, answer, about: undefined, called: value },
  };
}

const FINISHED =
  /^(?:(?:ok|okay|and|well|i'm|i am|that's|that is|that one is|it's|it is|all|now)[\s,]+)*(?:done|finished|completed)(?: with (?:it|that|this))?(?: (?:now|already|too))?[\s.!]*$/i;

function callFor(context: TurnContext, utterance: Utterance, { entry, input }: { entry: IndexedTool; input: Row }): Frame {
  const answer = context.memory.call(entry.name, input);
  return {
    utterance,
    entry,
    input,
    shown: [{ entry, rows: rowsIn(answer) }],
    result: { type: 'answered', entry, input, answer, about: undefined, called: '' },
  };
}

/** "Done with it": completes the record that was just created or shown. */
export function completeShownRow(context: TurnContext, last: Frame, utterance: Utterance): Frame | undefined {
  const { result } = last;
  if (!FINISHED.test(utterance.text) || result.type !== 'answered' || result.answer.status !== 'success') return undefined;
  const [row, another] = rowsIn(result.answer);
  for (const entry of context.allowed.values()) {
    const [id, more] = entry.slots.filter(({ required }) => required);
    if (
      !entry.mutates ||
      entry.tool.domain !== result.entry.tool.domain ||
      !id ||
      more ||
      another ||
      row?.[id.key] === undefined ||
      !entry.tool.name.split('_').some((part) => stem(part) === stem('complete'))
    )
      continue;
    const input = { [id.key]: row[id.key] };
    return callFor(context, utterance, { entry, input });
  }
  return undefined;
}

const NOTE =
  /^(?:(?:and|also|please|then|ok|can you|could you)[\s,]+)*(?:add|put|set|write|include|attach|give it|with)\s+(?:(?:the|an?|this|my|its|as)\s+)*(?:notes?|description|details?|comment)\b(?: (?:to|on) (?:it|that|this))?(?:\s*[:,-]\s*|\s+(?:that|saying|to)\s+)(\S.*)$/i;

/** "Add the note: …": updates the record that was just created. */
export function addNote(context: TurnContext, last: Frame, utterance: Utterance): Frame | undefined {
  const text = NOTE.exec(utterance.text)?.[1];
  const { result } = last;
  if (
    text === undefined ||
    result.type !== 'answered' ||
    result.answer.status !== 'success' ||
    !result.entry.mutates ||
    result.entry.tool.effect === 'removes'
  )
    return undefined;
  const [row] = rowsIn(result.answer);
  for (const entry of context.allowed.values()) {
    const id = entry.slots.find(({ kind, required }) => (kind === 'id' || kind === 'number-id') && required);
    const slot = entry.slots.find(({ key, required }) => /(?:^|_)(?:description|notes?|details)$/.test(key) && !required);
    if (
      entry.tool.domain !== result.entry.tool.domain ||
      entry.tool.effect !== 'changes' ||
      !id ||
      !slot ||
      row?.[id.key] === undefined ||
      entry.slots.some((each) => each.required && each !== id)
    )
      continue;
    const input = { [id.key]: row[id.key], [slot.key]: capitalise(text.replace(/^["']|["']$/g, '')) };
    return callFor(context, utterance, { entry, input });
  }
  return undefined;
}

/** "Why?", "when was it approved?": answers from a field of the shown row. */
export function answerFromShownRow({ shown, result }: Frame, utterance: Utterance): string | undefined {
  const [first] = shown;
  if (!first || result.type !== 'answered' || first.rows.length === 0) return undefined;
  const row = first.rows.length === 1 ? first.rows[0] : selectRow(first.rows, utterance);
  const keys = row
    ? requestedFields(first.entry.rowSchema, utterance).filter(
        (key) => row[key] !== null && row[key] !== undefined && typeof row[key] !== 'object',
      )
    : [];
  const words = utterance.words.filter(({ token }) => !stopWords.has(token.word));
  return row && keys.length > 0 && words.length <= 3 ? describeFields(first.entry.rowSchema, row, keys) : undefined;
}

/** "Get more employees" after a list of employees. */
export function asksForMoreRows(last: Frame | undefined, { text }: Utterance): boolean {
  const noun =
    /^(?:please )?(?:show|get|give|list|see|load|fetch)(?: me| us)? (?:some )?more (?:of the |of these )?([\p{L} ]+?)[.!?]*$/iu.exec(
      text,
    )?.[1];
  const own = last?.entry?.tool.plural?.split(' ').at(-1);
  return noun !== undefined && own !== undefined && (noun === last?.entry?.tool.plural || areSynonyms(noun, own));
}
