-- What the other tools read; the same rules as in 003_views.sql.

-- The company directory: what everyone may know of a colleague.
create view hr.directory with (security_invoker = true) as
select employee_id, first_name || ' ' || last_name as name, first_name, last_name, search_name, department, job_title, email, location, manager_name
from hr.employees where active;

create view hr.reviews with (security_invoker = true) as
select r.review_id, r.employee_id, e.first_name || ' ' || e.last_name as employee_name, r.period, r.reviewer_id, r.status, r.due_date, r.rating,
  r.goals_met_percent, r.strengths, r.improvements, concat_ws('.', r.row_version, e.row_version) as row_version
from hr.performance_reviews r join hr.employees e on e.employee_id = r.employee_id
where e.active;

create view hr.time_off with (security_invoker = true) as
select r.request_id, r.employee_id, e.first_name || ' ' || e.last_name as employee_name, r.type_code, r.start_date, r.end_date, r.days, r.status, r.notes,
  r.approver_id, r.approver_notes, r.decided_at, concat_ws('.', r.row_version, e.row_version) as row_version
from hr.time_off_requests r join hr.employees e on e.employee_id = r.employee_id
where e.active;

create view hr.balances with (security_invoker = true) as
select b.employee_id, b.fiscal_year, b.type_code, t.type_name, b.entitlement, b.used, b.pending, b.carryover,
  b.entitlement + b.carryover - b.used - b.pending as available, b.row_version::text as row_version
from hr.time_off_balances b
join hr.time_off_types t on t.type_code = b.type_code
join hr.employees e on e.employee_id = b.employee_id
where e.active;
