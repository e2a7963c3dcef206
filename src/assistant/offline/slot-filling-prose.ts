/** Fills the text slots of tools that write, such as reasons, notes and titles. */
import { overlaps, type TextSpan, type Utterance } from './annotate.ts';
import type { IndexedTool } from './index-tools.ts';
import type { Slot } from './schema.ts';
import { textAfterSlotName, textAfterExampleWords, trimmedSpan, capitalise, findExplanation } from './text.ts';
import { stem } from './tokenise.ts';

const TITLE_WORD = /\b(?:called|named|titled|saying|reading|with the (?:title|name|text|words?))\s+(?=\S)/i;
const RENAME = /\b(?:rename|retitle|change|update|set|call)\b[^:]{0,80}?\b(?:to|into)\s+(?=\S)/i;

export function fillProse(
  entry: IndexedTool,
  utterance: Utterance,
  { set, used }: { set: (slot: Slot, value: unknown, at?: TextSpan) => void; used: TextSpan[] },
): void {
  const slots = entry.slots.filter(({ kind }) => kind === 'prose');
  if (slots.length === 0) return;
  const given = new Map<Slot, TextSpan>();
  const undated = !entry.slots.some(({ kind }) => /^(?:date|month|period|year|quarter|units|days)$/.test(kind));
  const give = (slot: Slot, at: TextSpan) => {
    given.set(slot, at);
    // If no slot takes dates, a date before the title is appended to it.
    const day = undated && isTitle(slot) ? utterance.dates.find((when) => when.end <= at.start) : undefined;
    set(slot, clip(slot, `${capitalise(at.text)}${day ? ` ${utterance.text.slice(day.start, day.end)}` : ''}`), at);
  };
  const busy = (at: TextSpan) => [...given.values()].some((other) => overlaps(other, at));
  for (const slot of slots) {
    const said = textAfterKey(slot, utterance);
    if (said && !busy(said)) give(slot, said);
  }
  // "Rename 'A' to 'B'": the second quotation is the new text.
  const becomes =
    entry.tool.effect === 'changes' && utterance.quotes.length > 1
      ? utterance.quotes.find((quote) => /\b(?:to|into|as)\s*["']?$/i.test(utterance.text.slice(0, quote.start)))
      : undefined;
  // A quotation before the colon names the record, not the text.
  const subject = becomes
    ? utterance.quotes.find((quote) => quote !== becomes && quote.start < becomes.start)
    : entry.slots.some(({ kind, required }) => required && (kind === 'id' || kind === 'number-id')) && utterance.ids.length === 0
      ? utterance.quotes.find(
          (quote) =>
            /^['"]?\s*(?::|because\b)/.test(utterance.text.slice(quote.end)) ||
            (utterance.quotes.length === 1 &&
              /^['"]?(?:\s+-|,|\s+since\b|\s+as\b|\s+\w+(?::|,|\s+-))\s/.test(utterance.text.slice(quote.end)) &&
              isPrecededByNoun(entry, utterance, quote)),
        )
      : undefined;
  const wanted = slots
    .filter((slot) => !given.has(slot))
    .sort(
      (a, b) =>
        Number(b.required) - Number(a.required) ||
        Number(isTitle(a) && b.required) - Number(isTitle(b) && a.required) ||
        exampleUses(entry, b) - exampleUses(entry, a),
    );
  for (const quote of utterance.quotes.filter((each) => !busy(each) && each !== subject)) {
    const slot = wanted.find((each) => !given.has(each) && (each.required || exampleUses(entry, each) > 0));
    if (slot) give(slot, quote);
  }
  const [first] = wanted.filter((slot) => !given.has(slot));
  if (first) {
    const end = findText(entry, first, utterance);
    const at = !end
      ? undefined
      : busy(end)
        ? startAfterOthers(end, [...given.values()], utterance)
        : endBeforeOthers(end, [...given.values()], utterance);
    if (at && at.text.length > 0 && !/^[$€£]?[\d.,]+ ?[km]?$/i.test(at.text) && (first.required || !isFigure(entry, utterance, at)))
      give(first, at);
  }
  const short = slots.find((slot) => slot.required && !given.has(slot));
  const [long] = given.values();
  if (short && long && slots.length > 1)
    set(short, /topic|subject/.test(short.key) ? clip(short, topicOf(long.text)) : headline(long.text, short));
  const brief = entry.slots.find((slot) => slot.kind === 'name' && slot.required && long !== undefined);
  if (brief && long && !utterance.tokens.some((token) => token.stem === stem(brief.key))) {
    const quote = utterance.quotes.find((each) => !used.some((span) => overlaps(span, each)));
    set(brief, quote?.text ?? topicOf(long.text), quote);
  }
}

/** "The ticket '…'": the noun of the tool's id precedes or follows the quotation. */
const isPrecededByNoun = (entry: IndexedTool, utterance: Utterance, quote: TextSpan): boolean => {
  const before = [
    ...utterance.tokens.filter(({ end }) => end <= quote.start).slice(-2),
    ...utterance.tokens.filter(({ start }) => start >= quote.end).slice(0, 1),
  ];
  return entry.slots.some(
    ({ kind, key }) =>
      (kind === 'id' || kind === 'number-id') &&
      before.some((token) => token.stem === stem(key.replace(/_?id$/, '').split('_').at(-1) ?? '')),
  );
};

/** True if the text is little more than an amount that has its own slot: "… , final number is 415k". */
const isFigure = (entry: IndexedTool, utterance: Utterance, at: TextSpan): boolean => {
  const figure = utterance.amounts.find((amount) => overlaps(amount, at));
  return (
    figure !== undefined && entry.slots.some(({ kind, edge }) => kind === 'amount' && edge === undefined) && at.text.split(' ').length <= 6
  );
};

function findText(entry: IndexedTool, slot: Slot, utterance: Utterance): TextSpan | undefined {
  const end = findExplanation(
    utterance,
    utterance.dates.map((when) => ({ ...when, text: '' })),
  );
  const colon = end && /:\s*["']?$/.test(utterance.text.slice(0, end.start)) ? end : undefined;
  const called = TITLE_WORD.exec(utterance.text);
  const renamed = entry.tool.effect === 'changes' && !slot.required ? RENAME.exec(utterance.text) : undefined;
  const from = (match: RegExpExecArray | null | undefined) =>
    match ? trimmedSpan(utterance.text, match.index + match[0].length, utterance.text.length) : undefined;
  return (
    dictatedTitle(entry, slot, utterance) ??
    colon ??
    (slot.required || exampleUses(entry, slot) > 0 ? textAfterExampleWords(entry, slot, utterance) : undefined) ??
    (isTitle(slot) ? (from(called) ?? from(renamed)) : undefined) ??
    (isTitle(slot) && !slot.required ? undefined : end) ??
    (slot.required && entry.tool.effect === 'adds' ? textBeforeCommand(utterance) : undefined)
  );
}
/** "Add a task: call Acme tomorrow": if only a title is required, all text after the colon is the title. */
function dictatedTitle(entry: IndexedTool, slot: Slot, utterance: Utterance): TextSpan | undefined {
  const alone = entry.slots.filter(({ required }) => required).length === 1;
  if (entry.tool.effect !== 'adds' || !slot.required || !isTitle(slot) || !alone) return undefined;
  const head = /^[^:"']{1,40}:\s+(?=\S)/.exec(utterance.text)?.[0];
  return head === undefined ? undefined : trimmedSpan(utterance.text, head.length, utterance.text.length);
}
/** "The export fails since yesterday, open a ticket": the text precedes the command. */
function textBeforeCommand(utterance: Utterance): TextSpan | undefined {
  const match =
    /^(.{10,}?)[,;.!] (?:so |then |please |can you |could you |would you |and |now )*(?:open|create|make|file|raise|log|submit|add|report)\b[^,;]*$/i.exec(
      utterance.text,
    );
  return match?.[1] === undefined ? undefined : trimmedSpan(utterance.text, 0, match[1].length);
}
const isTitle = ({ key }: Slot): boolean => /title|name|subject|topic/.test(key);
const exampleUses = (entry: IndexedTool, { key }: Slot): number => entry.examples.filter(({ input }) => key in input).length;

function textAfterKey(slot: Slot, utterance: Utterance): TextSpan | undefined {
  const said = textAfterSlotName(slot, utterance);
  // "Topic coffee machine, descale it …": the title, then the text.
  if (
    said &&
    isTitle(slot) &&
    slot.required &&
    /[:;.]\s*(?:the )?\w+ $/.test(utterance.text.slice(0, said.start)) &&
    /^[,;.]/.test(utterance.text.slice(said.end)) &&
    isPrecededByKey(slot, utterance, said)
  )
    return said;
  return said &&
    /(?::\s*|["']|\b(?:is|reason|note)\s+)["']?$/i.test(utterance.text.slice(0, said.start)) &&
    (utterance.quotes.some((quote) => quote.start === said.start) || /:\s*$/.test(utterance.text.slice(0, said.start))) &&
    isPrecededByKey(slot, utterance, said)
    ? said
    : undefined;
}
const isPrecededByKey = (slot: Slot, utterance: Utterance, said: TextSpan): boolean => {
  const before = utterance.tokens.filter(({ end, word }) => end <= said.start && !/^(?:to|is|as|of|with)$/.test(word)).at(-1);
  return before !== undefined && stem(slot.key.split('_').at(-1)?.replace(/s$/, '') ?? '') === before.stem;
};
/** Ends the text before the value of another slot: "Add task X with the note Y". */
function endBeforeOthers(at: TextSpan, given: readonly TextSpan[], utterance: Utterance): TextSpan {
  const next = given.filter(({ start }) => start > at.start).sort((a, b) => a.start - b.start)[0];
  return next ? trimmedSpan(utterance.text, at.start, next.start) : at;
}
function startAfterOthers(at: TextSpan, given: readonly TextSpan[], utterance: Utterance): TextSpan | undefined {
  const inside = given.filter((other) => overlaps(other, at)).sort((a, b) => b.end - a.end)[0];
  if (!inside) return undefined;
  if (inside.start - at.start > 12)
    return trimmedSpan(
      utterance.text,
      at.start,
      at.start + utterance.text.slice(at.start, inside.start).replace(/[.;,:]?\s+\S+\s*['"]?$/, '').length,
    );
  const gap = /^['"]?[\s,;:.]*(?:that\s+)?/.exec(utterance.text.slice(inside.end))?.[0].length ?? 0;
  return trimmedSpan(utterance.text, inside.end + gap, at.end);
}
const clip = ({ schema }: Slot, text: string): string => (schema.maxLength === undefined ? text : text.slice(0, schema.maxLength));
const headline = (text: string, slot: Slot): string => {
  const [clause = text] = text.split(/[.!?;]\s|,\s| and (?=no\b|now\b|the\b|we\b|i\b)/i);
  const words = clause.replace(/^(?:since|as of|from) [\w ]{3,16}? (?=our|the|my|we|i\b|all|no)/i, '').split(' ');
  const short = capitalise(words.slice(0, 12).join(' '));
  return clip(slot, short.length >= (slot.schema.minLength ?? 0) ? short : capitalise(text));
};
/** The topic of a text: its first noun phrase. */
const topicOf = (text: string): string => {
  const words = text.split(/\s+/).map((word) => word.replace(/[,.;:!?]$/, ''));
  const start = /^(?:the|a|an|our|my|all|every|please|that)$/i.test(words[0] ?? '') ? 1 : 0;
  const stop = words.findIndex(
    (word, at) =>
      at > start &&
      /^(?:is|are|was|were|has|have|will|can|must|should|on|in|at|of|for|to|before|after|until|with|needs?|runs?|goes|may)$/i.test(word),
  );
  return words
    .slice(start, Math.min(stop < 0 ? start + 3 : stop, start + 4))
    .join(' ')
    .toLowerCase();
};
