-- The ledger of spending. Each entry has a day and names its source: an invoice, an expense report or a pay run. What was spent in a
-- period is the sum of its entries. OPENING is what older versions counted as spent without a source.
create table finance.ledger (
  entry_id uuid primary key default gen_random_uuid(),
  entry_date date not null,
  department text collate "C" not null check (department <> ''),
  category text not null check (category in
    ('SOFTWARE', 'SERVICES', 'TRAVEL', 'FACILITIES', 'EQUIPMENT', 'TRAINING', 'OTHER', 'PAYROLL')),
  amount numeric(14,2) not null,
  source text not null check (source in ('INVOICE', 'EXPENSE_REPORT', 'PAY_RUN', 'OPENING')),
  source_id uuid,
  description text not null check (description <> ''),
  people int check (people > 0), -- paid by this entry of a pay run
  check (amount >= 0 or source = 'OPENING'),
  check ((source = 'OPENING') = (source_id is null)),
  check ((source = 'PAY_RUN') = (category = 'PAYROLL') and (source = 'PAY_RUN') = (people is not null)),
  unique (source, source_id, department, category) -- a source is entered once
);
create index ledger_by_date on finance.ledger (entry_date, entry_id);
-- Sums of a department read this index only.
create index ledger_of on finance.ledger (department, entry_date) include (category, amount);

-- The budget category of each kind of expense.
create function finance.counts_as(kind text) returns text language sql immutable parallel safe
  return case when kind in ('TRAVEL', 'LODGING', 'MEALS', 'TRANSPORT') then 'TRAVEL' when kind = 'SUPPLIES' then 'EQUIPMENT' else kind end;

-- Row-level security binds the owner too, and is suspended for these statements.
do $$ begin
  alter table finance.invoices no force row level security;
  alter table finance.expense_reports no force row level security;
  alter table finance.expense_items no force row level security;
  alter table finance.spending no force row level security;
  insert into finance.ledger (entry_date, department, category, amount, source, source_id, description)
  select payment_date, department, category, amount, 'INVOICE', invoice_id, vendor_name || ': ' || description
  from finance.invoices where status = 'PAID';
  insert into finance.ledger (entry_date, department, category, amount, source, source_id, description)
  select r.reimbursed_at::date, r.department, finance.counts_as(i.category), sum(i.amount), 'EXPENSE_REPORT', r.report_id, 'Expenses of ' || r.month
  from finance.expense_reports r join finance.expense_items i on i.report_id = r.report_id
  where r.status = 'REIMBURSED' group by 1, 2, 3, 6;
  -- January 1 of a year is in the fiscal year of that name, whatever its first month.
  insert into finance.ledger (entry_date, department, category, amount, source, description)
  select make_date(s.fiscal_year, 1, 1), s.department, s.category, s.amount - coalesce(e.amount, 0), 'OPENING', 'Spent before the ledger'
  from finance.spending s
  left join (
    select department, category, extract(year from entry_date)::int as year, sum(amount) as amount from finance.ledger group by 1, 2, 3
  ) e on e.department = s.department and e.category = s.category and e.year = s.fiscal_year
  where s.amount <> coalesce(e.amount, 0);
  alter table finance.invoices force row level security;
  alter table finance.expense_reports force row level security;
  alter table finance.expense_items force row level security;
end $$;

drop view finance.budget_categories;
drop view finance.budget_list;
drop table finance.spending;

-- A budget line is the amount of one category in one month of the fiscal year, 1 to 12. Older lines are divided among the months.
alter table finance.budget_lines add column fiscal_month int not null default 1 check (fiscal_month between 1 and 12);
alter table finance.budget_lines alter column fiscal_month drop default;
alter table finance.budget_lines drop constraint budget_lines_pkey;
alter table finance.budget_lines add primary key (budget_id, category, fiscal_month);
alter table finance.budget_lines drop constraint budget_lines_category_check;
alter table finance.budget_lines add constraint budget_lines_category_check check (category in
  ('SOFTWARE', 'SERVICES', 'TRAVEL', 'FACILITIES', 'EQUIPMENT', 'TRAINING', 'OTHER', 'PAYROLL'));
do $$ begin
  alter table finance.budget_lines no force row level security;
  insert into finance.budget_lines (budget_id, category, fiscal_month, allocated_amount)
  select budget_id, category, month, trunc(allocated_amount / 12, 2) from finance.budget_lines, generate_series(2, 12) as month;
  update finance.budget_lines l set allocated_amount = allocated_amount - (
    select sum(m.allocated_amount) from finance.budget_lines m
    where m.budget_id = l.budget_id and m.category = l.category and m.fiscal_month > 1)
  where fiscal_month = 1;
  alter table finance.budget_lines force row level security;
end $$;

-- The row version changes with everything that an approval card shows of the budget. Tools add what was spent, from the ledger.
create view finance.budget_list with (security_invoker = true) as
select b.budget_id, b.department, b.fiscal_year, b.status, b.created_by, b.created_by_name, b.submitted_by, b.submitted_by_name, b.submitted_at,
  b.comments, b.approved_by, b.approved_by_name, b.approved_at, b.approver_notes, b.rejected_by, b.rejected_by_name, b.rejected_at, b.rejection_reason,
  concat_ws('.', b.row_version, l.lines, l.versions) as row_version
from finance.budgets b
left join lateral (
  select count(*) as lines, coalesce(sum(row_version), 0) as versions from finance.budget_lines where budget_id = b.budget_id
) l on true
where b.deleted_at is null;

-- The payroll of the caller's department for readers who may not see pay: one sum for a quarter that has ended, of five people or more.
-- A sum of a running quarter would grow by single pay runs.
create function finance.payroll_quarters(fiscal_year_start int, today date)
returns table (entry_id uuid, first_date date, entry_date date, department text, category text, amount numeric, source text, source_id uuid,
  description text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select md5(q.department || q.first)::uuid, q.first, q.last, q.department, 'PAYROLL', q.amount, 'PAY_RUN', null::uuid,
    'Payroll from ' || q.first || ' to ' || q.last
  from (
    select l.department, m.first, (m.first + interval '3 months')::date - 1 as last, sum(l.amount) as amount, max(l.people) as people
    from finance.ledger l
    cross join lateral (
      select (date_trunc('month', l.entry_date) - make_interval(
        months => (extract(month from l.entry_date)::int + 12 - fiscal_year_start) % 3))::date as first
    ) m
    where l.source = 'PAY_RUN'
      and l.department = (select p.department from finance.people p where p.employee_id = (select tamshai.me()) and p.active)
    group by l.department, m.first
  ) q
  where q.people >= 5 and q.last < today
$$;
grant tamshai_finance_keeper to current_user;
grant create on schema finance to tamshai_finance_keeper;
alter function finance.payroll_quarters(int, date) owner to tamshai_finance_keeper;
revoke create on schema finance from tamshai_finance_keeper;
