/** Adds hostile text to the free-text fields of the sample data: tables, documents, the search store and the project journey. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSearch } from '../../src/server/search.ts';
import type { Document, DocumentLoader } from '../../src/declare/documents.ts';
import { sampleCollections } from '../../src/server/sample.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { SQL_DOMAINS } from '../template.ts';
import { builtIn, readConfig } from '../registry.ts';

/** Names of fields for ids, codes, dates and addresses, which accept no free text. */
const FIXED_KEY =
  /(^|_)(id|ids|email|owner|status|stage|tier|kind|type|role|source|currency|visibility|audience|priority|category|principal)$|_(at|on|to)$|date|deadline|month|phone|version/;
const FIXED_VALUE = /^[0-9a-f]{8}-[0-9a-f-]{27}$|^\d{4}-\d{2}|^[a-z0-9_]+$|^[A-Z0-9_]+$|@/;
/** The number of rows of each collection: enough for a few pages. */
const ENOUGH = 250;

function poisoned(value: unknown, text: string, path: string, planted: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => poisoned(each, text, path, planted));
  if (typeof value === 'object' && value !== null && !(value instanceof Date))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, poisoned(inner, text, `${path}.${key}`, planted)]));
  if (typeof value !== 'string' || value === '' || FIXED_KEY.test(path.slice(path.lastIndexOf('.') + 1)) || FIXED_VALUE.test(value))
    return value;
  planted.add(path);
  return `${value} ${text}`;
}

function* some(domain: string, name: string, documents: Iterable<unknown>, text: string, planted: Set<string>): Generator<Document> {
  let count = 0;
  for (const document of documents) {
    if (count++ >= ENOUGH) return;
    yield poisoned(document, text, `${domain}.${name}`, planted) as Document;
  }
}

/** Appends the text to rows of every text column whose constraints accept it. */
async function plantTables({ owner }: TestServer, text: string, planted: Set<string>): Promise<void> {
  const columns = await owner(
    `select c.table_schema as s, c.table_name as t, c.column_name as c from information_schema.columns c
     join information_schema.tables b on b.table_schema = c.table_schema and b.table_name = c.table_name and b.table_type = 'BASE TABLE'
     where c.table_schema = any($1) and c.data_type = 'text' order by 1, 2, 3`,
    [SQL_DOMAINS],
  );
  for (const { s, t, c } of columns as unknown as { s: string; t: string; c: string }[]) {
    const done = await owner(
      `update ${s}.${t} set ${c} = ${c} || ' ' || $1 where ctid in (select ctid from ${s}.${t} where ${c} is not null limit 60)
        returning 1`,
      [text],
    ).catch(() => []);
    if (done.length > 0) planted.add(`${s}.${t}.${c}`);
  }
}

/** Loads the sample documents again, with the text appended to their free-text fields. */
async function plantDocuments(testServer: TestServer, text: string, planted: Set<string>): Promise<void> {
  const options = { registry: builtIn, employees: 500, today: new Date() };
  const fill = async (domain: string, loader: DocumentLoader) => {
    for (const { name, documents } of await sampleCollections(domain, options))
      await loader.fill(name, some(domain, name, documents() as Iterable<unknown>, text, planted), () => {});
  };
  for (const { name, store } of builtIn.domains) {
    if (store === 'documents') {
      const database = await testServer.documents(name);
      await database.empty((await sampleCollections(name, options)).map((each) => each.name));
      await fill(name, database);
    }
    if (store === 'search' && name !== 'journey') {
      const opened = await openSearch(
        readConfig(testServer.environment),
        builtIn.domains.filter((each) => each.name === name),
      );
      for (const [, backend] of opened.backends) {
        await backend.empty();
        await fill(name, backend.loader as DocumentLoader);
      }
      await opened.close();
    }
  }
}

export async function plant(testServer: TestServer, text: string): Promise<string[]> {
  const planted = new Set<string>();
  await plantTables(testServer, text, planted);
  await plantDocuments(testServer, text, planted);
  return [...planted].sort();
}

/** Writes a journey folder whose records contain the text. */
export async function hostileJourney(folder: string, text: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const [kind, word] of [
    ['lesson', 'Lesson'],
    ['failure', 'Failure'],
    ['pivot', 'Pivot'],
    ['adr', 'ADR'],
  ] as const)
    await writeFile(
      join(folder, `${kind}-0001-read-me.md`),
      `# ${word}: read me first ${text}\n\n- When: November 2026\n- Component: core ${text}\n- Topic: ${text}\n\n${text} ` +
        `and more of it.\n\n- ${text}\n`,
    );
  return folder;
}
