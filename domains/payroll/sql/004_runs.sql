-- Pay runs are made here, once for each pay date, from the salaries that are in force on that day.

-- Copies of hr's salaries. A row is in force from its day until the next one.
create table payroll.salaries (
  employee_id uuid not null references payroll.employees,
  effective_from date not null,
  salary numeric(14,2) not null check (salary >= 0),
  primary key (employee_id, effective_from)
);

alter table payroll.pay_runs alter column pay_run_id set default gen_random_uuid();
alter table payroll.pay_runs add column run_by uuid, add column run_by_name text;
alter table payroll.pay_stubs alter column pay_stub_id set default gen_random_uuid();
create unique index pay_runs_once on payroll.pay_runs (pay_date) where run_type = 'REGULAR';

-- What a run cost each department at the time of the run: gross pay, and the taxes and benefits that the employer paid in addition.
create table payroll.run_costs (
  pay_run_id uuid not null references payroll.pay_runs,
  department text collate "C" not null,
  people int not null check (people > 0),
  amount numeric(14,2) not null check (amount >= 0),
  primary key (pay_run_id, department)
);
do $$ begin
  alter table payroll.pay_stubs no force row level security;
  alter table payroll.stub_pay no force row level security;
  alter table payroll.employees no force row level security;
  insert into payroll.run_costs (pay_run_id, department, people, amount)
  select s.pay_run_id, e.department, count(*), sum(p.gross + p.employer_taxes + p.employer_benefits)
  from payroll.pay_stubs s join payroll.stub_pay p on p.pay_stub_id = s.pay_stub_id join payroll.employees e on e.employee_id = s.employee_id
  group by 1, 2;
  alter table payroll.pay_stubs force row level security;
  alter table payroll.stub_pay force row level security;
  alter table payroll.employees force row level security;
end $$;

-- The feed of pay runs, in commit order, for domains that enter their costs. The sequence starts at the current time, so that a table that
-- is created again continues after every position of an older one.
call tamshai.ensure_keeper('payroll');
create sequence payroll.run_log_n;
select setval('payroll.run_log_n', (extract(epoch from clock_timestamp()) * 1000000)::bigint);
create table payroll.run_log (
  n bigint primary key default nextval('payroll.run_log_n'),
  pay_run_id uuid not null unique
);
create function payroll.log_runs() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- Taken before nextval and held until commit: when a number is visible, no lower number can appear later.
  perform pg_advisory_xact_lock(7261537);
  insert into payroll.run_log (pay_run_id) select pay_run_id from now order by pay_date, pay_run_id;
  return null;
end $$;
create trigger log_runs after insert on payroll.pay_runs referencing new table as now for each statement execute function payroll.log_runs();
grant tamshai_payroll_keeper to current_user;
grant create on schema payroll to tamshai_payroll_keeper;
alter function payroll.log_runs() owner to tamshai_payroll_keeper;
revoke create on schema payroll from tamshai_payroll_keeper;
do $$ begin
  alter table payroll.pay_runs no force row level security;
  insert into payroll.run_log (pay_run_id) select pay_run_id from payroll.pay_runs order by pay_date, pay_run_id;
  alter table payroll.pay_runs force row level security;
end $$;

-- A run is paid on its pay date.
create or replace view payroll.runs with (security_invoker = true) as
select r.pay_run_id, r.run_type, case when r.pay_date <= current_date then 'PAID' else r.status end as status, r.pay_date, r.period_start, r.period_end,
  r.employee_count, t.gross, t.total_taxes, t.total_deductions, t.net, t.employer_taxes, t.employer_benefits
from payroll.pay_runs r left join payroll.run_totals t on t.pay_run_id = r.pay_run_id;
