-- Views of reviews and time off for the tools. The rules of 003_views.sql apply.

-- Lists by date have no index per manager. For up to 4000 people below, the view reads their rows by employee and sorts them.
-- For more, it scans everyone's list in index order: the policy keeps enough rows to fill a page soon.
create function hr.my_gathered_list() returns uuid language sql stable
  return case when (select count(*) from (select from hr.chain where manager_id = hr.my_list() limit 4001) few) <= 4000
    then hr.my_list() else '00000000-0000-0000-0000-000000000000' end;

create view hr.reviews with (security_invoker = true) as
select r.review_id, r.employee_id, e.first_name || ' ' || e.last_name as employee_name, r.period, r.reviewer_id, r.status, r.due_date, r.rating,
  r.goals_met_percent, r.strengths, r.improvements, concat_ws('.', r.row_version, e.row_version) as row_version
from (
  select '00000000-0000-0000-0000-000000000000'::uuid as list, review_id, employee_id, period, reviewer_id, status, due_date, rating,
    goals_met_percent, strengths, improvements, row_version
  from hr.performance_reviews
  union all
  select t.manager_id, m.review_id, m.employee_id, m.period, m.reviewer_id, m.status, m.due_date, m.rating,
    m.goals_met_percent, m.strengths, m.improvements, m.row_version
  from hr.chain t join hr.performance_reviews m on m.employee_id = t.employee_id
) r
join hr.employees e on e.employee_id = r.employee_id
where r.list = (select hr.my_gathered_list()) and e.active;

-- For lookups by request_id, and of the caller's own requests.
create view hr.time_off with (security_invoker = true) as
select r.request_id, r.employee_id, e.first_name || ' ' || e.last_name as employee_name, r.type_code, r.start_date, r.end_date, r.days, r.status, r.notes,
  r.approver_id, r.approver_notes, r.decided_at, concat_ws('.', r.row_version, e.row_version) as row_version
from hr.time_off_requests r join hr.employees e on e.employee_id = r.employee_id
where e.active;

-- The list of requests: everyone's, or those of the people below the caller.
create view hr.team_time_off with (security_invoker = true) as
select r.request_id, r.employee_id, e.first_name || ' ' || e.last_name as employee_name, r.type_code, r.start_date, r.end_date, r.days, r.status, r.notes,
  r.approver_id, r.approver_notes, r.decided_at, concat_ws('.', r.row_version, e.row_version) as row_version
from (
  select '00000000-0000-0000-0000-000000000000'::uuid as list, request_id, employee_id, type_code, start_date, end_date, days, status, notes,
    approver_id, approver_notes, decided_at, row_version
  from hr.time_off_requests
  union all
  select t.manager_id, m.request_id, m.employee_id, m.type_code, m.start_date, m.end_date, m.days, m.status, m.notes,
    m.approver_id, m.approver_notes, m.decided_at, m.row_version
  from hr.chain t join hr.time_off_requests m on m.employee_id = t.employee_id
) r
join hr.employees e on e.employee_id = r.employee_id
where r.list = (select hr.my_gathered_list()) and e.active;

create view hr.balances with (security_invoker = true) as
select b.employee_id, b.fiscal_year, b.type_code, t.type_name, b.entitlement, b.used, b.pending, b.carryover,
  b.entitlement + b.carryover - b.used - b.pending as available, b.row_version::text as row_version
from hr.time_off_balances b
join hr.time_off_types t on t.type_code = b.type_code
join hr.employees e on e.employee_id = b.employee_id
where e.active;
