-- The change feed of employees, in commit order: other domains update their copies of people from it. A row says that a person changed,
-- not how, because the reader fetches the current values. So one row per person is enough.

-- No column owns the sequence, so that truncating the table does not restart it. It starts at the current time in microseconds:
-- a log that is created again continues after every position that an older one has given out.
create sequence hr.people_log_n;
select setval('hr.people_log_n', (extract(epoch from clock_timestamp()) * 1000000)::bigint);
create table hr.people_log (
  n bigint primary key default nextval('hr.people_log_n'),
  employee_id uuid not null unique -- not a foreign key: the feed also reports deleted rows
);

create function hr.log_people() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  changed uuid[];
begin
  if tg_op = 'INSERT' then
    changed := array(select employee_id from now);
  elsif tg_op = 'UPDATE' then
    changed := array(select employee_id from now full join before using (employee_id)
      where (now.first_name, now.last_name, now.department, now.manager_id, now.active)
        is distinct from (before.first_name, before.last_name, before.department, before.manager_id, before.active));
  else
    changed := array(select employee_id from before);
  end if;
  if cardinality(changed) = 0 then return null; end if;

  -- Taken before nextval and held until commit: when a number is visible, no lower number can appear later.
  perform pg_advisory_xact_lock(7261536);
  insert into hr.people_log (employee_id) select unnest(changed) on conflict (employee_id) do update set n = excluded.n;
  return null;
end $$;

-- PostgreSQL fires triggers in the order of their names. These fire before keep_chain_*, so the two locks are always taken in one order.
create trigger feed_insert after insert on hr.employees referencing new table as now for each statement execute function hr.log_people();
create trigger feed_update after update on hr.employees referencing old table as before new table as now for each statement execute function hr.log_people();
create trigger feed_delete after delete on hr.employees referencing old table as before for each statement execute function hr.log_people();

grant tamshai_hr_keeper to current_user;
grant create on schema hr to tamshai_hr_keeper;
alter function hr.log_people() owner to tamshai_hr_keeper;
revoke create on schema hr from tamshai_hr_keeper;

-- Adds the existing employees. Row-level security binds the owner too, and is suspended for this statement.
do $$ begin
  alter table hr.employees no force row level security;
  insert into hr.people_log (employee_id) select employee_id from hr.employees;
  alter table hr.employees force row level security;
end $$;
