-- The change feed of salaries, in commit order, like that of people (005_feed.sql): one row says that somebody's pay changed, not how.
create sequence hr.pay_log_n;
select setval('hr.pay_log_n', (extract(epoch from clock_timestamp()) * 1000000)::bigint);
create table hr.pay_log (
  n bigint primary key default nextval('hr.pay_log_n'),
  employee_id uuid not null unique -- not a foreign key: the feed also reports deleted rows
);

create function hr.log_pay() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- The lock of hr.log_people, so that no two changes take two locks in different orders.
  perform pg_advisory_xact_lock(7261536);
  if tg_op = 'DELETE' then
    insert into hr.pay_log (employee_id) select distinct employee_id from before on conflict (employee_id) do update set n = excluded.n;
  else
    insert into hr.pay_log (employee_id) select distinct employee_id from now on conflict (employee_id) do update set n = excluded.n;
  end if;
  return null;
end $$;
create trigger feed_insert after insert on hr.pay referencing new table as now for each statement execute function hr.log_pay();
create trigger feed_update after update on hr.pay referencing new table as now for each statement execute function hr.log_pay();
create trigger feed_delete after delete on hr.pay referencing old table as before for each statement execute function hr.log_pay();
create trigger feed_insert after insert on hr.planned_pay referencing new table as now for each statement execute function hr.log_pay();
create trigger feed_update after update on hr.planned_pay referencing new table as now for each statement execute function hr.log_pay();
create trigger feed_delete after delete on hr.planned_pay referencing old table as before for each statement execute function hr.log_pay();

grant tamshai_hr_keeper to current_user;
grant create on schema hr to tamshai_hr_keeper;
alter function hr.log_pay() owner to tamshai_hr_keeper;
revoke create on schema hr from tamshai_hr_keeper;

-- Adds the existing salaries. Row-level security binds the owner too, and is suspended for this statement.
do $$ begin
  alter table hr.pay no force row level security;
  alter table hr.planned_pay no force row level security;
  insert into hr.pay_log (employee_id) select employee_id from hr.pay union select employee_id from hr.planned_pay;
  alter table hr.pay force row level security;
  alter table hr.planned_pay force row level security;
end $$;
