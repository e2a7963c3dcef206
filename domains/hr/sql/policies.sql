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
call tamshai.begin_rules('hr');

grant usage on schema hr to hr_everyone, hr_reports, hr_self, hr_directory, hr_feed;
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

-- Masked columns: a caller sees a value if tamshai.shows() lifts the mask. A manager sees only values of people below. Callers always see
-- their own pay and contact data. For the SSN there is no such exception.
grant select on hr.pay, hr.contact, hr.identity to hr_everyone, hr_reports, hr_self;
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
grant update (pending) on hr.time_off_balances to hr_self_write;
create policy ask on hr.time_off_balances for update to hr_self_write using (employee_id = (select tamshai.me()));

-- HR and executives decide on all pending requests, managers on requests of the people below. Nobody decides on their own request.
-- approver_id is always the caller.
grant update (status, approver_id, approver_notes, decided_at) on hr.time_off_requests to hr_everyone_write, hr_reports_write;
grant update (used, pending) on hr.time_off_balances to hr_everyone_write, hr_reports_write;
create policy decide on hr.time_off_requests for update to hr_everyone_write
  using (employee_id <> (select tamshai.me()) and status = 'pending')
  with check (approver_id = (select tamshai.me()) and status in ('approved', 'rejected'));
create policy decide_below on hr.time_off_requests for update to hr_reports_write
  using (employee_id <> (select tamshai.me()) and status = 'pending'
    and (select true from hr.chain c where c.employee_id = time_off_requests.employee_id and c.manager_id = (select tamshai.me())))
  with check (approver_id = (select tamshai.me()) and status in ('approved', 'rejected'));
create policy decide on hr.time_off_balances for update to hr_everyone_write using (employee_id <> (select tamshai.me()));
create policy decide_below on hr.time_off_balances for update to hr_reports_write
  using (employee_id <> (select tamshai.me())
    and (select true from hr.chain c where c.employee_id = time_off_balances.employee_id and c.manager_id = (select tamshai.me())));

-- HR and executives change salaries and end employments, but not their own and not those of people above them. An employment can only be
-- ended (active becomes false), and only if nobody reports to that employee.
grant update (salary) on hr.pay to hr_everyone_write;
create policy not_own_nor_above on hr.pay for update to hr_everyone_write
  using (employee_id <> (select tamshai.me())
    and not exists (select from hr.chain c where c.manager_id = pay.employee_id and c.employee_id = (select tamshai.me())));
grant insert (employee_id, old_salary, new_salary, effective_date, reason), select (employee_id) on hr.salary_history to hr_everyone_write;
create policy shown on hr.salary_history for select to hr_everyone_write using ((select tamshai.shows('pay')));
create policy not_own_nor_above on hr.salary_history for insert to hr_everyone_write
  with check (changed_by = (select tamshai.me()) and employee_id <> (select tamshai.me())
    and not exists (select from hr.chain c where c.manager_id = salary_history.employee_id and c.employee_id = (select tamshai.me())));
grant update (active, terminated_at, termination_reason) on hr.employees to hr_everyone_write;
create policy not_own_nor_above on hr.employees for update to hr_everyone_write
  using (active and employee_id <> (select tamshai.me())
    and not exists (select from hr.chain c where c.manager_id = employees.employee_id and c.employee_id = (select tamshai.me())))
  with check (not active and not exists (select from hr.chain c where c.manager_id = employees.employee_id));

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
create policy keeper on hr.people_log to tamshai_hr_keeper using (true) with check (true);
