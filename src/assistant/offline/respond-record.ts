/** Words one record as an answer. */
import { HIDDEN } from '../../declare/display.ts';
import type { Utterance } from './annotate.ts';
import { type IndexedTool, rowOf } from './index-tools.ts';
import { requestedFields, explainHidden, lowerFirst, type ResponseContext, bold, displayName } from './respond-fields.ts';
import type { Row } from './rows.ts';
import { isId, type Schema, unwrapUnion } from './schema.ts';
import { escapeMarkdown, fieldLabel, renderTable, formatValue } from './table.ts';
import { areSynonyms } from './thesaurus.ts';

export function describeRecord(
  context: ResponseContext,
  entry: IndexedTool,
  { row, utterance }: { row: Row; utterance: Utterance },
): string {
  const shape = entry.rowSchema;
  const wanted = requestedFields(shape, utterance);
  const secret = explainHidden(context, entry, { found: [row], wanted });
  const simple = Object.keys(row).filter((key) => typeof row[key] !== 'object' && row[key] !== null && !isId(key));
  const title = displayName(row);
  const first = wanted.filter((key) => simple.includes(key) && row[key] !== HIDDEN);
  const nested = Object.entries(row).filter(([, inner]) => inner !== null && typeof inner === 'object');
  // "Year to date" asks for the nested object `ytd`.
  const meant = nested.find(
    ([key, inner]) =>
      !Array.isArray(inner) &&
      key.length === 3 &&
      new RegExp(`\\b${[...key].map((letter) => `${letter}\\w*`).join(' ')}\\b|\\b${key}\\b`, 'i').test(utterance.text),
  );
  const within = meant
    ? requestedFields(unwrapUnion(shape.properties?.[meant[0]]), utterance).filter((key) => typeof (meant[1] as Row)[key] === 'number')
    : [];
  if (meant && within.length > 0)
    return describeRecord(context, entry, {
      row: Object.fromEntries(Object.entries(row).filter(([key]) => key !== meant[0])),
      utterance: {
        ...utterance,
        words: [],
      },
    }).replace(
      /^[^\n]*/,
      `${title ? `${title}, ` : ''}${lowerFirst(fieldLabel(meant[0]))}: ${within.map((key) => `${lowerFirst(fieldLabel(key))} ${bold(formatValue((meant[1] as Row)[key], unwrapUnion(shape.properties?.[meant[0]]).properties?.[key], key))}`).join(', ')}.`,
    );
  const matched = nested.flatMap(([key, inner]) => describeMatchingRows(key, inner, { shape, utterance }));
  const lead =
    first.length > 0
      ? `${title ? `${title}: ` : ''}${first.map((key, at) => `${at === 0 && !title ? fieldLabel(key) : lowerFirst(fieldLabel(key))} ${bold(formatValue(row[key], shape.properties?.[key], key))}`).join(', ')}.`
      : matched.length > 0
        ? `${matched.join('; ')}.`
        : '';
  const shown = simple.filter(
    (key) =>
      !/^(?:created_at|updated_at|active|first_name|last_name)$/.test(key) && !(title !== '' && /^(?:name|title|subject)$/.test(key)),
  );
  const facts = shown
    .filter((key) => !first.includes(key))
    .slice(0, 16)
    .map(
      (key) =>
        `- ${fieldLabel(key)}: ${key === 'content' || key === 'description' ? escapeMarkdown(String(row[key])) : formatValue(row[key], shape.properties?.[key], key)}`,
    );
  const parts = nested
    .map(([key, inner]) => describeNested(key, inner, { schema: unwrapUnion(shape.properties?.[key]), utterance }))
    .filter((text) => text !== '');
  return [secret, lead || (title === '' ? `${entry.tool.title}:` : `${title}:`), facts.join('\n'), ...parts]
    .filter((text) => text !== '')
    .join('\n\n');
}

/** "How many sick days" selects the row of that type in a nested list. */
function describeMatchingRows(key: string, inner: unknown, { shape, utterance }: { shape: Schema; utterance: Utterance }): string[] {
  const rowsHere = Array.isArray(inner) ? inner.filter((each): each is Row => each !== null && typeof each === 'object') : [];
  const own = rowOf(unwrapUnion(shape.properties?.[key]));
  return rowsHere
    .flatMap((row) => {
      const kind = Object.entries(row).find(
        ([field, given]) =>
          typeof given === 'string' &&
          unwrapUnion(own.properties?.[field]).enum &&
          utterance.words.some(({ token }) => token.word === given.toLowerCase() || areSynonyms(token.word, given.toLowerCase())),
      );
      if (!kind) return [];
      const figures = Object.entries(row)
        .filter(([, given]) => typeof given === 'number')
        .map(([field, given]) => `${lowerFirst(fieldLabel(field))} ${formatValue(given, own.properties?.[field], field)}`);
      return [
        `${formatValue(kind[1], own.properties?.[kind[0]], kind[0]).replace(/^./, (letter) => letter.toUpperCase())}: ${figures.join(', ')}`,
      ];
    })
    .slice(0, 3);
}
function describeNested(key: string, inner: unknown, { schema, utterance }: { schema: Schema; utterance: Utterance }): string {
  if (Array.isArray(inner)) {
    if (inner.length === 0) return '';
    if (inner.every((each) => each === null || typeof each !== 'object'))
      return `${fieldLabel(key)}: ${escapeMarkdown(inner.slice(0, 20).join(', '))}`;
    const found = inner.filter((each): each is Row => each !== null && typeof each === 'object').slice(0, 25);
    const shape = rowOf(schema);
    if (found.some((row) => Array.isArray(row[key]))) return renderTree(found, key, 0).slice(0, 60).join('\n');
    return `**${fieldLabel(key)}**\n\n${renderTable(shape, found, { wanted: requestedFields(shape, utterance) })}`;
  }
  const row = inner as Row;
  const facts = Object.entries(row)
    .filter(([field, given]) => given !== null && typeof given !== 'object' && !isId(field))
    .map(([field, given]) => `${lowerFirst(fieldLabel(field))} ${formatValue(given, schema.properties?.[field], field)}`);
  return facts.length > 0 ? `- ${fieldLabel(key)}: ${facts.join(', ')}` : '';
}
/** Renders nested rows, such as an org chart, by indentation. */
function renderTree(found: readonly Row[], key: string, depth: number): string[] {
  return found.flatMap((row) => {
    const count = Object.entries(row).find(([field, given]) => /count/.test(field) && typeof given === 'number' && given > 0);
    const facts = ['title', 'department']
      .map((field) => row[field])
      .filter((given) => typeof given === 'string')
      .join(', ');
    const line = `${'  '.repeat(depth)}- ${treeLabel(row)}${facts ? ` – ${escapeMarkdown(facts)}` : ''}${count ? ` (${String(count[1])})` : ''}`;
    const below = row[key];
    return [
      line,
      ...(Array.isArray(below) && depth < 6
        ? renderTree(
            below.filter((each): each is Row => typeof each === 'object'),
            key,
            depth + 1,
          )
        : []),
    ];
  });
}
const treeLabel = (row: Row): string => (typeof row['name'] === 'string' ? escapeMarkdown(row['name']) : displayName(row));
