/** Changes that need approval, asked for and looked at from outside: in the tables, not in the answers. */
import { randomUUID } from 'node:crypto';
import type { PendingAnswer } from '../../src/core/answer.ts';
import { qualifiedName } from '../../src/core/registry.ts';
import type { Tool } from '../../src/core/tool.ts';
import type { Site } from '../site.ts';
import type { Visitor } from '../visitor.ts';
import { copies, variations } from './arrange.ts';
import { byName, type Input, propertiesOf, ready } from './calls.ts';

export const writes = byName.filter(([, { kind }]) => kind === 'write');

export interface Asked {
  readonly as: string;
  readonly input: Input;
  readonly ticket: PendingAnswer;
}

/** The same change in other words: a reason, a note. Else a second ticket for it would be the first one. */
export function varied(tool: Tool, input: Input, because = `Because of ${randomUUID()}`): Input {
  const own = variations[qualifiedName(tool)];
  if (own) return own(input, because);
  const note = propertiesOf(tool).find(
    ([key, { type, enum: options, format, maxLength = 0 }]) =>
      type === 'string' && !options && !format && maxLength >= 100 && /reason|notes|comments|resolution/.test(key),
  );
  if (!note) throw new Error(`${qualifiedName(tool)} takes no free text: tests/contract/arrange.ts has to say how to vary it`);
  return { ...input, [note[0]]: because };
}

export async function askFor(site: Visitor, tool: Tool): Promise<Asked> {
  const { as, input: example } = await ready(site, tool);
  const input = varied(tool, example);
  return { as, input, ticket: await site.ask(as, tool.domain.name, tool.name, input) };
}

/** How often a ticket took effect, and how often the domain's own trail says so. */
export async function effectsOf(site: Site, tool: Tool, id: string): Promise<{ effects: number; records: number }> {
  const { name } = tool.domain;
  const [effects] = await site.owner(
    `select count(*)::int as count from ${name}.effects where confirmation_id = $1 and result is not null`,
    [id],
  );
  const [records] = await site.owner(`select count(*)::int as count from ${name}.audit where body like '%' || $1 || '%'`, [id]);
  return { effects: Number(effects?.['count']), records: Number(records?.['count']) };
}

/** One value for all rows of a domain, whatever changes in them. */
export async function fingerprint(site: Site, tool: Tool): Promise<string> {
  const tables = await site.owner(
    "select table_name from information_schema.tables where table_schema = $1 and table_type = 'BASE TABLE' and table_name not in ('effects', 'audit') order by 1",
    [tool.domain.name],
  );
  const parts = tables.map(
    ({ table_name: table }) =>
      `(select md5(coalesce(string_agg(md5(t::text), '' order by md5(t::text)), '')) from ${tool.domain.name}.${String(table)} t)`,
  );
  const [row] = await site.owner(`select concat_ws('-', ${parts.join(', ')}) as all_rows`);
  return String(row?.['all_rows']);
}

export interface VersionedRow {
  readonly table: string;
  readonly key: Readonly<Record<string, unknown>>;
  readonly values: Readonly<Record<string, unknown>>;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Rows with a version that a ticket is about: one of its ids is in their key, or an id that such a row leads to. */
export async function rowsAround(site: Site, tool: Tool, { input, ticket }: Asked): Promise<VersionedRow[]> {
  const near = await rowsOf(site, tool, JSON.stringify([input, ticket.confirmationData.subject]).match(UUID) ?? []);
  const keys = new Set((await versioned(site, tool)).flatMap((table) => table.keys));
  const ids = near.flatMap(({ key, values }) =>
    Object.entries(values).flatMap(([column, value]) => (keys.has(column) && !(column in key) ? [String(value)] : [])),
  );
  const all = [
    ...near,
    ...(await rowsOf(
      site,
      tool,
      ids.flatMap((id) => id.match(UUID) ?? []),
    )),
  ];
  return [...new Map(all.map((row) => [JSON.stringify([row.table, row.key]), row])).values()];
}

/** The tables of a domain whose rows have a version, with the columns of their keys. */
async function versioned(site: Site, tool: Tool): Promise<{ table: string; keys: string[]; uuids: string[] }[]> {
  const rows = await site.owner(
    `select k.table_name, string_agg(k.column_name, ',') as keys, string_agg(k.column_name, ',') filter (where c.data_type = 'uuid') as uuids
     from information_schema.table_constraints p join information_schema.key_column_usage k using (constraint_schema, constraint_name, table_name)
     join information_schema.columns c on c.table_schema = p.table_schema and c.table_name = k.table_name and c.column_name = k.column_name
     where p.table_schema = $1 and p.constraint_type = 'PRIMARY KEY'
       and exists (select from information_schema.columns v where v.table_schema = p.table_schema and v.table_name = k.table_name and v.column_name = 'row_version')
     group by k.table_name order by 1`,
    [tool.domain.name],
  );
  return rows.map(({ table_name, keys, uuids }) => ({
    table: `${tool.domain.name}.${String(table_name)}`,
    keys: String(keys).split(','),
    uuids: uuids === null ? [] : String(uuids).split(','),
  }));
}

async function rowsOf(site: Site, tool: Tool, ids: readonly string[]): Promise<VersionedRow[]> {
  const found: VersionedRow[] = [];
  for (const { table, keys, uuids } of await versioned(site, tool)) {
    if (uuids.length === 0 || ids.length === 0) continue;
    const rows = await site.owner(
      `select * from ${table} where ${uuids.map((column) => `${column} = any ($1)`).join(' or ')} order by ${keys.join(', ')}`,
      [ids],
    );
    found.push(...rows.map((values) => ({ table, values, key: Object.fromEntries(keys.map((column) => [column, values[column]])) })));
  }
  return found;
}

/** As any change of the row would: its trigger raises the version. */
export async function touch(site: Site, { table, key }: VersionedRow): Promise<void> {
  const columns = Object.keys(key);
  await site.owner(
    `update ${table} set row_version = row_version where ${columns.map((column, at) => `${column} = $${at + 1}`).join(' and ')}`,
    Object.values(key),
  );
}

/** Whether the approver was told something out of this row. The asker's own name on a card comes from the sign-in. */
export function isShown({ table, key, values }: VersionedRow, { ticket }: Asked): boolean {
  const { subject, summary, changes, userId } = ticket.confirmationData;
  if (Object.values(key).includes(userId) || copies.includes(table)) return false;
  const told = JSON.stringify([summary, subject.label]);
  const columns = changes.filter(({ field, from }) => field in values && from !== null);
  if (
    columns.length > 0 &&
    columns.every(({ field, from }) => String(values[field]) === String(from)) &&
    (columns.length > 1 || Object.keys(key).length === 1)
  )
    return true;
  // Two words of it: one alone may be there by chance.
  const words = Object.entries(values).filter(
    ([column, value]) => !(column in key) && typeof value === 'string' && /^\p{L}.{2,}$/u.test(value) && told.includes(value),
  );
  return Object.keys(key).length === 1 && words.length > 1;
}
