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
  // Each table says when it was written to, so that putting back costs what was changed and not what there is.
  await site.owner(`create schema kept; create table kept.written (name text primary key);
    create function kept.note() returns trigger language plpgsql security definer as $$
    begin insert into kept.written values (tg_table_schema || '.' || tg_table_name) on conflict do nothing; return null; end $$;
    ${tables
      .map(
        ({ name }) => `create table ${copy(name)} as table ${name};
      create trigger kept after insert or update or delete or truncate on ${name} for each statement execute function kept.note();`,
      )
      .join(' ')}`);
  return async () => {
    const written = new Set((await site.owner('select name from kept.written')).map(({ name }) => name));
    const changed = tables.filter(({ name }) => written.has(name));
    // Triggers and references rest meanwhile: every table is put back as it was, what triggers keep included.
    const back = ({ name, columns: own }: (typeof tables)[number]) =>
      `delete from ${name}; insert into ${name} (${own}) select ${own} from ${copy(name)};`;
    await site.owner(
      `begin; set local session_replication_role = replica; ${changed.map(back).join(' ')} delete from kept.written; commit`,
    );
  };
}
