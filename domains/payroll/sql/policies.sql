-- Row policies and grants of payroll: payroll, HR and executives read all rows, others their own.
-- Without a caller, no row can be read or written, except by payroll_audit.
call tamshai.ensure_role('payroll_everyone');
call tamshai.ensure_role('payroll_everyone_write', 'payroll_everyone');
call tamshai.ensure_role('payroll_self');
call tamshai.ensure_role('payroll_feed');
call tamshai.ensure_role('payroll_books');
call tamshai.begin_rules('payroll');
grant usage on schema payroll to payroll_everyone, payroll_self, payroll_feed, payroll_books;
grant execute on function payroll.lines(text[], numeric[]) to payroll_everyone, payroll_self;

-- Every caller reads the pay calendar and the names of the lines.
grant select on payroll.pay_calendar, payroll.line_types to payroll_everyone, payroll_self;
create policy known on payroll.pay_calendar for select to payroll_everyone, payroll_self using ((select tamshai.principal()) is not null);
create policy known on payroll.line_types for select to payroll_everyone, payroll_self using ((select tamshai.principal()) is not null);

-- Payroll, HR and executives read the rows of every employee and contractor.
grant select on payroll.employees, payroll.pay_runs, payroll.pay_stubs, payroll.withholdings, payroll.enrolments, payroll.accounts,
  payroll.contractors, payroll.contractor_payments to payroll_everyone;
create policy everyone on payroll.employees for select to payroll_everyone using ((select tamshai.principal()) is not null);
create policy everyone on payroll.pay_runs for select to payroll_everyone using ((select tamshai.principal()) is not null);
create policy everyone on payroll.pay_stubs for select to payroll_everyone using ((select tamshai.principal()) is not null);
create policy everyone on payroll.withholdings for select to payroll_everyone using ((select tamshai.principal()) is not null);
create policy everyone on payroll.enrolments for select to payroll_everyone using ((select tamshai.principal()) is not null);
create policy everyone on payroll.accounts for select to payroll_everyone using ((select tamshai.principal()) is not null);
create policy everyone on payroll.contractors for select to payroll_everyone using ((select tamshai.principal()) is not null);
create policy everyone on payroll.contractor_payments for select to payroll_everyone using ((select tamshai.principal()) is not null);

-- Callers see the amounts in their own rows. They see other amounts and totals only if they may see pay: a changed total reveals a changed
-- part.
grant select on payroll.stub_pay, payroll.run_totals, payroll.withholding_extras, payroll.enrolment_amounts, payroll.account_shares,
  payroll.contractor_rates, payroll.contractor_amounts to payroll_everyone;
create policy everyone on payroll.stub_pay for select to payroll_everyone
  using ((select tamshai.shows('pay')) or employee_id = (select tamshai.me()));
create policy everyone on payroll.withholding_extras for select to payroll_everyone
  using ((select tamshai.shows('pay')) or employee_id = (select tamshai.me()));
create policy everyone on payroll.enrolment_amounts for select to payroll_everyone
  using ((select tamshai.shows('pay')) or employee_id = (select tamshai.me()));
create policy everyone on payroll.account_shares for select to payroll_everyone
  using ((select tamshai.shows('pay')) or employee_id = (select tamshai.me()));
create policy everyone on payroll.run_totals for select to payroll_everyone using ((select tamshai.shows('pay')));
create policy everyone on payroll.contractor_rates for select to payroll_everyone using ((select tamshai.shows('pay')));
create policy everyone on payroll.contractor_amounts for select to payroll_everyone using ((select tamshai.shows('pay')));

-- All others read their own rows, and the pay runs that include them.
grant select on payroll.employees, payroll.pay_runs, payroll.pay_stubs, payroll.stub_pay, payroll.withholdings, payroll.withholding_extras,
  payroll.enrolments, payroll.enrolment_amounts, payroll.accounts, payroll.account_shares to payroll_self;
create policy self on payroll.employees for select to payroll_self using (employee_id = (select tamshai.me()));
create policy self on payroll.pay_runs for select to payroll_self using (exists (
  select from payroll.pay_stubs s where s.employee_id = (select tamshai.me()) and s.pay_date = pay_runs.pay_date
  and s.pay_run_id = pay_runs.pay_run_id));
create policy self on payroll.pay_stubs for select to payroll_self using (employee_id = (select tamshai.me()));
create policy self on payroll.stub_pay for select to payroll_self using (employee_id = (select tamshai.me()));
create policy self on payroll.withholdings for select to payroll_self using (employee_id = (select tamshai.me()));
create policy self on payroll.withholding_extras for select to payroll_self using (employee_id = (select tamshai.me()));
create policy self on payroll.enrolments for select to payroll_self using (employee_id = (select tamshai.me()));
create policy self on payroll.enrolment_amounts for select to payroll_self using (employee_id = (select tamshai.me()));
create policy self on payroll.accounts for select to payroll_self using (employee_id = (select tamshai.me()));
create policy self on payroll.account_shares for select to payroll_self using (employee_id = (select tamshai.me()));

grant select on payroll.people, payroll.stubs, payroll.stub_details, payroll.tax_lines, payroll.elections, payroll.benefits,
  payroll.deposits
  to payroll_everyone, payroll_self;
grant select on payroll.runs, payroll.contractor_list, payroll.contractor_pay to payroll_everyone;

-- Callers who may see pay make pay runs in their own name. No role may change or delete a run or a stub.
grant select on payroll.salaries, payroll.run_costs to payroll_everyone;
create policy everyone on payroll.salaries for select to payroll_everyone using ((select tamshai.shows('pay')));
create policy everyone on payroll.run_costs for select to payroll_everyone using ((select tamshai.shows('pay')));
grant insert (run_type, status, pay_date, period_start, period_end, employee_count, run_by, run_by_name) on payroll.pay_runs
  to payroll_everyone_write;
create policy run on payroll.pay_runs for insert to payroll_everyone_write
  with check ((select tamshai.shows('pay')) and run_by = (select tamshai.me()) and run_type = 'REGULAR');
grant insert on payroll.run_totals, payroll.run_costs to payroll_everyone_write;
grant insert (pay_run_id, employee_id, pay_date) on payroll.pay_stubs to payroll_everyone_write;
grant insert (pay_stub_id, employee_id, earning_codes, earning_amounts, tax_codes, tax_amounts, deduction_codes, deduction_amounts,
  employer_taxes, employer_benefits) on payroll.stub_pay to payroll_everyone_write;
-- The totals of a stub are generated columns.
grant execute on function payroll.total(numeric[]) to payroll_everyone_write;
create policy run on payroll.run_totals for insert to payroll_everyone_write with check (exists (
  select from payroll.pay_runs r where r.pay_run_id = run_totals.pay_run_id and r.run_by = (select tamshai.me())));
create policy run on payroll.run_costs for insert to payroll_everyone_write with check (exists (
  select from payroll.pay_runs r where r.pay_run_id = run_costs.pay_run_id and r.run_by = (select tamshai.me())));
create policy run on payroll.pay_stubs for insert to payroll_everyone_write with check (exists (
  select from payroll.pay_runs r where r.pay_run_id = pay_stubs.pay_run_id and r.run_by = (select tamshai.me())));
create policy run on payroll.stub_pay for insert to payroll_everyone_write with check (exists (
  select from payroll.pay_stubs s where s.pay_stub_id = stub_pay.pay_stub_id and s.employee_id = stub_pay.employee_id));

-- The feed of pay runs for the books of other domains, which payroll.log_runs (004_runs.sql) writes as the system role.
grant select on payroll.run_log, payroll.run_costs to payroll_books;
grant select (pay_run_id, run_type, pay_date) on payroll.pay_runs to payroll_books;
create policy books on payroll.run_log for select to payroll_books using ((select tamshai.principal()) is not null);
create policy books on payroll.run_costs for select to payroll_books using ((select tamshai.principal()) is not null);
create policy books on payroll.pay_runs for select to payroll_books using ((select tamshai.principal()) is not null);
grant usage on schema payroll to tamshai_payroll_keeper;
grant select, insert on payroll.run_log to tamshai_payroll_keeper;
grant usage on sequence payroll.run_log_n to tamshai_payroll_keeper;
create policy keeper on payroll.run_log to tamshai_payroll_keeper using (true) with check (true);

-- The change feed of hr updates names and employment of people on the payroll. It may not insert: a new person needs agreed pay first.
grant select (employee_id, employee_name, department, active), update (employee_name, department, active) on payroll.employees
  to payroll_feed;
create policy feed_reads on payroll.employees for select to payroll_feed using ((select tamshai.principal()) is not null);
create policy feed on payroll.employees for update to payroll_feed using ((select tamshai.principal()) is not null);
grant select (employee_id, effective_from), insert, delete on payroll.salaries to payroll_feed;
create policy feed on payroll.salaries to payroll_feed
  using ((select tamshai.principal()) is not null) with check ((select tamshai.principal()) is not null);
grant select, insert (source), update (n) on payroll.feed to payroll_feed;
create policy feed on payroll.feed to payroll_feed
  using ((select tamshai.principal()) is not null) with check ((select tamshai.principal()) is not null);
