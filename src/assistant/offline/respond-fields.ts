/** Finds the fields that a question asks for, and puts their values into words. */
import { hiddenFrom } from '../../core/access.ts';
import { HIDDEN } from '../../core/display.ts';
import type { Role } from '../../core/people.ts';
import type { Reading } from './annotate.ts';
import type { Asker } from './asker.ts';
import type { Entry, Index } from './index-tools.ts';
import { nameOf, type Row } from './rows.ts';
import type { Schema } from './schema.ts';
import { cell, label, value } from './table.ts';
import { alike } from './thesaurus.ts';
import { empty, stem } from './tokenise.ts';

export interface Speaking {
  readonly index: Index;
  readonly person: Asker;
  readonly allowed: ReadonlyMap<string, Entry>;
}
export const named = (roles: readonly Role[]): string =>
  roles.length > 1 ? `${roles.slice(0, -1).join(', ')} or ${roles.at(-1)}` : (roles[0] ?? '');
export const lowered = (text: string): string => (/^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1));
export const plural = (entry: Entry): string => entry.tool.plural ?? lowered(entry.tool.title).replace(/^my /, '');
export const stopped = (text: string): string => (/[.!?:]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);
export const strong = (text: string): string => `**${text}**`;
export const titleOf = (row: Row): string => cell(nameOf(row));

export const WHY = /\bwhy\b|\bwhat (?:was|is) the reason\b|\bhow come\b/i;
/** "Frank Davis: rejection reason …, status …." */
export const factsOf = (shape: Schema, row: Row, keys: readonly string[]): string => {
  const title = titleOf(row);
  return `${title ? `${title}: ` : ''}${keys.map((key, at) => `${at === 0 && !title ? label(key) : lowered(label(key))} ${strong(value(row[key], shape.properties?.[key], key))}`).join(', ')}.`;
};

/** The fields that the question names. */
export function asked(shape: Schema, reading: Reading): string[] {
  const why = WHY.test(reading.text) ? Object.keys(shape.properties ?? {}).filter((key) => /(?:^|_)(?:reason|cause|why)$/.test(key)) : [];
  return [...why, ...namedIn(shape, reading).filter((key) => !why.includes(key))];
}
function namedIn(shape: Schema, reading: Reading): string[] {
  const words = reading.words.filter(({ token }) => !empty.has(token.word));
  return Object.keys(shape.properties ?? {}).filter((key) => {
    const parts = key.split('_').filter((part) => !/^(?:amount|total|name|number|id|date|at|count|percent|status|of)$/.test(part));
    return parts.length > 0 && parts.every((part) => words.some(({ token }) => token.stem === stem(part) || alike(token.word, part)));
  });
}

export function hidden(speaking: Speaking, entry: Entry, found: readonly Row[], wanted: readonly string[]): string {
  const secret = wanted.filter((key) => found.length > 0 && found.every((row) => row[key] === HIDDEN));
  if (secret.length === 0) return '';
  const masks = hiddenFrom(entry.tool, speaking.person);
  const roles = [
    ...new Set(
      masks
        .filter(({ hides, mask }) => secret.some((key) => alike(mask, key) || hides.toLowerCase().includes(key.replaceAll('_', ' '))))
        .flatMap(({ shownTo }) => shownTo),
    ),
  ];
  return `${label(secret[0] ?? '')} is hidden from you: ${roles.length > 0 ? `only ${named(roles)} may see it` : 'your roles do not include it'}.`;
}
