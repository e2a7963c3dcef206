/** sql/reworded.json: the comments and the name of a migration may change after it was applied, its statements may not. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Migration, migrate, missing } from '../../src/storage/sql/migrate.ts';
import { openPglite } from '../../src/storage/sql/pglite.ts';
import { migrationsOf, platformFolder, schemaFolder } from '../../src/server/schemas.ts';
import { builtIn } from '../registry.ts';

interface Reworded {
  readonly statements: string;
  readonly formerly: readonly { readonly name: string; readonly digest: string }[];
}

const DOMAINS = ['hr', 'finance', 'tasks', 'payroll', 'tax', 'knowledge'];
const reworded = JSON.parse(readFileSync(join(platformFolder, 'reworded.json'), 'utf8')) as Record<string, Reworded>;

/** The statements of a file: without comments, with one space for any white space outside of string literals. */
const statementsOf = (text: string) => text.replace(/('(?:[^']|'')*')|(?:\s|--[^\n]*)+/g, (_, literal?: string) => literal ?? ' ').trim();
const digestOf = (text: string) => createHash('sha256').update(statementsOf(text)).digest('hex').slice(0, 32);

/** The file that a migration such as hr/001_tables.sql names. */
function pathOf(name: string): string {
  const domain = builtIn.domains.find((each) => each.name === dirname(name));
  return domain === undefined ? join(platformFolder, name) : join(schemaFolder(domain), basename(name));
}

describe('the statements of a reworded file', () => {
  test('do not depend on comments and white space', () => {
    expect(statementsOf("-- Why.\nselect 'a -- b',  1; -- it's one\nselect 2\n")).toBe("select 'a -- b', 1; select 2");
    expect(digestOf('select 1 -- one')).toBe(digestOf('-- One.\nselect  1'));
    expect(digestOf("select 'a  b'")).not.toBe(digestOf("select 'a b'"));
  });

  test.each(Object.entries(reworded))('%s has the statements that were applied', (name, { statements }) => {
    expect(digestOf(readFileSync(pathOf(name), 'utf8'))).toBe(statements);
  });
});

test('a database that was migrated with the former files needs only the files that were added later', async () => {
  const database = await openPglite();
  const { owner } = database;
  const files = migrationsOf(builtIn, DOMAINS);
  const isLater = ({ name, once }: Migration) => !once || LATER.test(name);
  await migrate(
    owner,
    files.filter((file) => !isLater(file)),
  );
  for (const [name, { formerly }] of Object.entries(reworded))
    for (const former of formerly) {
      // platform/domain.sql is applied and recorded once for each domain, as <domain>/platform.
      const recorded = name === 'platform/domain.sql' ? former.name : name;
      await owner.query('update tamshai.migrations set name = $2, digest = $3 where name = $1', [recorded, former.name, former.digest]);
    }

  const later = files.filter(isLater).map(({ name }) => name);
  expect(await missing(owner, files)).toEqual(later);
  expect(await migrate(owner, files)).toEqual(later);
  expect(await missing(owner, files)).toEqual([]);
  expect(await migrate(owner, files)).toEqual([]);
  const { rows } = await owner.query<{ name: string }>("select name from tamshai.migrations where name ~ '004_(hands|signatories)'");
  expect(rows).toEqual([{ name: 'finance/004_hands.sql' }]);
  await database.close();
}, 60_000);

test('a former name counts only with the digest of its former text', async () => {
  const database = await openPglite();
  const file: Migration = { name: 'shop/001_b.sql', text: 'select 1', once: true, formerly: [{ name: 'shop/001_a.sql', digest: 'a' }] };
  await migrate(database.owner, []);
  await database.owner.query("insert into tamshai.migrations (name, digest) values ('shop/001_a.sql', 'b')");
  expect(await missing(database.owner, [file])).toEqual(['shop/001_b.sql']);
  await database.close();
}, 60_000);

/** The rename of the signatories was added after the rewording, and the later files of finance build on it. */
const LATER = /^finance\/(?:00[5-9]|0[1-9]\d)_/;
