/** Words the fields that a question asks for. */
import { hiddenFrom } from '../../engine/access.ts';
import { HIDDEN } from '../../declare/display.ts';
import type { Role } from '../../declare/people.ts';
import type { Utterance } from './annotate.ts';
import type { Asker } from './asker.ts';
import type { IndexedTool, ToolIndex } from './index-tools.ts';
import { nameOf, type Row } from './rows.ts';
import type { Schema } from './schema.ts';
import { escapeMarkdown, fieldLabel, formatValue } from './table.ts';
import { areSynonyms } from './thesaurus.ts';
import { stopWords, stem } from './tokenise.ts';

export interface ResponseContext {
  readonly index: ToolIndex;
  readonly person: Asker;
  readonly allowed: ReadonlyMap<string, IndexedTool>;
}
export const joinRoles = (roles: readonly Role[]): string =>
  roles.length > 1 ? `${roles.slice(0, -1).join(', ')} or ${roles.at(-1)}` : (roles[0] ?? '');
export const lowerFirst = (text: string): string => (/^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1));
export const pluralOf = (entry: IndexedTool): string => entry.tool.plural ?? lowerFirst(entry.tool.title).replace(/^my /, '');
export const endSentence = (text: string): string => (/[.!?:]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);
export const bold = (text: string): string => `**${text}**`;
export const displayName = (row: Row): string => escapeMarkdown(nameOf(row));

export const WHY = /\bwhy\b|\bwhat (?:was|is) the reason\b|\bhow come\b/i;
/** "Frank Davis: rejection reason …, status …." */
export const describeFields = (shape: Schema, row: Row, keys: readonly string[]): string => {
  const title = displayName(row);
  return `${title ? `${title}: ` : ''}${keys.map((key, at) => `${at === 0 && !title ? fieldLabel(key) : lowerFirst(fieldLabel(key))} ${bold(formatValue(row[key], shape.properties?.[key], key))}`).join(', ')}.`;
};

export function requestedFields(shape: Schema, utterance: Utterance): string[] {
  const why = WHY.test(utterance.text) ? Object.keys(shape.properties ?? {}).filter((key) => /(?:^|_)(?:reason|cause|why)$/.test(key)) : [];
  return [...why, ...fieldsNamedIn(shape, utterance).filter((key) => !why.includes(key))];
}
function fieldsNamedIn(shape: Schema, utterance: Utterance): string[] {
  const words = utterance.words.filter(({ token }) => !stopWords.has(token.word));
  return Object.keys(shape.properties ?? {}).filter((key) => {
    const parts = key.split('_').filter((part) => !/^(?:amount|total|name|number|id|date|at|count|percent|status|of)$/.test(part));
    return parts.length > 0 && parts.every((part) => words.some(({ token }) => token.stem === stem(part) || areSynonyms(token.word, part)));
  });
}

export function explainHidden(
  context: ResponseContext,
  entry: IndexedTool,
  { found, wanted }: { found: readonly Row[]; wanted: readonly string[] },
): string {
  const secret = wanted.filter((key) => found.length > 0 && found.every((row) => row[key] === HIDDEN));
  if (secret.length === 0) return '';
  const masks = hiddenFrom(entry.tool, context.person);
  const roles = [
    ...new Set(
      masks
        .filter(({ hides, mask }) => secret.some((key) => areSynonyms(mask, key) || hides.toLowerCase().includes(key.replaceAll('_', ' '))))
        .flatMap(({ shownTo }) => shownTo),
    ),
  ];
  return (
    `${fieldLabel(secret[0] ?? '')} is hidden from you: ` +
    `${roles.length > 0 ? `only ${joinRoles(roles)} may see it` : 'your roles do not include it'}.`
  );
}
