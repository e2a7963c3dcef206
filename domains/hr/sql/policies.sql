-- Row policies and grants of hr. The whole file runs whenever it changes. Only the rights granted here exist. Without a caller, only
-- hr_audit and the system role tamshai_hr_keeper have access.

-- "Below" a manager is everyone who reports to them, at any level (hr.chain). A policy that needs a row in hr.chain uses `select true` and
-- not `exists`: PostgreSQL then looks up each row of a page and does not hash the whole table.

-- A write policy repeats the conditions for reading: PostgreSQL applies no read policy to a statement that reads no column.
call tamshai.ensure_role('hr_everyone');
call tamshai.ensure_role('hr_everyone_write', 'hr_everyone');
call tamshai.ensure_role('hr_reports');
call tamshai.ensure_role('hr_reports_write', 'hr_reports');
call tamshai.ensure_role('hr_self');
call tamshai.ensure_role('hr_self_write', 'hr_self');
call tamshai.ensure_role('hr_directory');
call tamshai.ensure_role('hr_feed');
call tamshai.ensure_role('hr_salaries');
call tamshai.begin_rules('hr');

grant usage on schema hr to hr_everyone, hr_reports, hr_self, hr_directory, hr_feed, hr_salaries;
grant execute on function hr.my_list(), hr.my_gathered_list() to hr_everyone, hr_reports;
grant execute on function hr.plain_name(text) to hr_everyone, hr_reports, hr_directory;

-- Employees: HR and executives read all rows, managers the people below and their own row, others their own row. "All rows" includes people
-- who left: the update that ends an employment must still see its row. The views leave them out.
grant select on hr.employees, hr.chain, hr.people, hr.team to hr_everyone, hr_reports;
grant select on hr.staff to hr_everyone;
grant select on hr.employees, hr.people to hr_self;
create policy everyone on hr.employees for select to hr_everyone using ((select tamshai.principal()) is not null);
create policy reports on hr.employees for select to hr_reports
  using (employee_id = (select tamshai.me()) or (select true from hr.chain c where c.employee_id = employees.employee_id
  and c.manager_id = (select tamshai.me())));
create policy self on hr.employees for select to hr_self using (employee_id = (select tamshai.me()) and active);
create policy everyone on hr.chain for select to hr_everyone using ((select tamshai.principal()) is not null);
create policy reports on hr.chain for select to hr_reports using (manager_id = (select tamshai.me()));

-- The directory: these columns of active employees. Sign-in calls hr.employment() to check that a person still works here.
grant select (employee_id, first_name, last_name, search_name, department, job_title, email, location, manager_id, manager_name, active)
  on hr.employees to hr_directory;
grant select on hr.directory to hr_directory;
grant execute on function hr.employment(uuid) to hr_directory;
create policy directory on hr.employees for select to hr_directory using ((select tamshai.principal()) is not null and active);

-- Departments and grades: every employee reads departments; only callers who see pay read the salary bands of grades.
grant select (department_key) on hr.employees to hr_directory;
grant select on hr.departments, hr.department_list to hr_directory, hr_everyone;
create policy directory on hr.departments for select to hr_directory using ((select tamshai.principal()) is not null);
create policy everyone on hr.departments for select to hr_everyone using ((select tamshai.principal()) is not null);
grant select on hr.grade_levels to hr_everyone;
create policy everyone on hr.grade_levels for select to hr_everyone using ((select tamshai.shows('pay')));
grant update (head_id) on hr.departments to hr_everyone_write;
create policy head on hr.departments for update to hr_everyone_write using ((select tamshai.principal()) is not null);

-- The change feed for other domains' copies of people (005_feed.sql): these columns of every employee, including people who left.
grant select on hr.people_log to hr_feed;
grant select (employee_id, first_name, last_name, department, manager_id, active) on hr.employees to hr_feed;
create policy feed on hr.people_log for select to hr_feed using ((select tamshai.principal()) is not null);
create policy feed on hr.employees for select to hr_feed using ((select tamshai.principal()) is not null);

-- The change feed of salaries for payroll (011_pay_feed.sql).
grant select on hr.pay_log to hr_salaries;
grant select (employee_id, hire_date) on hr.employees to hr_salaries;
grant select (employee_id, salary) on hr.pay to hr_salaries;
grant select (employee_id, effective_date, planned_salary) on hr.planned_pay to hr_salaries;
create policy salaries on hr.pay_log for select to hr_salaries using ((select tamshai.principal()) is not null);
create policy salaries on hr.employees for select to hr_salaries using ((select tamshai.principal()) is not null);
create policy salaries on hr.pay for select to hr_salaries using ((select tamshai.principal()) is not null);
create policy salaries on hr.planned_pay for select to hr_salaries using ((select tamshai.principal()) is not null);

-- Masked columns: a caller sees a value if tamshai.shows() lifts the mask. A manager sees only values of people below. Callers always see
-- their own pay and contact data. For the SSN there is no such exception.
grant select on hr.pay, hr.contact, hr.identity to hr_everyone, hr_reports, hr_self;
-- The salary of a later day: only callers with the mask planned_pay see it before that day.
grant select on hr.planned_pay to hr_everyone, hr_reports, hr_self;
grant execute on function hr.today() to hr_everyone, hr_reports, hr_self;
create policy everyone on hr.planned_pay for select to hr_everyone
  using ((((select tamshai.shows('pay')) or employee_id = (select tamshai.me())) and effective_date <= (select hr.today()))
    or (select tamshai.shows('planned_pay')));
create policy reports on hr.planned_pay for select to hr_reports
  using (effective_date <= (select hr.today()) and (employee_id = (select tamshai.me())
    or ((select tamshai.shows('pay')) and (select true from hr.chain c where c.employee_id = planned_pay.employee_id
    and c.manager_id = (select tamshai.me())))));
create policy self on hr.planned_pay for select to hr_self
  using (employee_id = (select tamshai.me()) and effective_date <= (select hr.today()));

-- The salary history: HR and executives, and each employee their own amounts without reasons.
grant select on hr.salary_history to hr_everyone;
grant select (history_id, employee_id, old_salary, new_salary, effective_date) on hr.salary_history to hr_self;
create policy everyone on hr.salary_history for select to hr_everyone
  using ((select tamshai.shows('pay')) and (effective_date <= (select hr.today()) or (select tamshai.shows('planned_pay'))));
create policy self on hr.salary_history for select to hr_self
  using (employee_id = (select tamshai.me()) and effective_date <= (select hr.today()));

create policy everyone on hr.pay for select to hr_everyone using ((select tamshai.shows('pay')) or employee_id = (select tamshai.me()));
create policy reports on hr.pay for select to hr_reports
  using (employee_id = (select tamshai.me())
    or ((select tamshai.shows('pay')) and (select true from hr.chain c where c.employee_id = pay.employee_id
    and c.manager_id = (select tamshai.me()))));
create policy self on hr.pay for select to hr_self using (employee_id = (select tamshai.me()));
create policy everyone on hr.contact for select to hr_everyone
  using ((select tamshai.shows('contact')) or employee_id = (select tamshai.me()));
create policy reports on hr.contact for select to hr_reports
  using (employee_id = (select tamshai.me())
    or ((select tamshai.shows('contact')) and (select true from hr.chain c where c.employee_id = contact.employee_id
    and c.manager_id = (select tamshai.me()))));
create policy self on hr.contact for select to hr_self using (employee_id = (select tamshai.me()));
create policy everyone on hr.identity for select to hr_everyone using ((select tamshai.shows('ssn')));
create policy reports on hr.identity for select to hr_reports
  using ((select tamshai.shows('ssn')) and (select true from hr.chain c where c.employee_id = identity.employee_id
  and c.manager_id = (select tamshai.me())));
create policy self on hr.identity for select to hr_self using ((select tamshai.shows('ssn')) and employee_id = (select tamshai.me()));

-- Reviews: a manager reads those of the people below, not their own.
grant select on hr.performance_reviews, hr.reviews to hr_everyone, hr_reports;
create policy everyone on hr.performance_reviews for select to hr_everyone using ((select tamshai.principal()) is not null);
create policy reports on hr.performance_reviews for select to hr_reports
  using ((select true from hr.chain c where c.employee_id = performance_reviews.employee_id and c.manager_id = (select tamshai.me())));

-- Time off.
grant select on hr.time_off_types, hr.time_off_balances, hr.balances, hr.time_off_requests, hr.time_off to hr_everyone, hr_reports, hr_self;
grant select on hr.team_time_off to hr_everyone, hr_reports;
create policy everyone on hr.time_off_types for select to hr_everyone, hr_reports, hr_self using ((select tamshai.principal()) is not null);
create policy everyone on hr.time_off_balances for select to hr_everyone using ((select tamshai.principal()) is not null);
create policy reports on hr.time_off_balances for select to hr_reports
  using (employee_id = (select tamshai.me()) or (select true from hr.chain c where c.employee_id = time_off_balances.employee_id
  and c.manager_id = (select tamshai.me())));
create policy self on hr.time_off_balances for select to hr_self using (employee_id = (select tamshai.me()));
create policy everyone on hr.time_off_requests for select to hr_everyone using ((select tamshai.principal()) is not null);
create policy reports on hr.time_off_requests for select to hr_reports
  using (employee_id = (select tamshai.me()) or (select true from hr.chain c where c.employee_id = time_off_requests.employee_id
  and c.manager_id = (select tamshai.me())));
create policy self on hr.time_off_requests for select to hr_self using (employee_id = (select tamshai.me()));

-- Requesting time off: callers insert their own pending request and update their own balance.
grant insert (type_code, start_date, end_date, days, notes) on hr.time_off_requests to hr_self_write;
create policy ask on hr.time_off_requests for insert to hr_self_write
  with check (employee_id = (select tamshai.me()) and status = 'pending');
-- Callers cancel their own requests, pending or approved, and the days return to the balance.
grant update (status, cancelled_by, cancelled_at) on hr.time_off_requests to hr_self_write;
create policy cancel on hr.time_off_requests for update to hr_self_write
  using (employee_id = (select tamshai.me()) and status in ('pending', 'approved'))
  with check (status = 'cancelled' and cancelled_by = (select tamshai.me()));
grant update (used, pending) on hr.time_off_balances to hr_self_write;
create policy ask on hr.time_off_balances for update to hr_self_write using (employee_id = (select tamshai.me()));

-- HR and executives decide on all pending requests and cancel requests, managers those of the people below. Nobody decides on their own
-- request. approver_id is always the caller.
grant update (status, approver_id, approver_notes, decided_at, cancelled_by, cancelled_at) on hr.time_off_requests
  to hr_everyone_write, hr_reports_write;
grant update (used, pending) on hr.time_off_balances to hr_everyone_write, hr_reports_write;
create policy decide on hr.time_off_requests for update to hr_everyone_write
  using (status in ('pending', 'approved'))
  with check ((status = 'cancelled' and cancelled_by = (select tamshai.me()))
    or (status in ('approved', 'rejected') and approver_id = (select tamshai.me()) and employee_id <> (select tamshai.me())));
create policy decide_below on hr.time_off_requests for update to hr_reports_write
  using (status in ('pending', 'approved') and (employee_id = (select tamshai.me())
    or (select true from hr.chain c where c.employee_id = time_off_requests.employee_id and c.manager_id = (select tamshai.me()))))
  with check ((status = 'cancelled' and cancelled_by = (select tamshai.me()))
    or (status in ('approved', 'rejected') and approver_id = (select tamshai.me()) and employee_id <> (select tamshai.me())));
create policy decide on hr.time_off_balances for update to hr_everyone_write using ((select tamshai.principal()) is not null);
create policy decide_below on hr.time_off_balances for update to hr_reports_write
  using (employee_id = (select tamshai.me())
    or (select true from hr.chain c where c.employee_id = time_off_balances.employee_id and c.manager_id = (select tamshai.me())));

-- HR and executives change salaries, jobs and employments, but not their own and not those of people above them. An employment ends
-- (active becomes false) only if nobody reports to that employee.
grant update (salary), insert (employee_id, salary) on hr.pay to hr_everyone_write;
create policy not_own on hr.pay for insert to hr_everyone_write
  with check (employee_id <> (select tamshai.me())
    and not exists (select from hr.chain c where c.manager_id = pay.employee_id and c.employee_id = (select tamshai.me())));
grant insert (employee_id, effective_date, planned_salary), update (planned_salary), delete on hr.planned_pay to hr_everyone_write;
create policy not_own_nor_above_insert on hr.planned_pay for insert to hr_everyone_write
  with check (employee_id <> (select tamshai.me())
    and not exists (select from hr.chain c where c.manager_id = planned_pay.employee_id and c.employee_id = (select tamshai.me())));
create policy not_own_nor_above_update on hr.planned_pay for update to hr_everyone_write
  using (employee_id <> (select tamshai.me())
    and not exists (select from hr.chain c where c.manager_id = planned_pay.employee_id and c.employee_id = (select tamshai.me())));
create policy not_own_nor_above_delete on hr.planned_pay for delete to hr_everyone_write
  using (employee_id <> (select tamshai.me())
    and not exists (select from hr.chain c where c.manager_id = planned_pay.employee_id and c.employee_id = (select tamshai.me())));
create policy not_own_nor_above on hr.pay for update to hr_everyone_write
  using (employee_id <> (select tamshai.me())
    and not exists (select from hr.chain c where c.manager_id = pay.employee_id and c.employee_id = (select tamshai.me())));
grant insert (employee_id, old_salary, new_salary, effective_date, reason, outside_band_reason) on hr.salary_history to hr_everyone_write;
create policy not_own_nor_above on hr.salary_history for insert to hr_everyone_write
  with check (changed_by = (select tamshai.me()) and employee_id <> (select tamshai.me())
    and not exists (select from hr.chain c where c.manager_id = salary_history.employee_id and c.employee_id = (select tamshai.me())));
grant insert (first_name, last_name, email, department, job_title, location, manager_id, hire_date, grade) on hr.employees
  to hr_everyone_write;
create policy hire on hr.employees for insert to hr_everyone_write
  with check ((select tamshai.principal()) is not null and active and manager_id is not null);
grant update (active, terminated_at, termination_reason, email, department, job_title, location, manager_id, grade) on hr.employees
  to hr_everyone_write;
create policy not_own_nor_above on hr.employees for update to hr_everyone_write
  using (active and employee_id <> (select tamshai.me())
    and not exists (select from hr.chain c where c.manager_id = employees.employee_id and c.employee_id = (select tamshai.me())))
  with check ((active and manager_id is not null and termination_reason is null)
    or (not active and not exists (select from hr.chain c where c.manager_id = employees.employee_id)));

-- Contact data: everyone changes their own. HR changes those of others, but not of people above them.
grant insert (employee_id, phone, home_address), update (phone, home_address) on hr.contact to hr_everyone_write, hr_self_write;
create policy own_insert on hr.contact for insert to hr_self_write with check (employee_id = (select tamshai.me()));
create policy own_update on hr.contact for update to hr_self_write using (employee_id = (select tamshai.me()));
create policy not_above_insert on hr.contact for insert to hr_everyone_write
  with check (not exists (select from hr.chain c where c.manager_id = contact.employee_id and c.employee_id = (select tamshai.me())));
create policy not_above_update on hr.contact for update to hr_everyone_write
  using (not exists (select from hr.chain c where c.manager_id = contact.employee_id and c.employee_id = (select tamshai.me())));

-- A manager writes reviews of the people below until they are submitted. The employee then reads and acknowledges the review.
grant insert (employee_id, period, reviewer_id, due_date, rating, goals_met_percent, strengths, improvements, status),
  update (reviewer_id, rating, goals_met_percent, strengths, improvements, status) on hr.performance_reviews to hr_reports_write;
create policy begin_below on hr.performance_reviews for insert to hr_reports_write
  with check (reviewer_id = (select tamshai.me()) and status in ('draft', 'submitted') and (select true from hr.chain c
    where c.employee_id = performance_reviews.employee_id and c.manager_id = (select tamshai.me())));
create policy write_below on hr.performance_reviews for update to hr_reports_write
  using (status in ('due', 'draft') and (select true from hr.chain c where c.employee_id = performance_reviews.employee_id
    and c.manager_id = (select tamshai.me())))
  with check (reviewer_id = (select tamshai.me()) and status in ('draft', 'submitted'));
grant select on hr.performance_reviews to hr_self;
create policy self on hr.performance_reviews for select to hr_self
  using (employee_id = (select tamshai.me()) and status in ('submitted', 'acknowledged'));
grant update (status, acknowledged_at) on hr.performance_reviews to hr_self_write;
create policy acknowledge on hr.performance_reviews for update to hr_self_write
  using (employee_id = (select tamshai.me()) and status = 'submitted')
  with check (status = 'acknowledged');

-- HR opens a fiscal year for everyone. New employees get the balances of the open years.
grant select on hr.time_off_years to hr_everyone;
create policy everyone on hr.time_off_years for select to hr_everyone using ((select tamshai.principal()) is not null);
grant insert (fiscal_year) on hr.time_off_years to hr_everyone_write;
create policy open on hr.time_off_years for insert to hr_everyone_write with check (opened_by = (select tamshai.me()));
grant insert (employee_id, fiscal_year, type_code, entitlement, carryover) on hr.time_off_balances to hr_everyone_write;
create policy open on hr.time_off_balances for insert to hr_everyone_write
  with check ((select tamshai.principal()) is not null and used = 0 and pending = 0);

-- The triggers hr.keep_chain (002_chain.sql) and hr.log_people (005_feed.sql) run as the system role tamshai_hr_keeper. When it updates
-- hr.employees, PostgreSQL computes search_name again, which calls hr.plain_name.
grant usage on schema hr, tamshai to tamshai_hr_keeper;
grant execute on function tamshai.principal(), hr.plain_name(text) to tamshai_hr_keeper;
grant select (employee_id, first_name, last_name, manager_id, manager_name, active), update (manager_name) on hr.employees
  to tamshai_hr_keeper;
grant select, insert, update, delete on hr.chain to tamshai_hr_keeper;
create policy keeper on hr.employees to tamshai_hr_keeper using (true) with check (true);
create policy keeper on hr.chain to tamshai_hr_keeper using (true) with check (true);
grant select, insert, update on hr.people_log to tamshai_hr_keeper;
grant usage on sequence hr.people_log_n to tamshai_hr_keeper;
grant select, insert, update on hr.pay_log to tamshai_hr_keeper;
grant usage on sequence hr.pay_log_n to tamshai_hr_keeper;
create policy keeper on hr.pay_log to tamshai_hr_keeper using (true) with check (true);
create policy keeper on hr.people_log to tamshai_hr_keeper using (true) with check (true);
