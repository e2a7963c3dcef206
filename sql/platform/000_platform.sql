-- What the rules of every domain stand on. Safe to run again; roles belong to the whole cluster and may be there already.
create schema if not exists tamshai;

-- Who is calling, set for one transaction by the adapter. Unset is '' after its first use, so both '' and null mean nobody.
create or replace function tamshai.me() returns uuid language sql stable parallel safe
  return nullif(current_setting('app.user_id', true), '')::uuid;
create or replace function tamshai.principal() returns text language sql stable parallel safe
  return nullif(current_setting('app.principal', true), '');
-- Which masks are lifted for them; for nobody, none.
create or replace function tamshai.shows(mask text) returns boolean language sql stable parallel safe
  return tamshai.principal() is not null and coalesce(mask = any (string_to_array(current_setting('app.shows', true), ',')), false);

-- Every row that an approval card can show says how often it changed.
create or replace function tamshai.raise_version() returns trigger language plpgsql as $$
begin
  new.row_version := old.row_version + 1;
  return new;
end $$;

-- The embedded database has one session, which is nobody until it takes a role for the length of a transaction.
-- On a server each pool logs in as the one role it needs, and this one cannot log in at all.
do $$ begin
  create role tamshai_app nologin noinherit;
exception when duplicate_object or unique_violation then null;
end $$;

-- Makes a role that may ask who is calling, and nothing else yet. `includes` is a narrower role whose rights it inherits.
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

-- Forgets every policy and grant of a domain and locks all its tables, so that afterwards the rules are just what its
-- policies.sql says: a line taken out there is a right taken away, and a table nobody thought of stays shut.
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
-- Nobody makes anything in passing, not even a temporary table that could stand in for a real one.
do $$ begin
  execute format('revoke temporary on database %I from public', current_database());
end $$;
revoke create on schema public from public;
