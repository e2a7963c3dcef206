/** Brings a database to the present schema from the SQL files: numbered files once, policies every time. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';

export interface Migration {
  readonly name: string;
  readonly text: string;
  readonly once: boolean;
  /** What it builds upon: the same rules after a further numbered file are new rules. */
  readonly after?: string;
}

const LOCK = 7_261_534; // any fixed number: two processes that start together must not both migrate

/** All files for these domains, in the order in which they are applied. */
export function migrations(folder: string, domains: readonly string[]): Migration[] {
  const read = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8');
  const platform = readdirSync(join(folder, 'platform'))
    .filter((file) => /^\d.*\.sql$/.test(file))
    .sort();
  return [
    ...platform.map((file) => ({ name: `platform/${file}`, text: read('platform', file), once: true })),
    ...domains.flatMap((domain) => {
      const numbered = readdirSync(join(folder, domain))
        .filter((file) => /^\d.*\.sql$/.test(file))
        .sort();
      return [
        { name: `${domain}/platform`, text: read('platform', 'domain.sql').replaceAll('{{domain}}', domain), once: true },
        ...numbered.map((file) => ({ name: `${domain}/${file}`, text: read(domain, file), once: true })),
        { name: `${domain}/policies.sql`, text: read(domain, 'policies.sql'), once: false, after: numbered.join() },
      ];
    }),
  ];
}

const digest = ({ text, after = '' }: Pick<Migration, 'text' | 'after'>) =>
  createHash('sha256')
    .update(after + text)
    .digest('hex')
    .slice(0, 32);

/** Under this name a text that was in force stays known after another took its place. */
const former = (name: string, stamp: string) => `${name}@${stamp}`;

/**
 * Whether a file has to be applied. What was in force before and was replaced came from an older version than the one whose rules stand
 * now: that version may still run, or start once more, and must not put its own rules back.
 */
function isOpen(file: Migration, applied: ReadonlyMap<string, string>): boolean {
  const stamp = digest(file);
  return applied.get(file.name) !== stamp && (file.once || !applied.has(former(file.name, stamp)));
}

/**
 * Applies what is missing, as the owner, while others go on reading and writing: each file is a transaction of its own that waits for a
 * lock only briefly, so that nobody queues up behind it. A numbered file that was changed after it ran is refused: history is not rewritten.
 */
export async function migrate(owner: pg.ClientBase, files: readonly Migration[]): Promise<string[]> {
  await owner.query(`select pg_advisory_lock(${LOCK})`);
  try {
    await owner.query(`create schema if not exists tamshai;
      create table if not exists tamshai.migrations (name text primary key, digest text not null, at timestamptz not null default clock_timestamp())`);
    const { rows } = await owner.query<{ name: string; digest: string }>('select name, digest from tamshai.migrations');
    const applied = new Map(rows.map((row) => [row.name, row.digest]));
    const done: string[] = [];
    for (const file of files) {
      const { name, once } = file;
      const known = applied.get(name);
      if (!isOpen(file, applied)) continue;
      if (once && known !== undefined) throw new Error(`${name} was changed after it had been applied; add a new numbered file instead.`);
      await patiently(LOCKED, () => apply(owner, file, known));
      done.push(name);
    }
    return done;
  } finally {
    await owner.query(`select pg_advisory_unlock(${LOCK})`);
  }
}

async function apply(owner: pg.ClientBase, file: Migration, known: string | undefined): Promise<void> {
  const { name, text, once } = file;
  await owner.query(`begin; set local lock_timeout = '${LOCK_WAIT_MS}ms'`);
  try {
    await owner.query(text);
    await owner.query(
      'insert into tamshai.migrations (name, digest) values ($1, $2) on conflict (name) do update set digest = excluded.digest, at = clock_timestamp()',
      [name, digest(file)],
    );
    if (!once && known !== undefined)
      await owner.query('insert into tamshai.migrations (name, digest) values ($1, $2) on conflict (name) do nothing', [
        former(name, known),
        known,
      ]);
    await owner.query('commit');
  } catch (error) {
    await owner.query('rollback');
    throw error;
  }
}

/** Files that this database has not seen; reading is all that it needs. */
export async function missing(login: pg.ClientBase, files: readonly Migration[]): Promise<string[]> {
  const { rows } = await login.query<{ there: boolean }>("select to_regclass('tamshai.migrations') is not null as there");
  if (!rows[0]?.there) return files.map(({ name }) => name);
  const applied = await login.query<{ name: string; digest: string }>('select name, digest from tamshai.migrations');
  const known = new Map(applied.rows.map((row) => [row.name, row.digest]));
  return files.filter((file) => isOpen(file, known)).map(({ name }) => name);
}

/** The login of processes that serve: it reads which files were applied, and nothing else. */
export const SERVING_LOGIN = 'tamshai_serve';

/** On a server each database role is a login of its own, with a password derived from the master key. */
export async function giveLogins(owner: pg.ClientBase, domains: readonly string[], password: (role: string) => string): Promise<void> {
  const { rows } = await owner.query<{ rolname: string }>(
    "select rolname from pg_roles where split_part(rolname, '_', 1) = any ($1) or rolname = $2",
    [domains, SERVING_LOGIN],
  );
  for (const { rolname } of rows) {
    const made = await owner.query<{ statement: string }>(
      "select format('alter role %I login password %L', $1::text, $2::text) as statement",
      [rolname, password(rolname)],
    );
    await patiently(CHANGING, () => owner.query(made.rows[0]?.statement ?? ''));
  }
}

/** Roles belong to the whole server: another process may be changing the same one at this very moment. */
const CHANGING = { code: 'XX000', attempts: 40, pauseMs: 10 };
/** Somebody reads or writes the table for longer than we let others wait behind us. */
const LOCKED = { code: '55P03', attempts: 20, pauseMs: 500 };
const LOCK_WAIT_MS = 2_000;

async function patiently({ code, attempts, pauseMs }: typeof CHANGING, work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== code || attempt === attempts) throw error;
      await new Promise((again) => setTimeout(again, pauseMs + Math.random() * 4 * pauseMs));
    }
  }
}
