/** Schema migrations: applies each numbered SQL file once, and a policies file whenever it changes. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type pg from 'pg';
import { DatabaseProblem } from '../problem.ts';
import { nameProblem, ownerOf, ruleProblem, securedTables, statementProblem, stateOf } from './domain-rules.ts';

export interface Migration {
  readonly name: string;
  readonly text: string;
  readonly once: boolean;
  /** The domain of the file, which runs as the migration role of that domain. A file without it runs as the owner. */
  readonly domain?: string;
  /** The domain whose schema this platform file creates. */
  readonly creates?: string;
  /** For a policies file: the names of the numbered files before it. A new numbered file makes the policies run again. */
  readonly after?: string;
  /** Names and digests that older versions recorded for this file, if its name or comments changed. */
  readonly formerly?: readonly FormerRecord[];
}

interface FormerRecord {
  readonly name: string;
  readonly digest: string;
}

/** sql/reworded.json: files whose name or comments changed. `statements` is the digest without comments; a test checks it. */
type Reworded = Readonly<Record<string, { readonly statements: string; readonly formerly: readonly FormerRecord[] }>>;

/** The key of the advisory lock. Only one process migrates at a time. */
const LOCK = 7_261_534;

export interface SchemaSource {
  readonly name: string;
  readonly folder: string;
}

/** All files for these domains in the order of application. `root` contains platform/ and reworded.json. */
export function migrations(root: string, domains: readonly SchemaSource[]): Migration[] {
  for (const { name } of domains) {
    const problem = nameProblem(name);
    if (problem !== undefined) throw new DatabaseProblem(problem);
  }
  const platform = { name: 'platform', folder: join(root, 'platform') };
  const read = ({ folder }: SchemaSource, file: string) => readFileSync(join(folder, file), 'utf8');
  const reworded = JSON.parse(readFileSync(join(root, 'reworded.json'), 'utf8')) as Reworded;
  const numberedFiles = (source: SchemaSource): Migration[] =>
    readdirSync(source.folder)
      .filter((file) => /^\d.*\.sql$/.test(file))
      .sort()
      .map((file) => {
        const name = `${source.name}/${file}`;
        const formerly = reworded[name]?.formerly;
        return { name, text: read(source, file), once: true, ...(formerly && { formerly }) };
      });
  return [
    ...numberedFiles(platform),
    ...domains.flatMap((domain) => {
      const numbered = numberedFiles(domain).map((file) => ({ ...file, domain: domain.name }));
      const template = `${domain.name}/platform`;
      const ofDomain = (file: string) => read(platform, file).replaceAll('{{domain}}', domain.name);
      return [
        {
          name: template,
          text: ofDomain('domain.sql'),
          once: true,
          creates: domain.name,
          formerly: reworded['platform/domain.sql']?.formerly.filter(({ name }) => name === template) ?? [],
        },
        { name: `${domain.name}/owner`, text: `call tamshai.take_domain('${domain.name}')`, once: true },
        { name: `${domain.name}/audit_keys`, text: ofDomain('domain_audit_keys.sql'), once: true },
        ...numbered,
        {
          domain: domain.name,
          name: `${domain.name}/policies.sql`,
          text: read(domain, 'policies.sql'),
          once: false,
          after: numbered.map(({ name }) => basename(name)).join(),
        },
      ];
    }),
  ];
}

const digest = ({ text, after = '' }: Pick<Migration, 'text' | 'after'>) =>
  createHash('sha256')
    .update(after + text)
    .digest('hex')
    .slice(0, 32);

/** The record name of policies that a newer version replaced. */
const replacedName = (name: string, stamp: string) => `${name}@${stamp}`;

/**
 * True if the file must be applied. An older version that runs at the same time must not restore policies that a newer version replaced.
 */
function isOpen(file: Migration, applied: ReadonlyMap<string, string>): boolean {
  const stamp = digest(file);
  if (applied.get(file.name) === stamp) return false;
  return file.once ? !wasApplied(file, applied) : !applied.has(replacedName(file.name, stamp));
}

const wasApplied = ({ formerly = [] }: Migration, applied: ReadonlyMap<string, string>) =>
  formerly.some((record) => applied.get(record.name) === record.digest);

/**
 * Applies the missing files as the owner, one transaction per file, while other sessions read and write. Refuses a numbered file that
 * changed after it was applied. `repair` applies policies again that somebody changed by hand.
 */
export async function migrate(owner: pg.ClientBase, files: readonly Migration[], { repair = false } = {}): Promise<string[]> {
  await owner.query(`select pg_advisory_lock(${LOCK})`);
  try {
    await owner.query(`create schema if not exists tamshai;
      create table if not exists tamshai.migrations (name text primary key, digest text not null,
      at timestamptz not null default clock_timestamp())`);
    const { rows } = await owner.query<{ name: string; digest: string }>('select name, digest from tamshai.migrations');
    const applied = new Map(rows.map((row) => [row.name, row.digest]));
    const done: string[] = [];
    for (const file of files) {
      const { name, once } = file;
      const known = applied.get(name);
      const broken = repair && known === digest(file) && (await comparePolicies(owner, file)) !== 'same';
      if (!isOpen(file, applied) && !broken) continue;
      if (once && known !== undefined) throw new Error(`${name} was changed after it had been applied; add a new numbered file instead.`);
      const problem = file.domain === undefined ? undefined : statementProblem(file.text);
      if (problem !== undefined) throw notApplied(file, problem);
      if (file.creates !== undefined) await refuseForeignSchema(owner, file.creates, applied);
      await patiently(LOCKED, () => apply(owner, file, known)).catch((error: Error) => {
        throw file.domain === undefined || error instanceof DatabaseProblem ? error : notApplied(file, error.message, error);
      });
      done.push(name);
    }
    return done;
  } finally {
    await owner.query(`select pg_advisory_unlock(${LOCK})`);
  }
}

/** The schema may belong to another application. The migration would take over its tables. */
async function refuseForeignSchema(owner: pg.ClientBase, domain: string, applied: ReadonlyMap<string, string>): Promise<void> {
  if ([...applied.keys()].some((name) => name.startsWith(`${domain}/`))) return;
  const { rows } = await owner.query('select from pg_namespace where nspname = $1', [domain]);
  if (rows.length > 0)
    throw new DatabaseProblem(
      `The database has a schema ${domain} that Tamshai did not create; give the domain another name, or use another database.`,
    );
}

function notApplied({ name, domain }: Migration, reason: string, cause?: Error): DatabaseProblem {
  const rule =
    (cause as { code?: string } | undefined)?.code === NOT_ALLOWED ? `; SQL of the domain ${domain} may only change its own schema` : '';
  return Object.assign(new DatabaseProblem(`${name} was not applied: ${reason}${rule}.`), { cause });
}

/** The PostgreSQL error code insufficient_privilege. */
const NOT_ALLOWED = '42501';

/** Compares the policies and grants of a domain with the recorded state. Databases of older versions have no such record. */
async function comparePolicies(login: pg.ClientBase, { name, domain, once }: Migration): Promise<'same' | 'changed' | 'unknown'> {
  if (once || domain === undefined) return 'same';
  const { rows } = await login.query<{ state: string | null }>('select state from tamshai.migrations where name = $1', [name]);
  const state = rows[0]?.state ?? null;
  if (state === null) return 'unknown';
  return state === (await stateOf(login, domain)) ? 'same' : 'changed';
}

/**
 * Runs a file as the migration role of its domain, then checks the rules for domain SQL. Inside a SECURITY DEFINER function PostgreSQL
 * refuses to change the role or to end the transaction, also in `do` blocks and triggers.
 */
async function runAsDomain(owner: pg.ClientBase, file: Migration, domain: string): Promise<void> {
  const securedBefore = await securedTables(owner, domain);
  const restoreSettings = await readSettings(owner);
  const runner = `${domain}.tamshai_run(text)`;
  // Deferred triggers of the domain run inside the function too.
  await owner.query(`set local role ${ownerOf(domain)};
    create function ${runner} returns void language plpgsql security definer as
      'begin execute $1; set constraints all immediate; end'`);
  await owner.query(`select ${domain}.tamshai_run($1)`, [file.text]);
  // Settings of the file must not affect the checks or the next file.
  await owner.query(`drop function ${runner}; reset role; reset all`);
  await restoreSettings();
  const problem = await ruleProblem(owner, { domain, securedBefore, complete: !file.once });
  if (problem !== undefined) throw notApplied(file, problem);
}

/** Reads the settings of this session, and returns a function that restores them. pg_settings does not list app.currency. */
async function readSettings(owner: pg.ClientBase): Promise<() => Promise<void>> {
  const { rows } = await owner.query<{ name: string; value: string }>(
    `select name, setting as value from pg_settings where source = 'session' and context = 'user' and name <> 'lock_timeout'
     union all select 'app.currency', current_setting('app.currency', true) where current_setting('app.currency', true) <> ''`,
  );
  return async () => {
    for (const { name, value } of rows) await owner.query('select pg_catalog.set_config($1::text, $2::text, false)', [name, value]);
    await owner.query(SET_LOCK_TIMEOUT);
  };
}

async function apply(owner: pg.ClientBase, file: Migration, known: string | undefined): Promise<void> {
  const { name, text, once, domain } = file;
  await owner.query(`begin; ${SET_LOCK_TIMEOUT}`);
  try {
    await (domain === undefined ? owner.query(text) : runAsDomain(owner, file, domain));
    await owner.query(
      'insert into tamshai.migrations (name, digest) values ($1, $2) on conflict (name) do update ' +
        'set digest = excluded.digest, at = clock_timestamp()',
      [name, digest(file)],
    );
    if (!once && domain !== undefined)
      await owner.query('update tamshai.migrations set state = $2 where name = $1', [name, await stateOf(owner, domain)]);
    if (!once && known !== undefined && known !== digest(file))
      await owner.query('insert into tamshai.migrations (name, digest) values ($1, $2) on conflict (name) do nothing', [
        replacedName(name, known),
        known,
      ]);
    await owner.query('commit');
  } catch (error) {
    await owner.query('rollback');
    throw error;
  }
}

/** The domains whose policies or grants somebody changed by hand. `tamshai migrate` restores them. */
export async function changedSince(login: pg.ClientBase, files: readonly Migration[]): Promise<string[]> {
  const changed: string[] = [];
  if ((await missing(login, files)).length > 0) return changed;
  for (const file of files) if ((await comparePolicies(login, file)) === 'changed') changed.push(file.domain ?? '');
  return changed;
}

/** The files that this database still needs. */
export async function missing(login: pg.ClientBase, files: readonly Migration[]): Promise<string[]> {
  const { rows } = await login.query<{ there: boolean }>("select to_regclass('tamshai.migrations') is not null as there");
  if (!rows[0]?.there) return files.map(({ name }) => name);
  const applied = await login.query<{ name: string; digest: string }>('select name, digest from tamshai.migrations');
  const known = new Map(applied.rows.map((row) => [row.name, row.digest]));
  return files.filter((file) => isOpen(file, known)).map(({ name }) => name);
}

/** The login of the engine's own store (engine-store.ts). */
export const ENGINE_LOGIN = 'tamshai_engine';
/** The login of serving processes. It can only read which files were applied. */
export const SERVING_LOGIN = 'tamshai_serve';

/** Every database role gets a login password, derived from the master key. */
export async function giveLogins(owner: pg.ClientBase, domains: readonly string[], password: (role: string) => string): Promise<void> {
  const { rows } = await owner.query<{ rolname: string }>(
    `select rolname from pg_roles left join tamshai.roles on name = rolname
     where domain = any ($1) and not starts_with(rolname, 'tamshai_') or rolname = any ($2)`,
    [domains, [SERVING_LOGIN, ENGINE_LOGIN]],
  );
  for (const { rolname } of rows) {
    const made = await owner.query<{ statement: string }>(
      "select format('alter role %I login password %L', $1::text, $2::text) as statement",
      [rolname, password(rolname)],
    );
    await patiently(CHANGING, () => owner.query(made.rows[0]?.statement ?? ''));
  }
}

/** Roles belong to the whole server, so another process may change the same role at the same time. */
const CHANGING = { code: 'XX000', attempts: 40, pauseMs: 10 };
/** Another session locked the table for longer than LOCK_WAIT_MS. The pause lets waiting sessions continue. */
const LOCKED = { code: '55P03', attempts: 20, pauseMs: 500 };
const LOCK_WAIT_MS = 2_000;
const SET_LOCK_TIMEOUT = `set local lock_timeout = '${LOCK_WAIT_MS}ms'`;

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
