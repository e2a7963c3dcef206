-- The index keys of an audit record, computed from its text, so that the index cannot contradict the record. The function in
-- src/engine/audit/keys.ts builds the same keys. A text that is no record has none.
create or replace function tamshai.audit_keys(body text) returns text[] language plpgsql immutable strict as $$
declare
  content json;
  records json;
begin
  -- Not in `declare`: the handler below does not catch errors of its initial values.
  content := body::json;
  records := content -> 'records';
  return array_remove(array[
      'request:' || (content ->> 'requestId'), 'person:' || (content ->> 'username'), 'tool:' || (content ->> 'tool'),
      'decision:' || (content ->> 'decision'), 'server:' || (content ->> 'server')], null)
    || coalesce((select array_agg('record:' || value) from json_array_elements_text(
      case json_typeof(records) when 'array' then records else '[]' end) as value), '{}');
exception when others then
  return '{}';
end $$;
revoke all on function tamshai.audit_keys(text) from public;

-- As before, and each role that appends to an audit log or reads it may compute the keys.
create or replace procedure tamshai.begin_rules(domain name) language plpgsql as $$
declare
  item record;
  roles text := (select string_agg(quote_ident(rolname), ', ') from pg_roles
    where starts_with(rolname, domain || '_') or rolname = format('tamshai_%s_keeper', domain));
  -- ensure_role gave them usage in this database. A role of the same name that somebody else created is not a member of tamshai_app.
  writers text := (select string_agg(quote_ident(rolname), ', ' order by rolname) from pg_roles
    where starts_with(rolname, domain || '_') and rolname ~ '_write$'
      and has_schema_privilege(oid, 'tamshai', 'usage') and pg_has_role('tamshai_app', oid, 'member'));
begin
  for item in select tablename, policyname from pg_policies where schemaname = domain loop
    execute format('drop policy %I on %I.%I', item.policyname, domain, item.tablename);
  end loop;
  for item in select relname from pg_class where relnamespace = domain::text::regnamespace and relkind in ('r', 'p') loop
    execute format('alter table %I.%I enable row level security, force row level security', domain, item.relname);
  end loop;
  execute format('revoke all on schema %I from public, %s', domain, roles);
  execute format('revoke all on all tables in schema %I from public, %s', domain, roles);
  execute format('revoke all on all routines in schema %I from public, %s', domain, roles);
  execute format('grant usage on schema %1$I to %2$I', domain, domain || '_audit');
  execute format('grant select on %1$I.audit to %2$I', domain, domain || '_audit');
  execute format('create policy auditor on %1$I.audit for select to %2$I using (true)', domain, domain || '_audit');
  execute format('grant execute on function tamshai.audit_keys(text) to %I', domain || '_audit');
  if writers is not null then
    execute format('grant select (confirmation_id, principal, result), insert (confirmation_id, tool, principal), update (result) on %I.effects to %s',
      domain, writers);
    execute format('create policy own on %I.effects to %s using (principal = (select tamshai.principal())) with check (principal = (select tamshai.principal()))',
      domain, writers);
    execute format('grant insert on %I.audit to %s', domain, writers);
    execute format('grant execute on function tamshai.audit_keys(text) to %s', writers);
    execute format('create policy append on %I.audit for insert to %s with check (principal = (select tamshai.principal()))', domain, writers);
  end if;
end $$;
