-- Views of employees for the tools. With security_invoker, the caller's policies apply, not the owner's. They leave out people who left.
-- A masked column is null where its row is hidden. row_version changes with every column that the reader can see.

-- For lookups by employee_id, or of the direct reports of one manager.
create view hr.people with (security_invoker = true) as
select e.employee_id, e.first_name, e.last_name, e.search_name, e.email, e.department, e.job_title, e.location, e.manager_id, e.manager_name,
  e.hire_date, e.active, p.salary, c.phone, c.home_address, i.ssn, e.created_at, e.updated_at,
  concat_ws('.', e.row_version, coalesce(p.row_version, 0), coalesce(c.row_version, 0), coalesce(i.row_version, 0)) as row_version
from hr.employees e
left join hr.pay p on p.employee_id = e.employee_id
left join hr.contact c on c.employee_id = e.employee_id
left join hr.identity i on i.employee_id = e.employee_id
where e.active;

-- The key of the caller's list: HR lists everyone, a manager lists the people below. Each list view is a union of both sources, and
-- the key selects one before anything is read. The branches have no conditions, so that the planner reads each in index order
-- and stops when a page is full.
create function hr.my_list() returns uuid language sql stable
  return case when current_user in ('hr_reports', 'hr_reports_write') then tamshai.me() else '00000000-0000-0000-0000-000000000000' end;

-- Employees by name. A manager's list reads the primary key of hr.chain, so that a page costs the same for any size of team.
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

-- The company directory: the columns that every employee may read. A search by name reads only the index; the join reads the matches.
create view hr.directory with (security_invoker = true) as
select n.employee_id, n.first_name || ' ' || n.last_name as name, n.first_name, n.last_name, n.search_name,
  e.department, e.job_title, e.email, e.location, e.manager_id, e.manager_name
from hr.employees n
join hr.employees e on e.employee_id = n.employee_id
where n.active;
