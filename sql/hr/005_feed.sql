-- Whose name, department, manager or employment changed, in the order of commits: what other domains bring their copies of people
-- up to date from. It says that someone changed, not how: the reader takes people as they are by then, so one line for each is enough
-- and the log never grows beyond the company. The sequence belongs to no column, so that emptying the table does not start it again,
-- and it begins at the hour of its making: a log that is made anew is ahead of every position that an older one gave out.
create sequence hr.people_log_n;
select setval('hr.people_log_n', (extract(epoch from clock_timestamp()) * 1000000)::bigint);
create table hr.people_log (
  n bigint primary key default nextval('hr.people_log_n'),
  employee_id uuid not null unique -- no reference: that someone was removed has to be told as well
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

  -- Held until the commit, and taken before the number: whoever sees a number sees all lower ones too, or they will never be there.
  perform pg_advisory_xact_lock(7261536);
  insert into hr.people_log (employee_id) select unnest(changed) on conflict (employee_id) do update set n = excluded.n;
  return null;
end $$;

-- By their names these come before keep_chain_*, so that of the two locks this one is always taken first.
create trigger feed_insert after insert on hr.employees referencing new table as now for each statement execute function hr.log_people();
create trigger feed_update after update on hr.employees referencing old table as before new table as now for each statement execute function hr.log_people();
create trigger feed_delete after delete on hr.employees referencing old table as before for each statement execute function hr.log_people();

grant tamshai_hr_keeper to current_user;
grant create on schema hr to tamshai_hr_keeper;
alter function hr.log_people() owner to tamshai_hr_keeper;
revoke create on schema hr from tamshai_hr_keeper;

-- Everyone who is there already. The rules for reading hold for owners too, and are put aside for just this.
do $$ begin
  alter table hr.employees no force row level security;
  insert into hr.people_log (employee_id) select employee_id from hr.employees;
  alter table hr.employees force row level security;
end $$;
