/** Texts for a tool that writes: reasons, notes, titles. */
import { overlaps, type Piece, type Reading } from './annotate.ts';
import type { Entry } from './index-tools.ts';
import type { Slot } from './schema.ts';
import { afterKey, afterWords, piece, sentence, tail } from './text.ts';
import { stem } from './tokenise.ts';

const CALLED = /\b(?:called|named|titled|saying|reading|with the (?:title|name|text|words?))\s+(?=\S)/i;
const RENAMED = /\b(?:rename|retitle|change|update|set|call)\b[^:]{0,80}?\b(?:to|into)\s+(?=\S)/i;

export function fillProse(entry: Entry, reading: Reading, set: (slot: Slot, value: unknown, at?: Piece) => void, used: Piece[]): void {
  const slots = entry.slots.filter(({ kind }) => kind === 'prose');
  if (slots.length === 0) return;
  const given = new Map<Slot, Piece>();
  const undated = !entry.slots.some(({ kind }) => /^(?:date|month|period|year|quarter|units|days)$/.test(kind));
  const give = (slot: Slot, at: Piece) => {
    given.set(slot, at);
    // A day that stands before the text belongs to it, where no slot takes days.
    const day = undated && isTitle(slot) ? reading.whens.find((when) => when.end <= at.start) : undefined;
    set(slot, clipped(slot, `${sentence(at.text)}${day ? ` ${reading.text.slice(day.start, day.end)}` : ''}`), at);
  };
  const busy = (at: Piece) => [...given.values()].some((other) => overlaps(other, at));
  // Called by its name and set off: with the note '…', reason: …
  for (const slot of slots) {
    const said = keyed(slot, reading);
    if (said && !busy(said)) give(slot, said);
  }
  // "Rename 'A' to 'B'": the one that follows is what it becomes.
  const becomes =
    entry.tool.effect === 'changes' && reading.quotes.length > 1
      ? reading.quotes.find((quote) => /\b(?:to|into|as)\s*["']?$/i.test(reading.text.slice(0, quote.start)))
      : undefined;
  // What is quoted before the colon is what the text is about.
  const subject = becomes
    ? reading.quotes.find((quote) => quote !== becomes && quote.start < becomes.start)
    : entry.slots.some(({ kind, required }) => required && (kind === 'id' || kind === 'number-id')) && reading.ids.length === 0
      ? reading.quotes.find(
          (quote) =>
            /^['"]?\s*(?::|because\b)/.test(reading.text.slice(quote.end)) ||
            (reading.quotes.length === 1 &&
              /^['"]?(?:\s+-|,|\s+since\b|\s+as\b|\s+\w+(?::|,|\s+-))\s/.test(reading.text.slice(quote.end)) &&
              namedAs(entry, reading, quote)),
        )
      : undefined;
  const wanted = slots
    .filter((slot) => !given.has(slot))
    .sort(
      (a, b) =>
        Number(b.required) - Number(a.required) ||
        Number(isTitle(a) && b.required) - Number(isTitle(b) && a.required) ||
        use(entry, b) - use(entry, a),
    );
  for (const quote of reading.quotes.filter((each) => !busy(each) && each !== subject)) {
    const slot = wanted.find((each) => !given.has(each) && (each.required || use(entry, each) > 0));
    if (slot) give(slot, quote);
  }
  const [first] = wanted.filter((slot) => !given.has(slot));
  if (first) {
    const end = after(entry, first, reading);
    const at = !end ? undefined : busy(end) ? beside(end, [...given.values()], reading) : trimmed(end, [...given.values()], reading);
    // A figure alone is no text.
    if (at && at.text.length > 0 && !/^[$€£]?[\d.,]+ ?[km]?$/i.test(at.text) && (first.required || !isFigure(entry, reading, at)))
      give(first, at);
  }
  const short = slots.find((slot) => slot.required && !given.has(slot));
  const [long] = given.values();
  // One text for two places: its beginning is the title of the whole.
  if (short && long && slots.length > 1)
    set(short, /topic|subject/.test(short.key) ? clipped(short, subjectOf(long.text)) : headline(long.text, short));
  const brief = entry.slots.find((slot) => slot.kind === 'name' && slot.required && long !== undefined);
  if (brief && long && !reading.tokens.some((token) => token.stem === stem(brief.key))) {
    const quote = reading.quotes.find((each) => !used.some((span) => overlaps(span, each)));
    set(brief, quote?.text ?? subjectOf(long.text), quote);
  }
}

/** "The ticket '…'": what an id of the tool is an id of stands right before it. */
const namedAs = (entry: Entry, reading: Reading, quote: Piece): boolean => {
  const before = [
    ...reading.tokens.filter(({ end }) => end <= quote.start).slice(-2),
    ...reading.tokens.filter(({ start }) => start >= quote.end).slice(0, 1),
  ];
  return entry.slots.some(
    ({ kind, key }) =>
      (kind === 'id' || kind === 'number-id') &&
      before.some((token) => token.stem === stem(key.replace(/_?id$/, '').split('_').at(-1) ?? '')),
  );
};

/** "… , final number is 415k": a figure that has a place of its own, and hardly a word more. */
const isFigure = (entry: Entry, reading: Reading, at: Piece): boolean => {
  const figure = reading.amounts.find((amount) => overlaps(amount, at));
  return (
    figure !== undefined && entry.slots.some(({ kind, edge }) => kind === 'amount' && edge === undefined) && at.text.split(' ').length <= 6
  );
};

/** The text that belongs to the slot that needs one most. */
function after(entry: Entry, slot: Slot, reading: Reading): Piece | undefined {
  const end = tail(
    reading,
    reading.whens.map((when) => ({ ...when, text: '' })),
  );
  const colon = end && /:\s*["']?$/.test(reading.text.slice(0, end.start)) ? end : undefined;
  const called = CALLED.exec(reading.text);
  const renamed = entry.tool.effect === 'changes' && !slot.required ? RENAMED.exec(reading.text) : undefined;
  const from = (match: RegExpExecArray | null | undefined) =>
    match ? piece(reading.text, match.index + match[0].length, reading.text.length) : undefined;
  return (
    dictated(entry, slot, reading) ??
    colon ??
    (slot.required || use(entry, slot) > 0 ? afterWords(entry, slot, reading) : undefined) ??
    (isTitle(slot) ? (from(called) ?? from(renamed)) : undefined) ??
    (isTitle(slot) && !slot.required ? undefined : end) ??
    (slot.required && entry.tool.effect === 'adds' ? before(reading) : undefined)
  );
}
/** "Add a task: call Acme tomorrow": where a title is all that is asked for, what stands behind the colon is it, whatever verb it begins with. */
function dictated(entry: Entry, slot: Slot, reading: Reading): Piece | undefined {
  const alone = entry.slots.filter(({ required }) => required).length === 1;
  if (entry.tool.effect !== 'adds' || !slot.required || !isTitle(slot) || !alone) return undefined;
  const head = /^[^:"']{1,40}:\s+(?=\S)/.exec(reading.text)?.[0];
  return head === undefined ? undefined : piece(reading.text, head.length, reading.text.length);
}
/** "The export fails since yesterday, open a ticket": what was said before what is to be done with it. */
function before(reading: Reading): Piece | undefined {
  const match =
    /^(.{10,}?)[,;.!] (?:so |then |please |can you |could you |would you |and |now )*(?:open|create|make|file|raise|log|submit|add|report)\b[^,;]*$/i.exec(
      reading.text,
    );
  return match?.[1] === undefined ? undefined : piece(reading.text, 0, match[1].length);
}
const isTitle = ({ key }: Slot): boolean => /title|name|subject|topic/.test(key);
const use = (entry: Entry, { key }: Slot): number => entry.examples.filter(({ input }) => key in input).length;

function keyed(slot: Slot, reading: Reading): Piece | undefined {
  const said = afterKey(slot, reading);
  // "Topic coffee machine, descale it …": what it is called, then what is said of it.
  if (
    said &&
    isTitle(slot) &&
    slot.required &&
    /[:;.]\s*(?:the )?\w+ $/.test(reading.text.slice(0, said.start)) &&
    /^[,;.]/.test(reading.text.slice(said.end)) &&
    isOwnWord(slot, reading, said)
  )
    return said;
  return said &&
    /(?::\s*|["']|\b(?:is|reason|note)\s+)["']?$/i.test(reading.text.slice(0, said.start)) &&
    (reading.quotes.some((quote) => quote.start === said.start) || /:\s*$/.test(reading.text.slice(0, said.start))) &&
    isOwnWord(slot, reading, said)
    ? said
    : undefined;
}
/** The colon after "Add a task" is not one after "task": the key has to stand right before it. */
const isOwnWord = (slot: Slot, reading: Reading, said: Piece): boolean => {
  const before = reading.tokens.filter(({ end, word }) => end <= said.start && !/^(?:to|is|as|of|with)$/.test(word)).at(-1);
  return before !== undefined && stem(slot.key.split('_').at(-1)?.replace(/s$/, '') ?? '') === before.stem;
};
/** Not into what another slot has: "Add task X with the note Y". */
function trimmed(at: Piece, given: readonly Piece[], reading: Reading): Piece {
  const next = given.filter(({ start }) => start > at.start).sort((a, b) => a.start - b.start)[0];
  return next ? piece(reading.text, at.start, next.start) : at;
}
/** Text that begins with what another slot has goes on behind it. */
function beside(at: Piece, given: readonly Piece[], reading: Reading): Piece | undefined {
  const inside = given.filter((other) => overlaps(other, at)).sort((a, b) => b.end - a.end)[0];
  if (!inside) return undefined;
  // Or it ends before: "… every Sunday night. Topic staging".
  if (inside.start - at.start > 12)
    return piece(
      reading.text,
      at.start,
      at.start + reading.text.slice(at.start, inside.start).replace(/[.;,:]?\s+\S+\s*['"]?$/, '').length,
    );
  const gap = /^['"]?[\s,;:.]*(?:that\s+)?/.exec(reading.text.slice(inside.end))?.[0].length ?? 0;
  return piece(reading.text, inside.end + gap, at.end);
}
const clipped = ({ schema }: Slot, text: string): string => (schema.maxLength === undefined ? text : text.slice(0, schema.maxLength));
const headline = (text: string, slot: Slot): string => {
  const [clause = text] = text.split(/[.!?;]\s|,\s| and (?=no\b|now\b|the\b|we\b|i\b)/i);
  const words = clause.replace(/^(?:since|as of|from) [\w ]{3,16}? (?=our|the|my|we|i\b|all|no)/i, '').split(' ');
  const short = sentence(words.slice(0, 12).join(' '));
  return clipped(slot, short.length >= (slot.schema.minLength ?? 0) ? short : sentence(text));
};
/** The first thing that a text speaks of. */
const subjectOf = (text: string): string => {
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
