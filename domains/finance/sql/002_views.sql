-- Views for the tools. The policies of the tables apply; deleted rows are left out. row_version changes with everything that an approval
-- card shows of the row. A card shows no spending, so a payment does not invalidate it.

create view finance.budget_list with (security_invoker = true) as
select b.budget_id, b.department, b.fiscal_year, b.status, l.allocated as allocated_amount, s.spent as spent_amount,
  l.allocated - s.spent as remaining_amount,
  case when l.allocated > 0 then round(100 * s.spent / l.allocated, 2) end as utilization_percent,
  b.created_by, b.created_by_name, b.submitted_by, b.submitted_by_name, b.submitted_at, b.comments,
  b.approved_by, b.approved_by_name, b.approved_at, b.approver_notes, b.rejected_by, b.rejected_by_name, b.rejected_at, b.rejection_reason,
  concat_ws('.', b.row_version, l.lines, l.versions) as row_version
from finance.budgets b
cross join lateral (
  select coalesce(sum(allocated_amount), 0) as allocated, count(*) as lines, coalesce(sum(row_version), 0) as versions
  from finance.budget_lines where budget_id = b.budget_id
) l
cross join lateral (
  select coalesce(sum(amount), 0) as spent from finance.spending where department = b.department and fiscal_year = b.fiscal_year
) s
where b.deleted_at is null;

-- The same by category, including categories with spending but without a budget line.
create view finance.budget_categories with (security_invoker = true) as
select b.budget_id, c.category, c.allocated as allocated_amount, c.spent as spent_amount, c.allocated - c.spent as remaining_amount,
  case when c.allocated > 0 then round(100 * c.spent / c.allocated, 2) end as utilization_percent
from finance.budgets b
cross join lateral (
  select category, sum(allocated) as allocated, sum(spent) as spent
  from (
    select category, allocated_amount as allocated, 0 as spent from finance.budget_lines where budget_id = b.budget_id
    union all
    select category, 0, amount from finance.spending where department = b.department and fiscal_year = b.fiscal_year
  ) each_one
  group by category
) c
where b.deleted_at is null;

create view finance.invoice_list with (security_invoker = true) as
select invoice_id, vendor_id, vendor_name, search_vendor, amount, currency, description, department, category, status, invoice_date, due_date,
  submitted_by, submitted_by_name, submitted_at, approved_by, approved_by_name, approved_at, approver_notes, rejection_reason,
  paid_by, paid_by_name, payment_date, payment_reference, payment_notes, row_version::text as row_version
from finance.invoices where deleted_at is null;

create view finance.report_list with (security_invoker = true) as
select r.report_id, r.employee_id, r.employee_name, r.department, r.month, r.status, i.total, i.count as item_count, r.created_at, r.submitted_at,
  r.approved_by, r.approved_by_name, r.approved_at, r.approver_notes, r.rejected_by, r.rejected_by_name, r.rejected_at, r.rejection_reason,
  r.reimbursed_by, r.reimbursed_by_name, r.reimbursed_at, r.payment_reference, r.payment_notes,
  concat_ws('.', r.row_version, i.count, i.versions) as row_version
from finance.expense_reports r
-- A left join, so that the planner skips it in a query that only counts reports.
left join lateral (
  select coalesce(sum(amount), 0) as total, count(*) as count, coalesce(sum(row_version), 0) as versions
  from finance.expense_items where report_id = r.report_id
) i on true
where r.deleted_at is null;

create view finance.report_items with (security_invoker = true) as
select i.report_id, i.n, i.item_date as date, i.category, i.description, i.amount, i.receipt
from finance.expense_items i join finance.expense_reports r on r.report_id = i.report_id
where r.deleted_at is null;

create view finance.arr_movement with (security_invoker = true) as
select m.month as period, m.as_of_date, o.arr + m.net_before as starting_arr, m.new_arr, m.expansion_arr, m.contraction_arr, m.churn_arr,
  m.net as net_new_arr, o.arr + m.net_before + m.net as ending_arr, o.subscriptions + m.subscriptions as active_subscriptions
from (
  select *, coalesce(sum(net) over (order by month rows between unbounded preceding and 1 preceding), 0) as net_before,
    sum(new_subscriptions - lost_subscriptions) over (order by month) as subscriptions
  from (select *, new_arr + expansion_arr - contraction_arr - churn_arr as net from finance.arr_months) each_month
) m
cross join finance.arr_opening o;

-- ARR at the end of each month. Retention covers the last twelve months, or fewer if there are fewer.
create view finance.arr_snapshots with (security_invoker = true) as
select as_of_date, ending_arr as arr, round(ending_arr / 12, 2) as mrr, net_new_arr,
  case when base > 0 then round(100 * (base - lost) / base, 2) end as gross_revenue_retention,
  case when base > 0 then round(100 * (base - lost + expanded) / base, 2) end as net_revenue_retention,
  case when active_subscriptions > 0 then round(ending_arr / active_subscriptions, 2) end as arpu,
  active_subscriptions
from (
  select *, first_value(starting_arr) over year as base, sum(contraction_arr + churn_arr) over year as lost, sum(expansion_arr) over year as expanded
  from finance.arr_movement
  window year as (order by period rows between 11 preceding and current row)
) m;
