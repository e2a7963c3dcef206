/** Generates docs/settings.md from the settings schema. */
import { z } from 'zod';
import type { SettingGroup, SettingText } from './settings.ts';

const WIDTH = 140;
const PAGE = 'docs/settings.md';

const INTRO = [
  'Tamshai reads its settings from environment variables. All settings are optional. Without settings, everything runs on this ' +
    'machine with embedded stores.',
  [
    '```sh',
    'DATABASE_URL=postgres://owner:…@db/tamshai npx tamshai migrate',
    'DATABASE_URL=postgres://db/tamshai REDIS_URL=redis://cache npm start',
    '```',
  ].join('\n'),
  'A process does not start with a wrong value or an unknown setting, and prints what to change. An empty value counts as not set. ' +
    '`npx tamshai doctor` checks the settings, and the servers that they name.',
];
const URLS =
  'URLs of stores (`*DATABASE_URL`, `*MONGODB_URL`, `*ELASTICSEARCH_URL`, `REDIS_URL`) may contain a user and a password. Other ' +
  'URLs must not. Percent-encode special characters of a password: `%20` for a space, `%23` for `#`.';

function wrapped(paragraph: string): string {
  if (paragraph.startsWith('```')) return paragraph;
  const lines: string[] = [];
  // A link or a piece of code stays on one line.
  for (const word of paragraph.match(/(?:\[[^\]]*\]\([^)]*\)|`[^`]*`|\S)+/g) ?? []) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');

/** Returns the default in the schema, also for a setting that is transformed. */
function schemaDefault(schema: z.ZodType): string | undefined {
  if (schema instanceof z.ZodPipe) return schemaDefault(schema.def.in as z.ZodType);
  if (!(schema instanceof z.ZodDefault)) return undefined;
  const value: unknown = schema.def.defaultValue;
  return /^\d+$/.test(String(value)) ? String(value) : `\`${String(value)}\``;
}

interface Row {
  readonly names: string[];
  readonly defaults: Set<string>;
  readonly meaning: string;
}

/** Settings that share a meaning share a row. */
function rowsOf({ settings }: SettingGroup): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const [name, schema] of Object.entries(settings)) {
    const { meaning, default: described, unlisted = false } = (schema.meta() ?? {}) as SettingText;
    if (unlisted) continue;
    if (meaning === undefined) throw new Error(`${name} has no meaning; give it one in .meta()`);
    const row = rows.get(meaning) ?? { names: [], defaults: new Set<string>(), meaning };
    row.names.push(`\`${name}\``);
    row.defaults.add(described ?? schemaDefault(schema) ?? 'none');
    rows.set(meaning, row);
  }
  return [...rows.values()];
}

function section(group: SettingGroup): string {
  const rows = rowsOf(group).map(({ names, defaults, meaning }) => `| ${names.join(', ')} | ${[...defaults].join(', ')} | ${meaning} |`);
  const table = ['| name | default | meaning |', '|---|---|---|', ...rows].join('\n');
  return [`## ${group.title}`, ...(group.before ?? []).map(wrapped), table, ...(group.after ?? []).map(wrapped)].join('\n\n');
}

/** Returns the path in the package and the text. */
export function settingsPage(settingGroups: readonly SettingGroup[]): readonly [path: string, text: string] {
  const links = settingGroups.map(({ title }) => `[${title.charAt(0).toLowerCase()}${title.slice(1)}](#${anchorOf(title)})`);
  const parts = [
    '<!-- Generated from src/server/settings.ts by `npm run contracts`. -->',
    '# Settings',
    ...INTRO.map(wrapped),
    wrapped(`Groups: ${links.join(', ')}.`),
    wrapped(URLS),
    ...settingGroups.map(section),
  ];
  return [PAGE, `${parts.join('\n\n')}\n`];
}
