/** Brings a database to the present schema from the SQL files: numbered files once, policies every time. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';

export interface Migration {
  readonly name: string;
  readonly text: string;
  readonly once: boolean;
}

const LOCK = 7_261_534; // any fixed number: two processes that start together must not both migrate

/** All files for these domains, in the order in which they are applied. */
export function migrations(folder: string, domains: readonly string[]): Migration[] {
  const read = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8');
  const platform = readdirSync(join(folder, 'platform')).filter((file) => /^\d.*\.sql$/.test(file)).sort();
  return [
    ...platform.map((file) => ({ name: `platform/${file}`, text: read('platform', file), once: true })),
    ...domains.flatMap((domain) => [
      { name: `${domain}/platform`, text: read('platform', 'domain.sql').replaceAll('{{domain}}', domain), once: true },
      ...readdirSync(join(folder, domain)).filter((file) => /^\d.*\.sql$/.test(file)).sort().map((file) => ({ name: `${domain}/${file}`, text: read(domain, file), once: true })),
      { name: `${domain}/policies.sql`, text: read(domain, 'policies.sql'), once: false },
    ]),
  ];
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);

/** Applies what is missing, as the owner. A numbered file that was changed after it ran is refused: history is not rewritten. */
export async function migrate(owner: pg.ClientBase, files: readonly Migration[]): Promise<string[]> {
  await owner.query(`select pg_advisory_lock(${LOCK})`);
  try {
    await owner.query(`create schema if not exists tamshai;
      create table if not exists tamshai.migrations (name text primary key, digest text not null, at timestamptz not null default clock_timestamp())`);
    const { rows } = await owner.query<{ name: string; digest: string }>('select name, digest from tamshai.migrations');
    const applied = new Map(rows.map((row) => [row.name, row.digest]));
    const done: string[] = [];
    for (const { name, text, once } of files) {
      const known = applied.get(name);
      if (known === digest(text)) continue;
      if (once && known !== undefined) throw new Error(`${name} was changed after it had been applied; add a new numbered file instead.`);
      await owner.query('begin');
      try {
        await owner.query(text);
        await owner.query('insert into tamshai.migrations (name, digest) values ($1, $2) on conflict (name) do update set digest = excluded.digest, at = clock_timestamp()', [name, digest(text)]);
        await owner.query('commit');
      } catch (error) {
        await owner.query('rollback');
        throw error;
      }
      done.push(name);
    }
    return done;
  } finally {
    await owner.query(`select pg_advisory_unlock(${LOCK})`);
  }
}

/** Files that this database has not seen; reading is all that it needs. */
export async function missing(login: pg.ClientBase, files: readonly Migration[]): Promise<string[]> {
  const { rows } = await login.query<{ there: boolean }>("select to_regclass('tamshai.migrations') is not null as there");
  if (!rows[0]?.there) return files.map(({ name }) => name);
  const applied = await login.query<{ name: string; digest: string }>('select name, digest from tamshai.migrations');
  const known = new Map(applied.rows.map((row) => [row.name, row.digest]));
  return files.filter(({ name, text }) => known.get(name) !== digest(text)).map(({ name }) => name);
}

/** On a server each database role is a login of its own, with a password derived from the master key. */
export async function giveLogins(owner: pg.ClientBase, domains: readonly string[], password: (role: string) => string): Promise<void> {
  const { rows } = await owner.query<{ rolname: string }>("select rolname from pg_roles where split_part(rolname, '_', 1) = any ($1)", [domains]);
  for (const { rolname } of rows) {
    const made = await owner.query<{ statement: string }>("select format('alter role %I login password %L', $1::text, $2::text) as statement", [rolname, password(rolname)]);
    await patiently(() => owner.query(made.rows[0]?.statement ?? ''));
  }
}

/** Roles belong to the whole server: another process may be changing the same one at this very moment. */
async function patiently(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== 'XX000' || attempt === 40) throw error;
      await new Promise((again) => setTimeout(again, 10 + Math.random() * 40));
    }
  }
}
