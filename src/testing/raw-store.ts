/** Raw access to the store of a domain, without tools and row policies: one interface for all kinds of store. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { openDocuments } from '../server/documents.ts';
import { openSearch } from '../server/search.ts';
import { createChainWriter, type Head } from '../engine/audit/chain.ts';
import { filters, is } from '../declare/filter.ts';
import { systemPerson } from '../declare/people.ts';
import type { AuditChains } from '../engine/ports.ts';
import type { Store, StoreSession } from '../engine/store.ts';
import type { AnyDomain } from '../declare/tool.ts';
import { createDocumentStore, type Collections } from '../storage/documents/store.ts';
import type { TestServer } from './test-server.ts';

export type Row = Readonly<Record<string, unknown>>;
/** A row with a version number. */
export interface VersionedRow {
  readonly table: string;
  readonly key: Row;
  readonly values: Row;
}

export interface RawStore {
  /** The versioned rows whose key contains one of these ids. */
  rowsOf(ids: readonly string[]): Promise<VersionedRow[]>;
  /** The names of the key fields of versioned rows. */
  keys(): Promise<ReadonlySet<string>>;
  /** Changes the row like a tool does: its version number increases. */
  touch(row: VersionedRow): Promise<void>;
  /** The number of effects of a ticket, and the number of its records in the domain's audit chain. */
  effectsOf(confirmationId: string): Promise<{ effects: number; records: number }>;
  /** A digest of all rows. */
  fingerprint(): Promise<string>;
  /** The audit log as text. */
  auditLog(): Promise<string>;
  /** Saves all rows; the returned function restores them. */
  snapshot(): Promise<() => Promise<void>>;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const opened = new WeakMap<TestServer, Map<AnyDomain, Promise<RawStore>>>();
/**
 * Opens one raw store per test server and domain, and closes it with the server. The fingerprint leaves out the `ignored` tables, which
 * background work changes.
 */
export function openRawStore(testServer: TestServer, domain: AnyDomain, ignored: readonly string[] = []): Promise<RawStore> {
  const known = opened.get(testServer) ?? new Map<AnyDomain, Promise<RawStore>>();
  opened.set(testServer, known);
  const store =
    known.get(domain) ??
    (domain.store === 'sql' ? Promise.resolve(sqlRawStore(testServer, domain, ignored)) : collectionsRawStore(testServer, domain));
  known.set(domain, store);
  return store;
}

/** Reads the catalogue once, because the tests do not change the schema. */
function memoise<T>(read: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined;
  return () => (known ??= read());
}

function sqlRawStore(testServer: TestServer, { name: domain }: AnyDomain, ignored: readonly string[]): RawStore {
  /** The tables with versioned rows, and the columns of their keys. */
  const versioned = memoise(async () => {
    const rows = await testServer.owner(
      `select k.table_name, string_agg(k.column_name, ',') as keys, string_agg(k.column_name,
        ',') filter (where c.data_type = 'uuid') as uuids
       from information_schema.table_constraints p join information_schema.key_column_usage k using (constraint_schema,
       constraint_name, table_name)
       join information_schema.columns c on c.table_schema = p.table_schema and c.table_name = k.table_name
       and c.column_name = k.column_name
       where p.table_schema = $1 and p.constraint_type = 'PRIMARY KEY'
         and exists (select from information_schema.columns v where v.table_schema = p.table_schema and v.table_name = k.table_name
         and v.column_name = 'row_version')
       group by k.table_name order by 1`,
      [domain],
    );
    const list = (names: unknown) => (typeof names === 'string' ? names.split(',') : []);
    return rows.map(({ table_name, keys, uuids }) => ({ table: `${domain}.${String(table_name)}`, keys: list(keys), uuids: list(uuids) }));
  });
  /** The number of rows and the sum of their hashes, because a digest of their text would need sorting. */
  const digest = memoise(async () => {
    const tables = await testServer.owner(
      "select table_name from information_schema.tables where table_schema = $1 and table_type = 'BASE TABLE' " +
        "and table_name not in ('effects', 'audit') order by 1",
      [domain],
    );
    const parts = tables
      .map(({ table_name: table }) => `${domain}.${String(table)}`)
      .filter((table) => !ignored.includes(table))
      .map((table) => `(select count(*) || ':' || coalesce(sum(hash_record_extended(t, 0)::numeric), 0) from ${table} t)`);
    return `select concat_ws('-', ${parts.join(', ')}) as all_rows`;
  });
  return {
    async rowsOf(ids) {
      const known = ids.filter((id) => UUID.test(id));
      const found: VersionedRow[] = [];
      for (const { table, keys, uuids } of await versioned()) {
        if (uuids.length === 0 || known.length === 0) continue;
        const rows = await testServer.owner(
          `select * from ${table} where ${uuids.map((column) => `${column} = any ($1)`).join(' or ')} order by ${keys.join(', ')}`,
          [known],
        );
        found.push(...rows.map((values) => ({ table, values, key: Object.fromEntries(keys.map((column) => [column, values[column]])) })));
      }
      return found;
    },
    keys: async () => new Set((await versioned()).flatMap(({ keys }) => keys)),
    async touch({ table, key }) {
      const columns = Object.keys(key);
      await testServer.owner(
        `update ${table} set row_version = row_version where ${columns.map((column, at) => `${column} = $${at + 1}`).join(' and ')}`,
        Object.values(key),
      );
    },
    async effectsOf(id) {
      const [effects] = await testServer.owner(
        `select count(*)::int as count from ${domain}.effects where confirmation_id = $1 and result is not null`,
        [id],
      );
      const [records] = await testServer.owner(`select count(*)::int as count from ${domain}.audit where body like '%' || $1 || '%'`, [id]);
      return { effects: Number(effects?.['count']), records: Number(records?.['count']) };
    },
    async fingerprint() {
      const [row] = await testServer.owner(await digest());
      return String(row?.['all_rows']);
    },
    auditLog: async () => JSON.stringify(await testServer.owner(`select body from ${domain}.audit`)),
    snapshot: () => sqlSnapshot(testServer, domain),
  };
}

const ATTEMPTS = 5;

async function sqlSnapshot(testServer: TestServer, domain: string): Promise<() => Promise<void>> {
  const columns = await testServer.owner(
    `select table_schema || '.' || table_name as name, string_agg(quote_ident(column_name), ', ' order by ordinal_position) as columns
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = $1 and table_type = 'BASE TABLE' and is_generated = 'NEVER' group by 1 order by 1`,
    [domain],
  );
  // Effects and audit records stay, because the chains must continue.
  const tables = columns
    .map((row) => ({ name: String(row['name']), columns: String(row['columns']) }))
    .filter(({ name }) => !/\.(effects|audit)$/.test(name));
  const kept = `kept_${domain}`;
  const copy = (name: string) => `${kept}.${name.split('.')[1]}__copy`;
  // A trigger notes each changed table, so that only these tables are restored.
  await testServer.owner(`create schema ${kept}; create table ${kept}.written (name text primary key);
    create function ${kept}.note() returns trigger language plpgsql security definer as $$
    begin insert into ${kept}.written values (tg_table_schema || '.' || tg_table_name) on conflict do nothing; return null; end $$;
    ${tables
      .map(
        ({ name }) => `create table ${copy(name)} as table ${name};
      create trigger kept after insert or update or delete or truncate on ${name} for each statement execute function ${kept}.note();`,
      )
      .join(' ')}`);
  return async () => {
    const written = new Set((await testServer.owner(`select name from ${kept}.written`)).map(({ name }) => name));
    const changed = tables.filter(({ name }) => written.has(name));
    if (changed.length === 0) return;
    // Disables triggers and foreign keys, because the saved rows contain what the triggers maintain. Writes only the rows that differ.
    const differs = (other: string) => `not exists (select from ${other} o where hash_record_extended(o, 0) = hash_record_extended(t, 0))`;
    const back = ({ name, columns: own }: (typeof tables)[number]) =>
      `delete from ${name} t where ${differs(copy(name))}; insert into
        ${name} (${own}) select ${own} from ${copy(name)} t where ${differs(name)};`;
    const restore = `begin; set local session_replication_role = replica; ${changed.map(back).join(' ')} delete from ${kept}.written;
      commit`;
    // The sync of people can write the same rows. The restore then fails with a conflict or a deadlock, and runs again.
    for (let attempt = 1; ; attempt++) {
      try {
        await testServer.owner(restore);
        return;
      } catch (error) {
        await testServer.owner('rollback');
        if (attempt === ATTEMPTS) throw error;
      }
    }
  };
}

const anything = z.looseObject({});
type AnyRows = Readonly<Record<string, { readonly key?: string }>>;

/** Opens the collections a second time, without masks and with an audience that may read and write all rows. */
async function collectionsRawStore(testServer: TestServer, domain: AnyDomain): Promise<RawStore> {
  const declared = domain.collections as AnyRows;
  const open = Object.fromEntries(
    Object.entries(declared).map(([name, { hides: _h, masks: _m, ...spec }]: [string, Record<string, unknown>]) => [
      name,
      { ...spec, rows: { raw: 'all' }, writers: ['raw'] },
    ]),
  );
  const seen = { ...domain, audiences: { raw: { roles: [], sees: 'everything' } }, collections: open } as unknown as AnyDomain;
  const { config } = testServer;
  const who: StoreSession = { domain: domain.name, audience: 'raw', person: systemPerson(), shows: [] };
  const writer = createChainWriter({
    chain: `${domain.name}-raw`,
    key: Buffer.alloc(32, 1),
    last: () => opened.last(`${domain.name}-raw`),
    checkpoint: async () => {},
  });
  const opened = await connect();
  const { store, chains, effect, refill } = opened;
  testServer.later(() => opened.close());

  interface Opened {
    readonly store: Store<'documents'> | Store<'search'>;
    readonly chains: AuditChains;
    last(chain: string): Promise<Head | undefined>;
    effect(id: string): Promise<boolean>;
    refill(collection: string, rows: readonly Row[]): Promise<void>;
    close(): Promise<void>;
  }
  async function connect(): Promise<Opened> {
    if (domain.store === 'documents') {
      const files = await openDocuments(config, [seen]);
      const database = files.databases.get(seen);
      if (!database) throw new Error('no documents');
      return {
        store: createDocumentStore(database, open as unknown as Collections, writer),
        chains: database.chains,
        last: (chain) => database.lastLink(chain),
        effect: async (id) => (await database.effect(id)) !== undefined,
        async refill(collection, rows) {
          await database.empty([collection]);
          await database.fill(collection, rows as never, () => {});
        },
        close: () => files.close(),
      };
    }
    const files = await openSearch(config, [seen]);
    const backend = files.backends.get(seen);
    if (!backend) throw new Error('no search');
    const store = backend.store(writer);
    let emptied = false;
    return {
      store,
      chains: backend.audit,
      last: (chain) => backend.last(chain),
      // Only the person who caused an effect can read its result. The audit log names that person.
      async effect(id) {
        const [line] = (await auditLog()).filter((each) => each.includes(id));
        const principal = line === undefined ? '' : (JSON.parse(line) as { principal: string }).principal;
        return (await store.findResult({ ...who, person: { ...systemPerson(), principal } }, id)) !== undefined;
      },
      async refill(collection, rows) {
        // `empty` deletes the rows of all collections, so it runs only before the first collection is filled.
        if (!emptied) await backend.empty();
        emptied = collection !== Object.keys(declared).at(-1);
        await backend.loader.fill(collection, rows, () => {});
      },
      close: () => files.close(),
    };
  }

  /** All documents, in pages by key. */
  async function all(collection: string): Promise<Row[]> {
    const key = declared[collection]?.key ?? '_id';
    const handle = domain.store === 'documents' ? 'documents' : 'search';
    const found: Row[] = [];
    for (let after: string | undefined; ; ) {
      const page = await (store as Store<'documents'>).read(who, async (handles) => {
        const reader = (handles as unknown as Record<string, { many(...a: unknown[]): Promise<Row[]> }>)[handle];
        return (
          reader?.many(anything, collection, after === undefined ? filters.where({}) : filters.where({ [key]: is.above(after) }), {
            limit: 1000,
          }) ?? []
        );
      });
      found.push(...page);
      if (page.length < 1000) return found;
      after = page.at(-1)?.[key] as string;
    }
  }
  const rows = async () => {
    const found: VersionedRow[] = [];
    for (const [table, { key = '_id' }] of Object.entries(declared))
      found.push(...(await all(table)).map((values) => ({ table, values, key: { [key]: values[key] } })));
    return found;
  };
  const auditLog = async () => {
    const lines: string[] = [];
    for (const { chain } of await chains.chains())
      if (chain.startsWith(`${domain.name}-`)) for await (const { body } of chains.records(chain)) lines.push(body);
    return lines;
  };
  const fingerprint = async () => {
    const plain = (await rows())
      .map((row) => JSON.stringify([row.table, Object.entries(row.values).toSorted(([a], [b]) => (a < b ? -1 : 1))]))
      .toSorted();
    return createHash('sha256').update(plain.join('\n')).digest('hex');
  };
  return {
    rowsOf: async (ids) => (await rows()).filter(({ key }) => Object.values(key).some((value) => ids.includes(String(value)))),
    keys: async () => new Set(Object.values(declared).map(({ key = '_id' }) => key)),
    async touch({ table, key }) {
      const [[name, value]] = Object.entries(key) as [[string, unknown]];
      const handle = domain.store === 'documents' ? 'documents' : 'search';
      await (store as Store<'documents'>).executeOnce(who, { id: undefined, tool: 'touch' }, async ({ writing }) => {
        const words = (writing as unknown as Record<string, { change(...a: unknown[]): Promise<unknown> }>)[handle];
        await words?.change(anything, table, filters.where({ [name]: value } as never), { touched: true });
        return { result: {}, audit: touchRecord(domain.name) };
      });
    },
    async effectsOf(id) {
      return {
        effects: (await effect(id)) ? 1 : 0,
        records: (await auditLog()).filter((line) => line.includes(id) && !isAttempt(line)).length,
      };
    },
    fingerprint,
    auditLog: async () => (await auditLog()).join('\n'),
    async snapshot() {
      const kept = new Map<string, Row[]>();
      for (const { table, values } of await rows()) {
        const { row_version: _, ...own } = values;
        kept.set(table, [...(kept.get(table) ?? []), own]);
      }
      const before = await fingerprint();
      return async () => {
        // Most tests write nothing, and the comparison is ten times as fast as a restore.
        if ((await fingerprint()) === before) return;
        for (const table of Object.keys(declared)) await refill(table, kept.get(table) ?? []);
      };
    },
  };
}

/** A store without transactions writes an intent before each outcome, and a record for a write that did not happen. */
const isAttempt = (line: string) => ['INTENT', 'NOT_WRITTEN'].includes(String((JSON.parse(line) as { code: string | null }).code));

const touchRecord = (server: string) => ({
  at: new Date().toISOString(),
  principal: 'raw',
  username: 'raw',
  surface: 'internal' as const,
  origin: 'test',
  server,
  tool: 'touch',
  decision: 'allowed' as const,
  code: null,
  ms: 0,
  rows: 1,
  requestId: 'touch',
  input: '{}',
});
