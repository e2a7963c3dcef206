/** Finds free text in an utterance: after a colon, "because" or the words of an example, or in quotation marks. */
import { overlaps, type TextSpan, type Utterance } from './annotate.ts';
import type { IndexedTool } from './index-tools.ts';
import type { Slot } from './schema.ts';
import { CHANGE_VERBS, synonymsOf } from './thesaurus.ts';
import { fold, stopWords, stem } from './tokenise.ts';

export const trimmedSpan = (text: string, start: number, end: number): TextSpan => {
  const raw = text.slice(start, end);
  const lead = raw.length - raw.trimStart().length;
  const trimmed = raw
    .trim()
    .replace(/^["']+|["']+$/g, '')
    .replace(/[\s,;.!]+$/, '');
  return { text: trimmed, start: start + lead, end };
};
export const capitalise = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const EXPLANATION_START =
  /:\s+(?=\S)|\s+[-–]\s+|;\s+|,?\s+because(?: of)?\s+|,\s+(?=(?:it|they|he|she|we|the|this|that|too|there|nobody|no|not|since|as|so|you)\b)|\s+(?:since|as)\s+(?=(?:it|they|he|she|we|the|this)\b)|,\s+(?=(?!and\b|or\b|reference\b|please\b|from\b|with\b|for\b|in\b)\p{L}+ \p{L}+ \p{L}+)/giu;
/** A command is not an explanation. */
const COMMAND_PREFIX = /^(?:(?:so|then|please|now|and|just|also)\s+)*/i;
const isCommand = (text: string): boolean => {
  const rest = text.replace(COMMAND_PREFIX, '');
  const [first = '', second = ''] = rest.toLowerCase().split(/\s+/);
  if (/^(?:can|could|would|will|may)$/.test(first)) return true;
  return (
    (CHANGE_VERBS.has(stem(first)) || first === 'open') &&
    !/(?:ed|ing|[^s]s)$/.test(first) &&
    (/^(?:his|this|its|as)$/.test(second) || !/(?:ed|s)\W*$/.test(second))
  );
};
export function findExplanation(utterance: Utterance, busy: readonly TextSpan[]): TextSpan | undefined {
  for (const match of utterance.text.matchAll(EXPLANATION_START)) {
    const start = match.index + match[0].length;
    if (busy.some((span) => span.start < match.index && span.end > start)) continue;
    const found = trimmedSpan(utterance.text, start, utterance.text.length);
    if (found.text.split(' ').length >= 2 && !isCommand(found.text)) return found;
  }
  return undefined;
}

/** Returns the text after words that precede the slot's value in an example. The longest match wins. */
export function textAfterExampleWords(entry: IndexedTool, slot: Slot, utterance: Utterance): TextSpan | undefined {
  let best: { piece: TextSpan; score: number } | undefined;
  // "Remind me tomorrow to …": a date may interrupt the matched words.
  const tokens = utterance.tokens.filter((token) => !utterance.dates.some((when) => overlaps(when, token)));
  for (const { key, left } of entry.examples.flatMap(({ aligned }) => aligned)) {
    if (key !== slot.key || left.length === 0) continue;
    const sign = /^[:,]$/.test(left.at(-1) ?? '') ? left.at(-1) : undefined;
    const words = sign ? left.slice(0, -1) : left;
    for (let at = 0; at < tokens.length; at += 1) {
      let fits = 0;
      while (fits < words.length && fits <= at && tokens[at - fits]?.stem === words[words.length - 1 - fits]) fits += 1;
      const said = words.slice(words.length - fits);
      if (fits === 0 || (said.every((word) => stopWords.has(word)) && fits < 3)) continue;
      if (!slot.required && slot.kind === 'prose' && fits < 2 && !sign) continue;
      const end = tokens[at]?.end ?? 0;
      const gap = /^\s*[:,]?\s*/.exec(utterance.text.slice(end))?.[0] ?? '';
      if (sign && !gap.includes(sign)) continue;
      const found = trimmedSpan(utterance.text, end + gap.length, utterance.text.length);
      if (found.text.length > 1 && (!best || fits > best.score)) best = { piece: found, score: fits };
    }
  }
  return best?.piece;
}

/** "reference WIRE-8841", "topic staging", "with the note '…'": the slot's name precedes its value. */
export function textAfterSlotName(slot: Slot, utterance: Utterance): TextSpan | undefined {
  const name = slot.key.split('_').at(-1) ?? slot.key;
  const names = new Set(
    [name, name.replace(/s$/, ''), ...synonymsOf(name).filter((other) => !other.includes(' ') && isShort(other, name))].map(stem),
  );
  const { tokens, text } = utterance;
  for (const [at, token] of tokens.entries()) {
    if (!names.has(token.stem)) continue;
    const quote = utterance.quotes.find(({ start }) => start > token.end && start - token.end <= 12);
    if (quote) return quote;
    const gap = /^\s*(?:[:=#]|(?:is|number|of|as)\b|no\.|to(?=\s+["']))?\s*/i.exec(text.slice(token.end))?.[0] ?? '';
    const start = token.end + gap.length;
    const next = tokens[at + 1];
    if (!next || next.start > start + 6) continue;
    const stop = /[.,;:](?:\s|$)| and (?:tag|topic|source|note|reference|title)\b/i.exec(text.slice(start));
    const other =
      [...utterance.amounts, ...utterance.dates].filter((span) => span.start > start).sort((a, b) => a.start - b.start)[0]?.start ??
      text.length;
    const raw = trimmedSpan(text, start, Math.min(stop ? start + stop.index : text.length, other));
    const short = raw.text.replace(/\s+(?:for|on|at|by|until|from|since|in)$/i, '');
    const found = { text: short, start: raw.start, end: raw.start + short.length };
    if (found.text.length > 0 && found.text.split(' ').length <= 6) return found;
  }
  return undefined;
}

/** Abbreviations: "ref" for reference, "desc" for description. */
const isShort = (other: string, name: string): boolean =>
  other !== name && name.startsWith(other.slice(0, 3)) && other.length < name.length;

/** Prepositions that introduce the topic of a search. */
const ABOUT =
  /\b(?:about|regarding|concerning|on the (?:topic|subject) of|for|on|mentioning|containing|with the words?|named|called|titled|saying|that (?:mention|contain|say|talk about)s?)\s+/gi;
export function textAfterAbout(utterance: Utterance, busy: readonly TextSpan[]): TextSpan | undefined {
  for (const match of utterance.text.matchAll(ABOUT)) {
    const start = match.index + match[0].length;
    const stop = /[?!.;](?:\s|$)|,\s|\s(?:please|pls|for me|in the (?:knowledge base|help|directory|portal|history))\b/i.exec(
      utterance.text.slice(start),
    );
    const found = trimmedSpan(utterance.text, start, stop ? start + stop.index : utterance.text.length);
    const bare = { ...found, text: found.text.replace(/^(?:the|a|an|our|my|any|all) /i, '') };
    if (
      bare.text.length > 1 &&
      !busy.some((span) => overlaps(span, { start: found.start, end: found.start + Math.min(found.text.length, 3) }))
    )
      return bare;
  }
  return undefined;
}

/** Replaces the words of a text that the new words begin or end like: "Nevada agent" in "Call the Texas agent". */
export function replaceWords(old: string, fresh: string): string {
  const [had, has] = [old.split(' '), fresh.split(' ')];
  const end = had.findLastIndex((word) => fold(word) === fold(has.at(-1) ?? ''));
  if (end < 0) return capitalise(fresh);
  const same = had.slice(0, end).findLastIndex((word) => fold(word) === fold(has[0] ?? ''));
  const start = has.length > 1 && same >= 0 ? same : Math.max(0, end - has.length + 1);
  return capitalise([...had.slice(0, start), ...has, ...had.slice(end + 1)].join(' '));
}
