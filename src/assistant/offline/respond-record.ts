/** Puts one record into words. */
import { HIDDEN } from '../../core/display.ts';
import type { Reading } from './annotate.ts';
import { type Entry, rowOf } from './index-tools.ts';
import { asked, hidden, lowered, type Speaking, strong, titleOf } from './respond-fields.ts';
import type { Row } from './rows.ts';
import { isId, type Schema, solid } from './schema.ts';
import { cell, label, table, value } from './table.ts';
import { alike } from './thesaurus.ts';

export function one(speaking: Speaking, entry: Entry, row: Row, reading: Reading): string {
  const shape = entry.row;
  const wanted = asked(shape, reading);
  const secret = hidden(speaking, entry, [row], wanted);
  const simple = Object.keys(row).filter((key) => typeof row[key] !== 'object' && row[key] !== null && !isId(key));
  const title = titleOf(row);
  const first = wanted.filter((key) => simple.includes(key) && row[key] !== HIDDEN);
  const nested = Object.entries(row).filter(([, inner]) => inner !== null && typeof inner === 'object');
  // "Year to date" is what "ytd" holds.
  const meant = nested.find(
    ([key, inner]) =>
      !Array.isArray(inner) &&
      key.length === 3 &&
      new RegExp(`\\b${[...key].map((letter) => `${letter}\\w*`).join(' ')}\\b|\\b${key}\\b`, 'i').test(reading.text),
  );
  const within = meant
    ? asked(solid(shape.properties?.[meant[0]]), reading).filter((key) => typeof (meant[1] as Row)[key] === 'number')
    : [];
  if (meant && within.length > 0)
    return one(speaking, entry, Object.fromEntries(Object.entries(row).filter(([key]) => key !== meant[0])), {
      ...reading,
      words: [],
    }).replace(
      /^[^\n]*/,
      `${title ? `${title}, ` : ''}${lowered(label(meant[0]))}: ${within.map((key) => `${lowered(label(key))} ${strong(value((meant[1] as Row)[key], solid(shape.properties?.[meant[0]]).properties?.[key], key))}`).join(', ')}.`,
    );
  const matched = nested.flatMap(([key, inner]) => inside(key, inner, shape, reading));
  const lead =
    first.length > 0
      ? `${title ? `${title}: ` : ''}${first.map((key, at) => `${at === 0 && !title ? label(key) : lowered(label(key))} ${strong(value(row[key], shape.properties?.[key], key))}`).join(', ')}.`
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
        `- ${label(key)}: ${key === 'content' || key === 'description' ? cell(String(row[key])) : value(row[key], shape.properties?.[key], key)}`,
    );
  const parts = nested.map(([key, inner]) => part(key, inner, solid(shape.properties?.[key]), reading)).filter((text) => text !== '');
  return [secret, lead || (title === '' ? `${entry.tool.title}:` : `${title}:`), facts.join('\n'), ...parts]
    .filter((text) => text !== '')
    .join('\n\n');
}

/** A row of a list inside that the question names: "how many sick days": the one of that type. */
function inside(key: string, inner: unknown, shape: Schema, reading: Reading): string[] {
  const rowsHere = Array.isArray(inner) ? inner.filter((each): each is Row => each !== null && typeof each === 'object') : [];
  const own = rowOf(solid(shape.properties?.[key]));
  return rowsHere
    .flatMap((row) => {
      const kind = Object.entries(row).find(
        ([field, given]) =>
          typeof given === 'string' &&
          solid(own.properties?.[field]).enum &&
          reading.words.some(({ token }) => token.word === given.toLowerCase() || alike(token.word, given.toLowerCase())),
      );
      if (!kind) return [];
      const figures = Object.entries(row)
        .filter(([, given]) => typeof given === 'number')
        .map(([field, given]) => `${lowered(label(field))} ${value(given, own.properties?.[field], field)}`);
      return [
        `${value(kind[1], own.properties?.[kind[0]], kind[0]).replace(/^./, (letter) => letter.toUpperCase())}: ${figures.join(', ')}`,
      ];
    })
    .slice(0, 3);
}
function part(key: string, inner: unknown, schema: Schema, reading: Reading): string {
  if (Array.isArray(inner)) {
    if (inner.length === 0) return '';
    if (inner.every((each) => each === null || typeof each !== 'object')) return `${label(key)}: ${cell(inner.slice(0, 20).join(', '))}`;
    const found = inner.filter((each): each is Row => each !== null && typeof each === 'object').slice(0, 25);
    const shape = rowOf(schema);
    if (found.some((row) => Array.isArray(row[key]))) return tree(found, key, 0).slice(0, 60).join('\n');
    return `**${label(key)}**\n\n${table(shape, found, asked(shape, reading))}`;
  }
  const row = inner as Row;
  const facts = Object.entries(row)
    .filter(([field, given]) => given !== null && typeof given !== 'object' && !isId(field))
    .map(([field, given]) => `${lowered(label(field))} ${value(given, schema.properties?.[field], field)}`);
  return facts.length > 0 ? `- ${label(key)}: ${facts.join(', ')}` : '';
}
/** What nests in itself, such as an org chart: by indentation. */
function tree(found: readonly Row[], key: string, depth: number): string[] {
  return found.flatMap((row) => {
    const count = Object.entries(row).find(([field, given]) => /count/.test(field) && typeof given === 'number' && given > 0);
    const facts = ['title', 'department']
      .map((field) => row[field])
      .filter((given) => typeof given === 'string')
      .join(', ');
    const line = `${'  '.repeat(depth)}- ${titleIn(row)}${facts ? ` – ${cell(facts)}` : ''}${count ? ` (${String(count[1])})` : ''}`;
    const below = row[key];
    return [
      line,
      ...(Array.isArray(below) && depth < 6
        ? tree(
            below.filter((each): each is Row => typeof each === 'object'),
            key,
            depth + 1,
          )
        : []),
    ];
  });
}
const titleIn = (row: Row): string => (typeof row['name'] === 'string' ? cell(row['name']) : titleOf(row));
