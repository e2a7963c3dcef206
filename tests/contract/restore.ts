/** Puts the rows of all SQL domains back to where they were, so that one site serves many tests of writes. */
import { DOMAINS, type Site } from '../site.ts';

export async function snapshot(site: Site): Promise<() => Promise<void>> {
  const columns = await site.owner(
    `select table_schema || '.' || table_name as name, string_agg(quote_ident(column_name), ', ' order by ordinal_position) as columns
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = any ($1) and table_type = 'BASE TABLE' and is_generated = 'NEVER' group by 1 order by 1`,
    [DOMAINS],
  );
  // Effects and the trail stay: they are what happened, and the chains go on.
  const tables = columns
    .map((row) => ({ name: String(row['name']), columns: String(row['columns']) }))
    .filter(({ name }) => !/\.(effects|audit)$/.test(name));
  const copy = (name: string) => `kept.${name.replace('.', '__')}`;
  await site.owner(`create schema kept; ${tables.map(({ name }) => `create table ${copy(name)} as table ${name};`).join(' ')}`);
  // Triggers and references rest meanwhile: every table is put back as it was, what triggers keep included.
  const back = `begin; set local session_replication_role = replica; truncate ${tables.map(({ name }) => name).join(', ')};
    ${tables.map(({ name, columns: own }) => `insert into ${name} (${own}) select ${own} from ${copy(name)};`).join('\n')} commit`;
  return async () => {
    await site.owner(back);
  };
}
