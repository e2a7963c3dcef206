-- The schema tamshai: functions and procedures that the policies of every domain use.
-- Safe to run again: roles belong to the whole cluster and may exist already.
create schema if not exists tamshai;

-- The caller's identity, which the adapter sets for one transaction. PostgreSQL returns '' for a setting that was set before:
-- both '' and null mean that there is no caller.
create or replace function tamshai.me() returns uuid language sql stable parallel safe
  return nullif(current_setting('app.user_id', true), '')::uuid;
create or replace function tamshai.principal() returns text language sql stable parallel safe
  return nullif(current_setting('app.principal', true), '');
-- Whether the caller may see the columns behind this mask. Without a caller, every mask applies.
create or replace function tamshai.shows(mask text) returns boolean language sql stable parallel safe
  return tamshai.principal() is not null and coalesce(mask = any (string_to_array(current_setting('app.shows', true), ',')), false);

-- row_version increases with every update, so that an approval card can tell that its row has changed.
create or replace function tamshai.raise_version() returns trigger language plpgsql as $$
begin
  new.row_version := old.row_version + 1;
  return new;
end $$;

-- The embedded database has one session. It runs as tamshai_app, which has no rights of its own, and sets a role for each transaction.
-- On a server every pool logs in as the one role that it needs, and tamshai_app cannot log in.
do $$ begin
  create role tamshai_app nologin noinherit;
exception when duplicate_object or unique_violation then null;
end $$;

-- Creates a role that may read the caller's identity and nothing else yet. `includes` is a role whose rights it inherits.
create or replace procedure tamshai.ensure_role(role name, includes name default null) language plpgsql as $$
begin
  begin
    execute format('create role %I login', role);
  exception when duplicate_object or unique_violation then null;
  end;
  if includes is not null and not pg_has_role(role, includes, 'member') then
    execute format('grant %I to %I', includes, role);
  end if;
  if not pg_has_role('tamshai_app', role, 'member') then
    execute format('grant %I to tamshai_app', role);
  end if;
  execute format('grant usage on schema tamshai to %I', role);
  execute format('grant execute on function tamshai.me(), tamshai.principal(), tamshai.shows(text) to %I', role);
end $$;

-- Drops every policy and revokes every grant of a domain, and forces row-level security on all its tables. policies.sql then grants
-- every right anew: a line removed there revokes its right, and a table that it does not name stays closed.
create or replace procedure tamshai.begin_rules(domain name) language plpgsql as $$
declare
  item record;
  roles text := (select string_agg(quote_ident(rolname), ', ') from pg_roles
    where starts_with(rolname, domain || '_') or rolname = format('tamshai_%s_keeper', domain));
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
end $$;

revoke all on all routines in schema tamshai from public;
-- No role may create objects, not even a temporary table, which could shadow a real one.
do $$ begin
  execute format('revoke temporary on database %I from public', current_database());
end $$;
revoke create on schema public from public;
