/** Plants hostile text in every stored field that an answer declares untrusted, and canaries in private fields, with triggers disabled. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { schemaWithOrigins } from '../../src/derive/answers.ts';
import type { Registry } from '../../src/engine/registry.ts';
import type { AnyDomain, Tool } from '../../src/declare/tool.ts';
import { personas } from '../../domains/sample-company/people.ts';
import { supportSample } from '../../domains/support/sample/index.ts';
import { textFields } from '../../src/testing/text-fields.ts';
import { SAMPLE_DAY, type TestRuntime } from '../test-runtime.ts';
import { hostileTexts } from './corpus.ts';

type Row = Readonly<Record<string, unknown>>;

export const untrustedPaths = (tool: Tool): readonly string[] =>
  textFields(schemaWithOrigins(tool))
    .filter(({ origin }) => origin === 'untrusted')
    .map(({ path }) => path);

/** Everything that returns data: tools, resources, prompts and the completions of their arguments. */
export const answering = ({ tools, resources, prompts }: Registry): readonly Tool[] => [
  ...tools,
  ...[...resources, ...prompts].flatMap(({ tool, completions }) => [tool, ...Object.values(completions)]),
];

/** The stored field of a path: `city` for `data[].address.city`. */
const leafOf = (path: string) =>
  path
    .replace(/(\[\]|\{\}|\{key\})+$/, '')
    .split('.')
    .at(-1) ?? path;
const namesIn = (registry: Registry, domain: AnyDomain): ReadonlySet<string> =>
  new Set(
    answering(registry)
      .filter((tool) => tool.domain === domain)
      .flatMap((tool) => untrustedPaths(tool).map(leafOf)),
  );

/** A marker in private data that only its owner or few people may read, such as `KEEP-jane.smith-ticket`. */
export const canary = (username: string, what: string): string => `KEEP-${username.split('@')[0] ?? ''}-${what}`;

export const EMPLOYEES = 120;
export async function plant(testRuntime: TestRuntime, registry: Registry): Promise<void> {
  const next = hostileTexts();
  // Creates and undoes a triple, so that the history of the knowledge base contains an undone change.
  await testRuntime.data('nina.patel', 'knowledge', 'relate', { subject: 'a thing', predicate: 'replaces', object: 'another' });
  await testRuntime.data('nina.patel', 'knowledge', 'undo');
  // Triggers could refuse or change the hostile text, so they are disabled.
  await testRuntime.owner('set session_replication_role = replica');
  for (const domain of registry.domains) {
    const names = namesIn(registry, domain);
    if (domain.store === 'sql') await plantTables(testRuntime, domain.name, names, next);
    if (domain.store === 'documents') await plantDocuments(testRuntime, domain, names, next);
    if (domain.name === 'support') await plantSupport(testRuntime, names, next);
  }
  await plantCanaries(testRuntime);
  await testRuntime.owner('set session_replication_role = origin');
}

async function plantTables(testRuntime: TestRuntime, domain: string, names: ReadonlySet<string>, next: () => string): Promise<void> {
  const columns = await testRuntime.owner(
    `select table_name, column_name, data_type
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = $1 and table_type = 'BASE TABLE' and is_generated = 'NEVER' and column_name = any ($2)
       and data_type in ('text', 'ARRAY', 'jsonb')
       and table_name not in ('audit', 'effects')
     order by 1, 2`,
    // A view may show the column `by_name` as `by`.
    [domain, [...names].flatMap((name) => [name, `${name}_name`])],
  );
  const texts = Array.from({ length: 200 }, next);
  for (const { table_name, column_name, data_type } of columns) {
    const text = `($1::text[])[1 + abs(hashtext('${String(column_name)}' || t::text)) % 200]`;
    // A predicate must be one word.
    const value =
      data_type === 'ARRAY'
        ? `array[${text}]`
        : data_type === 'jsonb'
          ? `jsonb_build_object('note', ${text})`
          : column_name === 'predicate'
            ? `regexp_replace(${text}, '\\s+', '_', 'g')`
            : text;
    const update = `update ${domain}.${String(table_name)} t set ${String(column_name)} = ${value}`;
    // Rows without a value get one too, unless a constraint refuses it.
    await testRuntime.owner(update, [texts]).catch(() => testRuntime.owner(`${update} where ${String(column_name)} is not null`, [texts]));
  }
}

/** The row with hostile text in every field of these names, at any depth. */
function planted(row: Row, names: ReadonlySet<string>, next: () => string): Row {
  const value = (key: string, given: unknown): unknown => {
    if (Array.isArray(given)) return given.map((each) => (typeof each === 'string' ? value(key, each) : value('', each)));
    if (typeof given === 'object' && given !== null) return planted(given as Row, names, next);
    return names.has(key) && (typeof given === 'string' || given === null) ? next() : given;
  };
  return Object.fromEntries(Object.entries(row).map(([key, each]) => [key, value(key, each)]));
}

async function plantDocuments(testRuntime: TestRuntime, domain: AnyDomain, names: ReadonlySet<string>, next: () => string): Promise<void> {
  const database = testRuntime.documents(domain.name);
  for (const collection of Object.keys(domain.collections as object)) {
    const rows = await database.find(collection, {}, { sort: { _id: 1 }, limit: 100_000, hide: [] });
    await database.empty([collection]);
    await database.fill(collection, rows.map(({ row_version: _version, ...row }) => planted(row, names, next)) as never, () => {});
  }
}

async function plantSupport(testRuntime: TestRuntime, names: ReadonlySet<string>, next: () => string): Promise<void> {
  const backend = testRuntime.search('support');
  await backend.empty();
  const owners = new Map(personas.map(({ sub, username }) => [sub, username]));
  for (const { name, documents } of supportSample({ employees: EMPLOYEES, today: SAMPLE_DAY })) {
    const rows = [...(documents() as Iterable<Row>)].map((row) => {
      const owner = owners.get(String(row['contact_id']));
      const hostile = planted(row, names, next);
      if (name !== 'tickets' || row['visibility'] !== 'private' || owner === undefined) return hostile;
      return { ...hostile, description: canary(owner, 'ticket') };
    });
    await backend.loader.fill(name, rows, () => {});
  }
}

async function plantCanaries(testRuntime: TestRuntime): Promise<void> {
  for (const { username, sub, realm } of personas) {
    if (realm !== 'staff') continue;
    await testRuntime.data(username, 'tasks', 'add_task', { title: canary(username, 'task'), description: 'Only for its owner.' });
    await testRuntime.owner("update hr.contact set home_address = $2 || ' ' || home_address where employee_id = $1", [
      sub,
      canary(username, 'address'),
    ]);
    await testRuntime.owner('update hr.identity set ssn = $2 where employee_id = $1', [sub, canary(username, 'ssn')]);
  }
}

/** Writes a journey folder of decisions, failures and other records that consist of hostile text. */
export async function hostileJourney(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tamshai-hostile-'));
  const next = hostileTexts();
  const plain = () => next().replaceAll(/[,;(\n]/g, ' ');
  for (const [n, kind] of ['adr', 'failure', 'pivot', 'lesson', 'recovery', 'adr', 'failure', 'pivot'].entries()) {
    const head = [
      `# ${kind === 'adr' ? 'ADR' : kind} ${n + 1}: ${plain()}`,
      '',
      kind === 'adr' ? `- Status: ${plain()}, ${plain()}` : `- When: ${plain()}`,
      `- Component: ${plain()}`,
      `- Topic: ${plain()}`,
      `- Version: ${plain()}`,
      `- From: ${plain()}`,
      `- To: ${plain()}`,
      '',
      next(),
      '',
      `Lesson: ${next()}`,
    ];
    await writeFile(join(folder, `${kind}-000${n + 1}-hostile.md`), `${head.join('\n')}\n`);
  }
  return folder;
}
