-- The SQL files of a domain run as its migration role, tamshai_<domain>_owner, which owns the schema of that domain and nothing else.
-- So a mistake in a file cannot change another domain, the schema tamshai, or a role.

-- The database roles that Tamshai created. A role of the same name that somebody else created is refused, not adopted.
create table tamshai.roles (
  name text primary key,
  domain text not null
);
-- Only Tamshai makes tamshai_app a member of a role: this identifies the roles that older versions created.
insert into tamshai.roles
select r.rolname, split_part(r.rolname, '_', 1) from pg_auth_members m join pg_roles r on r.oid = m.roleid where m.member = 'tamshai_app'::regrole;

-- What the policies and grants of a domain were when its policies.sql was applied. The migration repairs a difference.
alter table tamshai.migrations add column state text;

-- The domain whose file runs. `current_user` is the owner of these procedures; the setting still names the role that called.
create function tamshai.migrating() returns text language sql stable parallel safe set search_path = pg_catalog, pg_temp
  return (regexp_match(current_setting('role'), '^tamshai_([a-z][a-z0-9]*)_owner$'))[1];

drop procedure tamshai.ensure_role(name, name);
-- Creates a role of a domain, which may read the caller's identity and nothing else yet. `includes` is a role whose rights it inherits.
create procedure tamshai.ensure_role(role text, includes text default null) language plpgsql security definer
set search_path = pg_catalog, pg_temp as $$
declare
  migrating text := tamshai.migrating();
  of_domain text := coalesce(migrating, split_part(role, '_', 1));
begin
  if octet_length(role) > 63 then
    raise exception 'the database role % is longer than 63 bytes, so shorten the name of the domain or of the audience', role using errcode = 'invalid_name';
  end if;
  if not starts_with(role, of_domain || '_') or not starts_with(coalesce(includes, role), of_domain || '_') then
    raise exception 'the database role % is not a role of the domain %', coalesce(includes, role), of_domain using errcode = 'insufficient_privilege';
  end if;
  if migrating is not null and role = of_domain || '_audit' then
    raise exception 'the database role % reads the audit log, so an audience needs another name', role using errcode = 'insufficient_privilege';
  end if;
  begin
    execute format('create role %I login', role);
  exception when duplicate_object or unique_violation then
    if not exists (select from tamshai.roles r where r.name = role) and not pg_has_role('tamshai_app', role, 'member') then
      raise exception 'the database role % exists already and was not created by Tamshai, so rename or drop it', role using errcode = 'duplicate_object';
    end if;
  end;
  insert into tamshai.roles values (role, of_domain) on conflict do nothing;
  if includes is not null and not pg_has_role(role, includes, 'member') then
    execute format('grant %I to %I', includes, role);
  end if;
  if not pg_has_role('tamshai_app', role, 'member') then
    execute format('grant %I to tamshai_app', role);
  end if;
  execute format('grant usage on schema tamshai to %I', role);
  execute format('grant execute on function tamshai.me(), tamshai.principal(), tamshai.shows(text) to %I', role);
end $$;

-- Creates a role without login that Tamshai uses for one domain.
create procedure tamshai.ensure_system_role(role text, of_domain text) language plpgsql as $$
begin
  if octet_length(role) > 63 then
    raise exception 'the database role % is longer than 63 bytes, so shorten the name of the domain', role using errcode = 'invalid_name';
  end if;
  begin
    execute format('create role %I nologin', role);
  exception when duplicate_object or unique_violation then
    if exists (select from pg_roles where rolname = role and (rolcanlogin or rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication)) then
      raise exception 'the database role % exists already and has rights that Tamshai does not give it, so rename or drop it', role using errcode = 'duplicate_object';
    end if;
  end;
  insert into tamshai.roles values (role, of_domain) on conflict do nothing;
end $$;

-- Creates the system role of a domain, tamshai_<domain>_keeper. It owns functions that run with more rights than their caller; the
-- policies of the domain grant these rights.
create procedure tamshai.ensure_keeper(of_domain text) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if of_domain is distinct from coalesce(tamshai.migrating(), of_domain) then
    raise exception 'the domain % may not create a system role for %', tamshai.migrating(), of_domain using errcode = 'insufficient_privilege';
  end if;
  call tamshai.ensure_system_role(format('tamshai_%s_keeper', of_domain), of_domain);
  execute format('grant %I to %I with admin option', format('tamshai_%s_keeper', of_domain), format('tamshai_%s_owner', of_domain));
end $$;

-- Creates the migration role of a domain, and makes it the owner of everything in the schema except the functions of the system role.
create procedure tamshai.take_domain(of_domain text) language plpgsql as $$
declare
  new_owner text := format('tamshai_%s_owner', of_domain);
  keeper text := format('tamshai_%s_keeper', of_domain);
  item record;
begin
  call tamshai.ensure_system_role(new_owner, of_domain);
  if not (select rolsuper from pg_roles where rolname = current_user) then
    execute format('grant %I to current_user', new_owner);
  end if;
  if exists (select from pg_roles where rolname = keeper) then
    call tamshai.ensure_keeper(of_domain);
  end if;
  execute format('grant usage on schema tamshai to %I with grant option', new_owner);
  execute format('grant execute on function tamshai.me(), tamshai.principal(), tamshai.shows(text) to %I with grant option', new_owner);
  execute format('grant execute on function tamshai.raise_version() to %I', new_owner);
  execute format('grant execute on procedure tamshai.ensure_role(text, text), tamshai.ensure_keeper(text), tamshai.begin_rules(name) to %I', new_owner);
  execute format('alter schema %I owner to %I', of_domain, new_owner);
  for item in
    select case relkind when 'S' then 'sequence' else 'table' end as kind, oid::regclass as name from pg_class c
    where relnamespace = of_domain::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f', 'S') and relowner <> new_owner::regrole
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and c.relkind = 'S' and d.deptype in ('a', 'i'))
  loop
    execute format('alter %s %s owner to %I', item.kind, item.name, new_owner);
  end loop;
  for item in select oid::regprocedure as name from pg_proc
    where pronamespace = of_domain::regnamespace and proowner <> new_owner::regrole
      and proowner <> coalesce(to_regrole(keeper), 0::oid::regrole) loop
    execute format('alter routine %s owner to %I', item.name, new_owner);
  end loop;
  for item in select oid::regtype as name from pg_type
    where typnamespace = of_domain::regnamespace and typtype in ('d', 'e', 'r') and typowner <> new_owner::regrole loop
    execute format('alter type %s owner to %I', item.name, new_owner);
  end loop;
end $$;

revoke all on all routines in schema tamshai from public;
