-- Tables of finance. Amounts are in the company's currency, with two decimals. Sums are computed, not stored, except the running totals
-- of finance.spending.

-- Copies of hr's employees and reporting chain, because hr may be in another database. finance.chain holds active people only.
create table finance.people (
  employee_id uuid primary key,
  name text not null check (name <> ''),
  department text collate "C" not null,
  manager_id uuid,
  active boolean not null default true,
  row_version bigint not null default 1,
  check (manager_id <> employee_id)
);
create table finance.chain (
  manager_id uuid not null,
  employee_id uuid not null,
  primary key (manager_id, employee_id),
  check (manager_id <> employee_id)
);
create index chain_above on finance.chain (employee_id, manager_id);

-- Allows only the status changes in the trigger's arguments, and no change of a deleted row. It binds every role, including the owner.
create function finance.keep_to_moves() returns trigger language plpgsql as $$
begin
  if old.deleted_at is not null or (new.status <> old.status and not (old.status || ' > ' || new.status) = any (tg_argv)) then
    raise exception 'no such move' using errcode = 'check_violation';
  end if;
  return new;
end $$;

create table finance.budgets (
  budget_id uuid primary key default gen_random_uuid(),
  department text collate "C" not null check (department <> ''),
  fiscal_year int not null check (fiscal_year between 2000 and 2100),
  status text not null default 'DRAFT' check (status in ('DRAFT', 'PENDING_APPROVAL', 'APPROVED', 'REJECTED')),
  created_by uuid not null,
  created_by_name text not null,
  created_at timestamptz not null default clock_timestamp(),
  submitted_by uuid,
  submitted_by_name text,
  submitted_at timestamptz,
  comments text,
  approved_by uuid,
  approved_by_name text,
  approved_at timestamptz,
  approver_notes text,
  rejected_by uuid,
  rejected_by_name text,
  rejected_at timestamptz,
  rejection_reason text,
  deleted_by uuid,
  deleted_at timestamptz,
  deletion_reason text,
  row_version bigint not null default 1,
  check (status = 'DRAFT' or (submitted_by is not null and submitted_by_name is not null and submitted_at is not null)),
  check ((status = 'APPROVED') = (approved_by is not null and approved_by_name is not null and approved_at is not null)),
  check ((status = 'REJECTED') = (rejected_by is not null and rejected_by_name is not null and rejection_reason is not null)),
  check ((deleted_at is null) = (deleted_by is null)),
  check (deleted_at is null or status = 'DRAFT'),
  check (approved_by <> submitted_by),
  check (rejected_by <> submitted_by),
  check (deleted_by <> created_by)
);
-- A department has one budget per year, whatever its status.
create unique index budgets_of on finance.budgets (lower(department), fiscal_year) where deleted_at is null;
create index budgets_by_year on finance.budgets (fiscal_year, department, budget_id) where deleted_at is null;

-- The amount of a budget is the sum of its lines. Salaries are in payroll, not here.
create table finance.budget_lines (
  budget_id uuid not null references finance.budgets,
  category text not null check (category in ('SOFTWARE', 'SERVICES', 'TRAVEL', 'FACILITIES', 'EQUIPMENT', 'TRAINING', 'OTHER')),
  allocated_amount numeric(14,2) not null check (allocated_amount >= 0),
  row_version bigint not null default 1,
  primary key (budget_id, category)
);

-- Actual spending: a running total that every payment adds to, with or without a budget.
create table finance.spending (
  department text collate "C" not null check (department <> ''),
  fiscal_year int not null,
  category text not null check (category in ('SOFTWARE', 'SERVICES', 'TRAVEL', 'FACILITIES', 'EQUIPMENT', 'TRAINING', 'OTHER')),
  amount numeric(14,2) not null check (amount >= 0),
  primary key (department, fiscal_year, category)
);

create table finance.invoices (
  invoice_id uuid primary key default gen_random_uuid(),
  vendor_id text not null,
  vendor_name text not null check (vendor_name <> ''),
  search_vendor text not null generated always as (lower(regexp_replace(vendor_name, '[^a-zA-Z0-9]+', '', 'g'))) stored,
  amount numeric(14,2) not null check (amount >= 0),
  currency text not null default 'USD',
  description text not null,
  department text collate "C" not null check (department <> ''),
  category text not null check (category in ('SOFTWARE', 'SERVICES', 'TRAVEL', 'FACILITIES', 'EQUIPMENT', 'TRAINING', 'OTHER')),
  status text not null default 'PENDING' check (status in ('PENDING', 'APPROVED', 'PAID', 'REJECTED')),
  invoice_date date not null,
  due_date date not null,
  submitted_by uuid not null,
  submitted_by_name text not null,
  submitted_at timestamptz not null default clock_timestamp(),
  approved_by uuid,
  approved_by_name text,
  approved_at timestamptz,
  approver_notes text,
  rejection_reason text,
  paid_by uuid,
  paid_by_name text,
  payment_date date,
  payment_reference text,
  payment_notes text,
  deleted_by uuid,
  deleted_at timestamptz,
  deletion_reason text,
  row_version bigint not null default 1,
  check (invoice_date <= due_date),
  check ((status in ('APPROVED', 'PAID')) = (approved_by is not null and approved_by_name is not null and approved_at is not null)),
  check ((status = 'PAID') = (paid_by is not null and paid_by_name is not null and payment_date is not null)),
  check ((deleted_at is null) = (deleted_by is null)),
  check (deleted_at is null or status in ('PENDING', 'REJECTED')),
  check (approved_by <> submitted_by),
  check (paid_by <> submitted_by and paid_by <> approved_by),
  check (deleted_by <> submitted_by)
);
create index invoices_by_date on finance.invoices (invoice_date, invoice_id) where deleted_at is null;
create index invoices_by_status on finance.invoices (status, invoice_date, invoice_id) where deleted_at is null;
create index invoices_by_department on finance.invoices (lower(department), invoice_date, invoice_id) where deleted_at is null;
create index invoices_unpaid on finance.invoices (due_date) where deleted_at is null and status in ('PENDING', 'APPROVED');

create table finance.expense_reports (
  report_id uuid primary key default gen_random_uuid(),
  employee_id uuid not null default tamshai.me(),
  employee_name text not null check (employee_name <> ''),
  department text collate "C" not null check (department <> ''),
  month text collate "C" not null check (month ~ '^20\d\d-(0[1-9]|1[0-2])$'),
  status text not null default 'SUBMITTED' check (status in ('DRAFT', 'SUBMITTED', 'APPROVED', 'REJECTED', 'REIMBURSED')),
  created_at timestamptz not null default clock_timestamp(),
  submitted_at timestamptz,
  approved_by uuid,
  approved_by_name text,
  approved_at timestamptz,
  approver_notes text,
  rejected_by uuid,
  rejected_by_name text,
  rejected_at timestamptz,
  rejection_reason text,
  reimbursed_by uuid,
  reimbursed_by_name text,
  reimbursed_at timestamptz,
  payment_reference text,
  payment_notes text,
  deleted_by uuid,
  deleted_at timestamptz,
  deletion_reason text,
  row_version bigint not null default 1,
  check ((status = 'DRAFT') = (submitted_at is null)),
  check ((status in ('APPROVED', 'REIMBURSED')) = (approved_by is not null and approved_by_name is not null and approved_at is not null)),
  check ((status = 'REJECTED') = (rejected_by is not null and rejected_by_name is not null and rejection_reason is not null)),
  check ((status = 'REIMBURSED') = (reimbursed_by is not null and reimbursed_by_name is not null and reimbursed_at is not null)),
  check ((deleted_at is null) = (deleted_by is null)),
  check (deleted_at is null or status in ('DRAFT', 'REJECTED')),
  check (approved_by <> employee_id),
  check (rejected_by <> employee_id),
  check (reimbursed_by <> employee_id and reimbursed_by <> approved_by),
  check (deleted_by <> employee_id)
);
create index expense_reports_by_month on finance.expense_reports (month, report_id) where deleted_at is null;
create index expense_reports_by_status on finance.expense_reports (status, month, report_id) where deleted_at is null;
create index expense_reports_of on finance.expense_reports (employee_id, month, report_id) where deleted_at is null;

-- The total of a report is the sum of its items. employee_id is repeated here, so that the items have the policies of the report.
create table finance.expense_items (
  report_id uuid not null references finance.expense_reports,
  n int not null check (n > 0),
  employee_id uuid not null default tamshai.me(),
  item_date date not null,
  category text not null check (category in ('TRAVEL', 'LODGING', 'MEALS', 'TRANSPORT', 'SUPPLIES', 'SOFTWARE', 'TRAINING', 'OTHER')),
  description text not null check (description <> ''),
  amount numeric(14,2) not null check (amount > 0),
  receipt text,
  row_version bigint not null default 1,
  primary key (report_id, n)
);
create index expense_items_by_date on finance.expense_items (item_date, report_id);

-- Annual recurring revenue (ARR): the opening value and the movements of each month. Views compute the start and the end of a month,
-- so that the months always connect.
create table finance.arr_opening (
  single boolean primary key default true check (single),
  arr numeric(14,2) not null check (arr >= 0),
  subscriptions int not null check (subscriptions >= 0)
);
create table finance.arr_months (
  month text collate "C" primary key check (month ~ '^20\d\d-(0[1-9]|1[0-2])$'),
  as_of_date date not null unique, -- the last day of the month; for the current month, the last day that is counted
  new_arr numeric(14,2) not null check (new_arr >= 0),
  expansion_arr numeric(14,2) not null check (expansion_arr >= 0),
  contraction_arr numeric(14,2) not null check (contraction_arr >= 0),
  churn_arr numeric(14,2) not null check (churn_arr >= 0),
  new_subscriptions int not null check (new_subscriptions >= 0),
  lost_subscriptions int not null check (lost_subscriptions >= 0),
  check (to_char(as_of_date, 'YYYY-MM') = month)
);

create trigger keep_to_moves before update on finance.budgets for each row execute function finance.keep_to_moves(
  'DRAFT > PENDING_APPROVAL', 'REJECTED > PENDING_APPROVAL', 'PENDING_APPROVAL > APPROVED', 'PENDING_APPROVAL > REJECTED');
create trigger keep_to_moves before update on finance.invoices for each row execute function finance.keep_to_moves(
  'PENDING > APPROVED', 'APPROVED > PAID');
create trigger keep_to_moves before update on finance.expense_reports for each row execute function finance.keep_to_moves(
  'SUBMITTED > APPROVED', 'SUBMITTED > REJECTED', 'APPROVED > REIMBURSED');
create trigger raise_version before update on finance.people for each row execute function tamshai.raise_version();
create trigger raise_version before update on finance.budgets for each row execute function tamshai.raise_version();
create trigger raise_version before update on finance.budget_lines for each row execute function tamshai.raise_version();
create trigger raise_version before update on finance.invoices for each row execute function tamshai.raise_version();
create trigger raise_version before update on finance.expense_reports for each row execute function tamshai.raise_version();
create trigger raise_version before update on finance.expense_items for each row execute function tamshai.raise_version();
