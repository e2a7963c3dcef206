-- Row policies and grants of finance. Finance and executives read all rows. Managers read rows of their department and of the people who
-- report to them, at any level. Others read their own rows. Without a caller, only finance_audit and the system role tamshai_finance_keeper
-- have access.
call tamshai.ensure_role('finance_everyone');
call tamshai.ensure_role('finance_everyone_write', 'finance_everyone');
call tamshai.ensure_role('finance_team');
call tamshai.ensure_role('finance_team_write', 'finance_team');
call tamshai.ensure_role('finance_self');
call tamshai.ensure_role('finance_self_write', 'finance_self');
call tamshai.ensure_role('finance_feed');
call tamshai.begin_rules('finance');
grant usage on schema finance to finance_everyone, finance_team, finance_self, finance_feed;

-- People: callers read their own row. Managers also read finance.chain, which lists everyone who reports to them, at any level.
grant select on finance.people to finance_team, finance_self;
create policy own on finance.people for select to finance_team, finance_self using (employee_id = (select tamshai.me()) and active);
grant select on finance.chain to finance_team;
create policy below on finance.chain for select to finance_team using (manager_id = (select tamshai.me()));

-- Only finance and executives read invoices and ARR.
grant select on finance.invoices, finance.invoice_list, finance.arr_opening, finance.arr_months, finance.arr_movement, finance.arr_snapshots
  to finance_everyone;
create policy everyone on finance.invoices for select to finance_everyone using ((select tamshai.principal()) is not null);
create policy everyone on finance.arr_opening for select to finance_everyone using ((select tamshai.principal()) is not null);
create policy everyone on finance.arr_months for select to finance_everyone using ((select tamshai.principal()) is not null);

-- Managers read the budgets and the spending of their own department; finance and executives read all. Managers do not read pay runs:
-- for them, finance.payroll_quarters returns sums of whole quarters.
grant select on finance.budgets, finance.budget_lines, finance.budget_list to finance_everyone, finance_team;
grant select on finance.ledger to finance_everyone;
grant select (entry_id, entry_date, department, category, amount, source, source_id, description) on finance.ledger to finance_team;
grant execute on function finance.payroll_quarters(int, date) to finance_team;
create policy everyone on finance.budgets for select to finance_everyone using ((select tamshai.principal()) is not null);
create policy everyone on finance.budget_lines for select to finance_everyone using ((select tamshai.principal()) is not null);
create policy everyone on finance.ledger for select to finance_everyone using ((select tamshai.principal()) is not null);
create policy department on finance.budgets for select to finance_team
  using (department = (select department from finance.people where employee_id = (select tamshai.me())));
create policy department on finance.budget_lines for select to finance_team
  using (exists (select from finance.budgets b where b.budget_id = budget_lines.budget_id));
create policy department on finance.ledger for select to finance_team
  using (source <> 'PAY_RUN' and department = (select department from finance.people where employee_id = (select tamshai.me())));

-- Everyone reads their own expenses. Managers also read expenses of the people who report to them; finance and executives read all.
grant select on finance.expense_reports, finance.expense_items, finance.report_list, finance.report_items
  to finance_everyone, finance_team, finance_self;
create policy everyone on finance.expense_reports for select to finance_everyone using ((select tamshai.principal()) is not null);
create policy everyone on finance.expense_items for select to finance_everyone using ((select tamshai.principal()) is not null);
-- The ids are an array. PostgreSQL then uses the index on employee_id, also for a small team in a large table.
create policy below on finance.expense_reports for select to finance_team
  using (employee_id = any (array(select (select tamshai.me()) union all select c.employee_id from finance.chain c)));
create policy below on finance.expense_items for select to finance_team
  using (employee_id = any (array(select (select tamshai.me()) union all select c.employee_id from finance.chain c)));
create policy self on finance.expense_reports for select to finance_self using (employee_id = (select tamshai.me()));
create policy self on finance.expense_items for select to finance_self using (employee_id = (select tamshai.me()));

-- Writes. A policy decides who may change which rows. A trigger allows only legal changes of status. Check constraints require different
-- people for the steps of one row. Budgets: managers submit budgets of their own department. Finance and executives submit any budget,
-- decide on budgets of others, and delete drafts.
grant update (status, submitted_by, submitted_by_name, submitted_at, comments, rejected_by, rejected_by_name,
  rejected_at, rejection_reason)
  on finance.budgets to finance_everyone_write, finance_team_write;
grant update (approved_by, approved_by_name, approved_at, approver_notes, deleted_by, deleted_at, deletion_reason) on finance.budgets
  to finance_everyone_write;
grant update (updated_by, updated_by_name, updated_at) on finance.budgets to finance_everyone_write, finance_team_write;
grant update (closed_by, closed_by_name, closed_at, closing_notes) on finance.budgets to finance_everyone_write;
grant insert (department, fiscal_year, created_by, created_by_name, comments) on finance.budgets
  to finance_everyone_write, finance_team_write;
create policy draft on finance.budgets for insert to finance_everyone_write
  with check (status = 'DRAFT' and created_by = (select tamshai.me()));
create policy draft_own on finance.budgets for insert to finance_team_write
  with check (status = 'DRAFT' and created_by = (select tamshai.me())
    and department = (select department from finance.people where employee_id = (select tamshai.me())));
-- A changed draft keeps its status; a trigger allows no other way back to DRAFT or REJECTED.
create policy submit on finance.budgets for update to finance_team_write
  using (deleted_at is null and status in ('DRAFT', 'REJECTED')
    and department = (select department from finance.people where employee_id = (select tamshai.me())))
  with check (deleted_at is null and case
    when status = 'PENDING_APPROVAL' then submitted_by = (select tamshai.me())
    when status in ('DRAFT', 'REJECTED') then updated_by = (select tamshai.me())
    else false end);
create policy move on finance.budgets for update to finance_everyone_write
  using (deleted_at is null and (status in ('DRAFT', 'REJECTED', 'APPROVED') or (status = 'PENDING_APPROVAL'
  and submitted_by <> (select tamshai.me()))))
  with check (case
    when deleted_at is not null then deleted_by = (select tamshai.me()) and created_by <> (select tamshai.me())
    when status = 'DRAFT' then updated_by = (select tamshai.me())
    when status = 'PENDING_APPROVAL' then submitted_by = (select tamshai.me())
    when status = 'APPROVED' then approved_by = (select tamshai.me())
    when status = 'REJECTED' then rejected_by = (select tamshai.me()) or updated_by = (select tamshai.me())
    when status = 'CLOSED' then closed_by = (select tamshai.me())
    else false end);
grant insert (budget_id, category, fiscal_month, allocated_amount), delete on finance.budget_lines
  to finance_everyone_write, finance_team_write;
create policy plan on finance.budget_lines for insert to finance_everyone_write, finance_team_write
  with check (exists (select from finance.budgets b where b.budget_id = budget_lines.budget_id and b.deleted_at is null
    and b.status in ('DRAFT', 'REJECTED')));
create policy replan on finance.budget_lines for delete to finance_everyone_write, finance_team_write
  using (exists (select from finance.budgets b where b.budget_id = budget_lines.budget_id and b.deleted_at is null
    and b.status in ('DRAFT', 'REJECTED')));
grant update (allocated_amount) on finance.budget_lines to finance_everyone_write;
create policy decide on finance.budget_lines for update to finance_everyone_write
  using (exists (select from finance.budgets b where b.budget_id = budget_lines.budget_id and b.deleted_at is null
    and b.status = 'PENDING_APPROVAL' and b.submitted_by <> (select tamshai.me())));

-- Invoices: callers record invoices in their own name, do not change invoices that they submitted, and do not pay invoices that they
-- approved.
grant select (department, active) on finance.people to finance_everyone;
create policy departments on finance.people for select to finance_everyone using ((select tamshai.principal()) is not null);
grant insert (vendor_id, vendor_name, amount, description, department, category, invoice_date, due_date, submitted_by, submitted_by_name)
  on finance.invoices to finance_everyone_write;
create policy record on finance.invoices for insert to finance_everyone_write
  with check (status = 'PENDING' and submitted_by = (select tamshai.me()));
grant update (status, rejected_by, rejected_by_name, rejected_at, rejection_reason, approved_by, approved_by_name, approved_at,
  approver_notes, paid_by, paid_by_name, payment_date, payment_reference, payment_notes,
  deleted_by, deleted_at, deletion_reason) on finance.invoices to finance_everyone_write;
create policy move on finance.invoices for update to finance_everyone_write
  using (deleted_at is null and submitted_by <> (select tamshai.me())
    and (status in ('PENDING', 'REJECTED') or (status = 'APPROVED' and approved_by <> (select tamshai.me()))))
  with check (case
    when deleted_at is not null then deleted_by = (select tamshai.me())
    when status = 'APPROVED' then approved_by = (select tamshai.me())
    when status = 'REJECTED' then rejected_by = (select tamshai.me())
    when status = 'PAID' then paid_by = (select tamshai.me())
    else false end);

-- Expenses: callers submit their own reports, and never decide on, reimburse or delete them.
grant insert (employee_name, department, month, submitted_at) on finance.expense_reports to finance_self_write;
create policy hand_in on finance.expense_reports for insert to finance_self_write
  with check (employee_id = (select tamshai.me()) and status = 'SUBMITTED');
grant insert (report_id, n, item_date, category, description, amount, receipt) on finance.expense_items to finance_self_write;
create policy hand_in on finance.expense_items for insert to finance_self_write
  with check (employee_id = (select tamshai.me()) and exists (
    select from finance.expense_reports r where r.report_id = expense_items.report_id and r.employee_id = (select tamshai.me())
    and r.status = 'SUBMITTED'));
grant update (status, submitted_at, rejected_by, rejected_by_name, rejected_at, rejection_reason) on finance.expense_reports
  to finance_self_write;
create policy hand_in_again on finance.expense_reports for update to finance_self_write
  using (deleted_at is null and employee_id = (select tamshai.me()) and status in ('DRAFT', 'REJECTED'))
  with check (employee_id = (select tamshai.me()) and status = 'SUBMITTED');
grant delete on finance.expense_items to finance_self_write;
create policy correct on finance.expense_items for delete to finance_self_write
  using (employee_id = (select tamshai.me()) and exists (
    select from finance.expense_reports r where r.report_id = expense_items.report_id and r.employee_id = (select tamshai.me())
    and r.deleted_at is null and r.status in ('DRAFT', 'REJECTED')));
grant update (status, approved_by, approved_by_name, approved_at, approver_notes, rejected_by, rejected_by_name,
  rejected_at, rejection_reason) on finance.expense_reports to finance_everyone_write, finance_team_write;
grant update (reimbursed_by, reimbursed_by_name, reimbursed_at, payment_reference, payment_notes, deleted_by, deleted_at, deletion_reason)
  on finance.expense_reports to finance_everyone_write;
create policy decide on finance.expense_reports for update to finance_team_write
  using (deleted_at is null and status = 'SUBMITTED' and employee_id <> (select tamshai.me())
    and employee_id = any (array(select c.employee_id from finance.chain c)))
  with check (case
    when status = 'APPROVED' then approved_by = (select tamshai.me())
    when status = 'REJECTED' then rejected_by = (select tamshai.me())
    else false end);
create policy move on finance.expense_reports for update to finance_everyone_write
  using (deleted_at is null and employee_id <> (select tamshai.me())
    and (status in ('DRAFT', 'SUBMITTED', 'REJECTED') or (status = 'APPROVED' and approved_by <> (select tamshai.me()))))
  with check (case
    when deleted_at is not null then deleted_by = (select tamshai.me())
    when status = 'APPROVED' then approved_by = (select tamshai.me())
    when status = 'REJECTED' then rejected_by = (select tamshai.me())
    when status = 'REIMBURSED' then reimbursed_by = (select tamshai.me())
    else false end);

-- A payment is entered in the ledger with the amount of its invoice or report. No role may change or delete an entry.
grant insert (entry_date, department, category, amount, source, source_id, description) on finance.ledger to finance_everyone_write;
grant execute on function finance.counts_as(text) to finance_everyone_write;
create policy pay on finance.ledger for insert to finance_everyone_write with check (case source
  when 'INVOICE' then exists (select from finance.invoices i where i.invoice_id = source_id and i.paid_by = (select tamshai.me())
    and i.status = 'PAID' and (i.department, i.category, i.amount, i.payment_date)
    is not distinct from (ledger.department, ledger.category, ledger.amount, ledger.entry_date))
  when 'EXPENSE_REPORT' then exists (select from finance.expense_reports r where r.report_id = source_id
    and r.reimbursed_by = (select tamshai.me()) and r.status = 'REIMBURSED' and r.department = ledger.department
    and ledger.amount = (select sum(i.amount) from finance.expense_items i
      where i.report_id = r.report_id and finance.counts_as(i.category) = ledger.category))
  else false end);

-- The change feed of hr updates finance.people and records its position. Then finance.keep_chain (003_feed.sql) updates the chain as the
-- system role tamshai_finance_keeper.
grant select (employee_id, name, department, manager_id, active), insert (employee_id, name, department, manager_id, active),
  update (name, department, manager_id, active) on finance.people to finance_feed;
create policy feed on finance.people to finance_feed
  using ((select tamshai.principal()) is not null) with check ((select tamshai.principal()) is not null);
-- The feed of payroll enters pay runs in the ledger.
grant select (source, source_id), insert (entry_date, department, category, amount, source, source_id, description, people)
  on finance.ledger to finance_feed;
create policy feed on finance.ledger for select to finance_feed using (source = 'PAY_RUN' and (select tamshai.principal()) is not null);
create policy feed_enters on finance.ledger for insert to finance_feed
  with check (source = 'PAY_RUN' and (select tamshai.principal()) is not null);
grant select, insert (source), update (n) on finance.feed to finance_feed;
create policy feed on finance.feed to finance_feed
  using ((select tamshai.principal()) is not null) with check ((select tamshai.principal()) is not null);
grant usage on schema finance to tamshai_finance_keeper;
grant select (employee_id, manager_id, active, department) on finance.people to tamshai_finance_keeper;
grant select, insert, delete on finance.chain to tamshai_finance_keeper;
create policy keeper on finance.people for select to tamshai_finance_keeper using (true);
create policy keeper on finance.chain to tamshai_finance_keeper using (true) with check (true);
grant usage on schema tamshai to tamshai_finance_keeper;
grant execute on function tamshai.me() to tamshai_finance_keeper;
grant select on finance.ledger to tamshai_finance_keeper;
create policy keeper on finance.ledger for select to tamshai_finance_keeper using (source = 'PAY_RUN');
