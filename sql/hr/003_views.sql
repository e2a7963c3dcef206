-- What tools read of people. security_invoker: the caller's own policies decide, not the owner's. People who left are in none of them.
-- A masked column is null where its row is hidden. row_version changes when anything that the reader can see of the row changes.

-- One person, by id; a few, by their manager.
create view hr.people with (security_invoker = true) as
select e.employee_id, e.first_name, e.last_name, e.search_name, e.email, e.department, e.job_title, e.location, e.manager_id, e.manager_name,
  e.hire_date, e.active, p.salary, c.phone, c.home_address, i.ssn, e.created_at, e.updated_at,
  concat_ws('.', e.row_version, coalesce(p.row_version, 0), coalesce(c.row_version, 0), coalesce(i.row_version, 0)) as row_version
from hr.employees e
left join hr.pay p on p.employee_id = e.employee_id
left join hr.contact c on c.employee_id = e.employee_id
left join hr.identity i on i.employee_id = e.employee_id
where e.active;

-- Lists are of everyone for HR and of the people below for a manager. Each is a union of two sources, and which one counts is
-- decided by a key, once and before anything is read: the other costs nothing. The sources stand there bare, all conditions
-- come after them; only so does the planner take each out of its index in the order of the list and stop when a page is full.
create function hr.my_list() returns uuid language sql stable
  return case when current_user in ('hr_reports', 'hr_reports_write') then tamshai.me() else '00000000-0000-0000-0000-000000000000' end;

-- People in name order. A manager's come out of the primary key of hr.chain: a page costs what HR's page costs, however large the tree.
create view hr.team with (security_invoker = true) as
select n.employee_id, n.first_name, n.last_name, e.search_name, e.email, e.department, e.job_title, e.location, e.manager_id, e.manager_name,
  e.hire_date, e.active, p.salary, c.phone, c.home_address, i.ssn, e.created_at, e.updated_at,
  concat_ws('.', e.row_version, coalesce(p.row_version, 0), coalesce(c.row_version, 0), coalesce(i.row_version, 0)) as row_version
from (
  select '00000000-0000-0000-0000-000000000000'::uuid as list, last_name, first_name, employee_id, active from hr.employees
  union all
  select manager_id, last_name, first_name, employee_id, true from hr.chain
) n
join hr.employees e on e.employee_id = n.employee_id
left join hr.pay p on p.employee_id = n.employee_id
left join hr.contact c on c.employee_id = n.employee_id
left join hr.identity i on i.employee_id = n.employee_id
where n.list = (select hr.my_list()) and n.active;

-- The company directory: what everyone may know of a colleague. Names are searched in the index alone; only who is found is looked up.
create view hr.directory with (security_invoker = true) as
select n.employee_id, n.first_name || ' ' || n.last_name as name, n.first_name, n.last_name, n.search_name,
  e.department, e.job_title, e.email, e.location, e.manager_id, e.manager_name
from hr.employees n
join hr.employees e on e.employee_id = n.employee_id
where n.active;
