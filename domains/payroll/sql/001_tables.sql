-- Tables of payroll. Of account, routing and tax numbers, only the last four digits are stored.

-- The people on the payroll. Names are copies, because hr may be in another database.
create table payroll.employees (
  employee_id uuid primary key,
  employee_name text collate "C" not null check (employee_name <> ''),
  department text not null,
  tax_number_last4 text not null check (tax_number_last4 ~ '^[0-9]{4}$'),
  active boolean not null default true
);

-- The pay dates, including future ones; payroll.pay_runs holds only runs that were made.
create table payroll.pay_calendar (
  pay_date date primary key,
  period_start date not null,
  period_end date not null,
  check (period_start <= period_end)
);

create table payroll.pay_runs (
  pay_run_id uuid primary key,
  run_type text not null check (run_type in ('REGULAR', 'BONUS', 'OFF_CYCLE')),
  status text not null check (status in ('APPROVED', 'PAID')),
  pay_date date not null,
  period_start date not null,
  period_end date not null,
  employee_count int not null check (employee_count > 0),
  check (period_start <= period_end)
);
create index pay_runs_by_date on payroll.pay_runs (pay_date, pay_run_id);

create table payroll.pay_stubs (
  pay_stub_id uuid primary key,
  pay_run_id uuid not null references payroll.pay_runs,
  employee_id uuid not null references payroll.employees,
  pay_date date not null -- the pay date of the run, copied for the index
);
create index pay_stubs_by_date on payroll.pay_stubs (pay_date, pay_stub_id);
create index pay_stubs_of on payroll.pay_stubs (employee_id, pay_date, pay_stub_id);

-- Amounts have their own tables, so that a row policy can hide them.

-- The sum of up to twelve lines, as one expression that PostgreSQL can inline.
create function payroll.total(amounts numeric[]) returns numeric language sql immutable parallel safe
  return coalesce(amounts[1], 0) + coalesce(amounts[2], 0) + coalesce(amounts[3], 0) + coalesce(amounts[4], 0) + coalesce(amounts[5], 0)
    + coalesce(amounts[6], 0) + coalesce(amounts[7], 0) + coalesce(amounts[8], 0) + coalesce(amounts[9], 0) + coalesce(amounts[10], 0)
    + coalesce(amounts[11], 0) + coalesce(amounts[12], 0);

-- The lines of a stub are arrays in one row, a code for each amount. The totals are generated columns, so that every stub adds up.
create table payroll.stub_pay (
  pay_stub_id uuid primary key references payroll.pay_stubs,
  employee_id uuid not null,
  earning_codes text[] not null,
  earning_amounts numeric(14,2)[] not null,
  tax_codes text[] not null,
  tax_amounts numeric(14,2)[] not null,
  deduction_codes text[] not null,
  deduction_amounts numeric(14,2)[] not null,
  employer_taxes numeric(14,2) not null,
  employer_benefits numeric(14,2) not null,
  gross numeric(14,2) not null generated always as (payroll.total(earning_amounts)) stored,
  total_taxes numeric(14,2) not null generated always as (payroll.total(tax_amounts)) stored,
  total_deductions numeric(14,2) not null generated always as (payroll.total(deduction_amounts)) stored,
  net numeric(14,2) not null generated always as (payroll.total(earning_amounts) - payroll.total(tax_amounts) - payroll.total(deduction_amounts)) stored,
  check (cardinality(earning_codes) = cardinality(earning_amounts) and cardinality(earning_codes) between 1 and 12),
  check (cardinality(tax_codes) = cardinality(tax_amounts) and cardinality(tax_codes) <= 12),
  check (cardinality(deduction_codes) = cardinality(deduction_amounts) and cardinality(deduction_codes) <= 12)
);

-- The totals at the time of the run. They never change.
create table payroll.run_totals (
  pay_run_id uuid primary key references payroll.pay_runs,
  gross numeric(14,2) not null,
  total_taxes numeric(14,2) not null,
  total_deductions numeric(14,2) not null,
  net numeric(14,2) not null,
  employer_taxes numeric(14,2) not null,
  employer_benefits numeric(14,2) not null,
  check (gross - total_taxes - total_deductions = net)
);

-- The names of the line codes, and their position on a stub.
create table payroll.line_types (
  code text primary key,
  name text not null,
  position int not null
);
insert into payroll.line_types values
  ('SALARY', 'Salary', 1), ('BONUS', 'Annual bonus', 2), ('CORRECTION', 'Correction of earlier pay', 3),
  ('FEDERAL', 'Federal income tax', 10), ('INCOME_TAX', 'Income tax', 11), ('STATE', 'State income tax', 12), ('LOCAL', 'Local income tax', 13),
  ('SOCIAL_SECURITY', 'Social Security', 14), ('MEDICARE', 'Medicare', 15), ('NATIONAL_INSURANCE', 'National Insurance', 16),
  ('PENSION_INSURANCE', 'Pension insurance', 17), ('HEALTH_INSURANCE', 'Health insurance', 18), ('UNEMPLOYMENT', 'Unemployment insurance', 19),
  ('CPF', 'Central Provident Fund', 20),
  ('MEDICAL', 'Medical plan', 30), ('DENTAL', 'Dental plan', 31), ('VISION', 'Vision plan', 32), ('HSA', 'Health savings account', 33),
  ('RETIREMENT', 'Retirement plan', 34), ('LIFE', 'Life insurance', 35);

create table payroll.withholdings (
  employee_id uuid not null references payroll.employees,
  level text not null check (level in ('federal', 'state', 'local')),
  region text not null,
  filing_status text not null,
  allowances int not null check (allowances between 0 and 99),
  line_code text not null references payroll.line_types, -- the stub line that shows this withholding
  primary key (employee_id, level)
);
create table payroll.withholding_extras (
  employee_id uuid not null,
  level text not null,
  extra_amount numeric(14,2) not null check (extra_amount >= 0),
  primary key (employee_id, level),
  foreign key (employee_id, level) references payroll.withholdings
);

create table payroll.enrolments (
  enrolment_id uuid primary key,
  employee_id uuid not null references payroll.employees,
  type text not null check (type in ('MEDICAL', 'DENTAL', 'VISION', 'HSA', 'RETIREMENT', 'LIFE')),
  plan_name text not null,
  frequency text not null check (frequency in ('PER_PAY_PERIOD', 'MONTHLY', 'ANNUAL')),
  pre_tax boolean not null,
  effective_from date not null,
  effective_to date,
  check (effective_from <= effective_to)
);
create index enrolments_of on payroll.enrolments (employee_id, type, effective_from);
create table payroll.enrolment_amounts (
  enrolment_id uuid primary key references payroll.enrolments,
  employee_id uuid not null,
  employee_amount numeric(14,2) not null check (employee_amount >= 0),
  employer_amount numeric(14,2) not null check (employer_amount >= 0)
);

create table payroll.accounts (
  employee_id uuid not null references payroll.employees,
  priority int not null check (priority between 1 and 20),
  bank_name text not null,
  account_last4 text not null check (account_last4 ~ '^[0-9]{4}$'),
  routing_last4 text not null check (routing_last4 ~ '^[0-9]{4}$'),
  allocation text not null check (allocation in ('PERCENT', 'FIXED', 'REMAINDER')),
  primary key (employee_id, priority)
);
create table payroll.account_shares (
  employee_id uuid not null,
  priority int not null,
  value numeric(14,2) not null check (value >= 0),
  primary key (employee_id, priority),
  foreign key (employee_id, priority) references payroll.accounts
);

create table payroll.contractors (
  contractor_id uuid primary key,
  name text collate "C" not null check (name <> ''),
  business_name text,
  service text not null,
  department text not null,
  email text not null,
  tax_form text not null check (tax_form in ('1099-NEC', '1042-S')),
  tax_number_last4 text not null check (tax_number_last4 ~ '^[0-9]{4}$'),
  rate_unit text not null check (rate_unit in ('HOUR', 'MONTH')),
  start_date date not null,
  end_date date,
  check (start_date <= end_date)
);
create index contractors_by_name on payroll.contractors (name, contractor_id);
create table payroll.contractor_rates (
  contractor_id uuid primary key references payroll.contractors,
  rate numeric(14,2) not null check (rate > 0)
);
create table payroll.contractor_payments (
  payment_id uuid primary key,
  contractor_id uuid not null references payroll.contractors,
  paid_on date not null
);
create index contractor_payments_of on payroll.contractor_payments (contractor_id, paid_on);
create table payroll.contractor_amounts (
  payment_id uuid primary key references payroll.contractor_payments,
  amount numeric(14,2) not null check (amount > 0)
);
