call tamshai.ensure_role('hr_everyone');
call tamshai.ensure_role('hr_everyone_write', 'hr_everyone');
call tamshai.ensure_role('hr_reports');
call tamshai.ensure_role('hr_reports_write', 'hr_reports');
call tamshai.ensure_role('hr_self');
call tamshai.ensure_role('hr_self_write', 'hr_self');
call tamshai.ensure_role('hr_directory');
call tamshai.begin_rules('hr');
grant usage on schema hr, tamshai to hr_keeper;
grant execute on function tamshai.principal() to hr_keeper;
grant execute on function hr.my_list() to hr_everyone, hr_reports;
grant execute on function hr.plain_name(text) to hr_keeper, hr_everyone, hr_reports, hr_directory;
grant usage on schema hr to hr_everyone, hr_reports, hr_self, hr_directory, hr_audit;
grant select on hr.employees, hr.pay, hr.contact, hr.identity, hr.chain, hr.people, hr.team to hr_everyone, hr_reports;
grant select on hr.employees, hr.pay, hr.contact, hr.identity, hr.people to hr_self;
grant select (employee_id, last_name, first_name, manager_id, manager_name, active), update (manager_name) on hr.employees to hr_keeper;
grant select, insert, update, delete on hr.chain to hr_keeper;
create policy keeper on hr.employees to hr_keeper using (true) with check (true);
create policy keeper on hr.chain to hr_keeper using (true) with check (true);
create policy everyone on hr.employees for select to hr_everyone using ((select tamshai.principal()) is not null);
create policy reports on hr.employees for select to hr_reports using (employee_id = (select tamshai.me()) or exists (select from hr.chain c where c.employee_id = employees.employee_id and c.manager_id = (select tamshai.me())));
create policy everyone on hr.chain for select to hr_everyone using ((select tamshai.principal()) is not null);
create policy reports on hr.chain for select to hr_reports using (manager_id = (select tamshai.me()));
create policy everyone on hr.pay for select to hr_everyone using ((select tamshai.shows('pay')) or employee_id = (select tamshai.me()));
create policy reports on hr.pay for select to hr_reports using (employee_id = (select tamshai.me()) or ((select tamshai.shows('pay')) and exists (select from hr.chain c where c.employee_id = pay.employee_id and c.manager_id = (select tamshai.me()))));
create policy everyone on hr.contact for select to hr_everyone using ((select tamshai.shows('contact')) or employee_id = (select tamshai.me()));
create policy reports on hr.contact for select to hr_reports using (employee_id = (select tamshai.me()) or ((select tamshai.shows('contact')) and exists (select from hr.chain c where c.employee_id = contact.employee_id and c.manager_id = (select tamshai.me()))));
create policy everyone on hr.identity for select to hr_everyone using ((select tamshai.shows('ssn')));
create policy reports on hr.identity for select to hr_reports using ((select tamshai.shows('ssn')) and exists (select from hr.chain c where c.employee_id = identity.employee_id and c.manager_id = (select tamshai.me())));

-- Oneself.
grant execute on function hr.employment(uuid) to hr_directory;
create policy self on hr.employees for select to hr_self using (employee_id = (select tamshai.me()));
create policy self on hr.pay for select to hr_self using (employee_id = (select tamshai.me()));
create policy self on hr.contact for select to hr_self using (employee_id = (select tamshai.me()));
create policy self on hr.identity for select to hr_self using (false);

-- The directory: active people, and of them these columns only.
grant select (employee_id, first_name, last_name, search_name, department, job_title, email, location, manager_name, active) on hr.employees to hr_directory;
grant select on hr.directory to hr_directory;
create policy directory on hr.employees for select to hr_directory using ((select tamshai.principal()) is not null and active);

-- Reviews: a manager sees those of the people below, never their own.
grant select on hr.performance_reviews, hr.reviews to hr_everyone, hr_reports;
create policy everyone on hr.performance_reviews for select to hr_everyone using ((select tamshai.principal()) is not null);
create policy reports on hr.performance_reviews for select to hr_reports
  using (exists (select from hr.chain c where c.employee_id = performance_reviews.employee_id and c.manager_id = (select tamshai.me())));

-- Time off.
grant select on hr.time_off_types, hr.time_off_balances, hr.balances, hr.time_off_requests, hr.time_off to hr_everyone, hr_reports, hr_self;
create policy everyone on hr.time_off_types for select to hr_everyone, hr_reports, hr_self using ((select tamshai.principal()) is not null);
create policy everyone on hr.time_off_balances for select to hr_everyone using ((select tamshai.principal()) is not null);
create policy reports on hr.time_off_balances for select to hr_reports
  using (employee_id = (select tamshai.me()) or exists (select from hr.chain c where c.employee_id = time_off_balances.employee_id and c.manager_id = (select tamshai.me())));
create policy self on hr.time_off_balances for select to hr_self using (employee_id = (select tamshai.me()));
create policy everyone on hr.time_off_requests for select to hr_everyone using ((select tamshai.principal()) is not null);
create policy reports on hr.time_off_requests for select to hr_reports
  using (employee_id = (select tamshai.me()) or exists (select from hr.chain c where c.employee_id = time_off_requests.employee_id and c.manager_id = (select tamshai.me())));
create policy self on hr.time_off_requests for select to hr_self using (employee_id = (select tamshai.me()));

-- Asking for time off: one's own request, one's own balance.
grant insert (type_code, start_date, end_date, days, notes) on hr.time_off_requests to hr_self_write;
create policy ask on hr.time_off_requests for insert to hr_self_write with check (employee_id = (select tamshai.me()) and status = 'pending');
grant update (pending) on hr.time_off_balances to hr_self_write;
create policy ask on hr.time_off_balances for update to hr_self_write using (employee_id = (select tamshai.me()));

-- Deciding on it: never one's own. Who may see the request follows from the policies above.
grant update (status, approver_id, approver_notes, decided_at) on hr.time_off_requests to hr_everyone_write, hr_reports_write;
create policy decide on hr.time_off_requests for update to hr_everyone_write, hr_reports_write
  using (employee_id <> (select tamshai.me()) and status = 'pending')
  with check (approver_id = (select tamshai.me()) and status in ('approved', 'rejected'));
grant update (used, pending) on hr.time_off_balances to hr_everyone_write, hr_reports_write;
create policy decide on hr.time_off_balances for update to hr_everyone_write, hr_reports_write using (employee_id <> (select tamshai.me()));

-- Pay and employment: nobody's own, and nobody's who is above.
grant update (salary) on hr.pay to hr_everyone_write;
create policy not_own_nor_above on hr.pay for update to hr_everyone_write
  using (employee_id <> (select tamshai.me()) and not exists (select from hr.chain c where c.manager_id = pay.employee_id and c.employee_id = (select tamshai.me())));
grant insert (employee_id, old_salary, new_salary, effective_date, reason), select (employee_id) on hr.salary_history to hr_everyone_write;
create policy by_me on hr.salary_history for insert to hr_everyone_write with check (changed_by = (select tamshai.me()) and employee_id <> (select tamshai.me()));
create policy shown on hr.salary_history for select to hr_everyone_write using ((select tamshai.shows('pay')));
grant update (active, terminated_at, termination_reason) on hr.employees to hr_everyone_write;
create policy not_own_nor_above on hr.employees for update to hr_everyone_write
  using (active and employee_id <> (select tamshai.me()) and not exists (select from hr.chain c where c.manager_id = employees.employee_id and c.employee_id = (select tamshai.me())))
  with check (true);

-- What every write commits with its effect.
grant select (confirmation_id, principal, result), insert (confirmation_id, tool, principal), update (result) on hr.effects to hr_everyone_write, hr_reports_write, hr_self_write;
create policy own on hr.effects to hr_everyone_write, hr_reports_write, hr_self_write
  using (principal = (select tamshai.principal())) with check (principal = (select tamshai.principal()));
grant insert on hr.audit to hr_everyone_write, hr_reports_write, hr_self_write;
create policy append on hr.audit for insert to hr_everyone_write, hr_reports_write, hr_self_write with check (principal = (select tamshai.principal()));
grant select on hr.audit to hr_audit;
create policy auditor on hr.audit for select to hr_audit using (true);
