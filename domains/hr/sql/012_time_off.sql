-- The policy of each type of leave: days a year, and how many unused days carry over to the next year.
alter table hr.time_off_types
  add column days_per_year numeric(5,1) not null default 0 check (days_per_year >= 0),
  add column carryover_max numeric(5,1) not null default 0 check (carryover_max >= 0);
update hr.time_off_types set
  days_per_year = case type_code when 'VACATION' then 20 when 'SICK' then 12 when 'PERSONAL' then 8 when 'BEREAVEMENT' then 5
    when 'JURY_DUTY' then 10 when 'PARENTAL' then 60 when 'UNPAID' then 30 else 0 end,
  carryover_max = case type_code when 'VACATION' then 5 else 0 end;

-- The fiscal years whose balances exist. The primary key lets each year be opened only once.
create table hr.time_off_years (
  fiscal_year int primary key,
  opened_by uuid default tamshai.me() references hr.employees,
  opened_at timestamptz not null default clock_timestamp(),
  row_version bigint not null default 1
);
create trigger raise_version before update on hr.time_off_years for each row execute function tamshai.raise_version();
do $$ begin
  alter table hr.time_off_balances no force row level security;
  insert into hr.time_off_years (fiscal_year, opened_by) select distinct fiscal_year, null::uuid from hr.time_off_balances;
  alter table hr.time_off_balances force row level security;
end $$;

-- A cancelled request keeps who had approved it.
alter table hr.time_off_requests
  drop constraint time_off_requests_check2,
  add column cancelled_by uuid references hr.employees,
  add column cancelled_at timestamptz,
  add constraint time_off_requests_decided check (status = 'cancelled'
    or (status in ('approved', 'rejected')) = (approver_id is not null and decided_at is not null));

-- When the employee read and acknowledged the review.
alter table hr.performance_reviews add column acknowledged_at timestamptz;

-- A row policy cannot compare the old row with the new one. These triggers leave a row as it is, if the caller decides on their own request
-- or on one that is decided already, or changes their own balance without having cancelled a request of as many days.
create function hr.guard_request() returns trigger language plpgsql as $$
begin
  if tamshai.me() is not null and current_user <> 'hr_self_write' and new.status <> 'cancelled'
    and (old.status <> 'pending' or old.employee_id = tamshai.me()) then return null;
  end if;
  return new;
end $$;
create trigger guard before update on hr.time_off_requests for each row execute function hr.guard_request();

create function hr.guard_balance() returns trigger language plpgsql as $$
begin
  if tamshai.me() is null or new.employee_id <> tamshai.me() then return new; end if;
  if exists (select from hr.time_off_requests r where r.employee_id = new.employee_id and r.type_code = new.type_code
    and r.cancelled_at >= now() and r.days = old.used + old.pending - new.used - new.pending) then return new;
  end if;
  if current_user <> 'hr_self_write' then return null; end if;
  if new.used <> old.used then
    raise exception 'days return only with a cancelled request' using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger guard before update on hr.time_off_balances for each row execute function hr.guard_balance();
