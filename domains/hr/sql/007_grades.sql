-- Departments with their heads, and grades with their salary bands.

create table hr.departments (
  department_key text collate "C" primary key generated always as (lower(name)) stored,
  name text collate "C" not null check (name <> ''),
  head_id uuid references hr.employees,
  row_version bigint not null default 1
);
create trigger raise_version before update on hr.departments for each row execute function tamshai.raise_version();

create table hr.grade_levels (
  grade text collate "C" primary key check (grade <> ''),
  title text not null,
  salary_min numeric(12,2) not null check (salary_min >= 0),
  salary_max numeric(12,2) not null,
  row_version bigint not null default 1,
  check (salary_min <= salary_max)
);
create trigger raise_version before update on hr.grade_levels for each row execute function tamshai.raise_version();

-- Not a foreign key: no tool deletes a grade, and the sample writes employees first. An employee without a grade has no salary band.
alter table hr.employees add column grade text collate "C";

-- The views of 003_views.sql and 006_departments.sql, with the grade.
create or replace view hr.people with (security_invoker = true) as
select e.employee_id, e.first_name, e.last_name, e.search_name, e.email, e.department, e.job_title, e.location, e.manager_id, e.manager_name,
  e.hire_date, e.active, p.salary, c.phone, c.home_address, i.ssn, e.created_at, e.updated_at,
  concat_ws('.', e.row_version, coalesce(p.row_version, 0), coalesce(c.row_version, 0), coalesce(i.row_version, 0)) as row_version, e.grade
from hr.employees e
left join hr.pay p on p.employee_id = e.employee_id
left join hr.contact c on c.employee_id = e.employee_id
left join hr.identity i on i.employee_id = e.employee_id
where e.active;

create or replace view hr.team with (security_invoker = true) as
select n.employee_id, n.first_name, n.last_name, e.search_name, e.email, e.department, e.job_title, e.location, e.manager_id, e.manager_name,
  e.hire_date, e.active, p.salary, c.phone, c.home_address, i.ssn, e.created_at, e.updated_at,
  concat_ws('.', e.row_version, coalesce(p.row_version, 0), coalesce(c.row_version, 0), coalesce(i.row_version, 0)) as row_version, e.grade
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

create or replace view hr.staff with (security_invoker = true) as
select e.employee_id, e.first_name, e.last_name, e.search_name, e.email, e.department, e.department_key, e.job_title, e.location, e.manager_id,
  e.manager_name, e.hire_date, e.active, p.salary, c.phone, c.home_address, i.ssn, e.created_at, e.updated_at, e.grade
from hr.employees e
left join hr.pay p on p.employee_id = e.employee_id
left join hr.contact c on c.employee_id = e.employee_id
left join hr.identity i on i.employee_id = e.employee_id
where e.active;

-- Departments for the directory: the head is null after that person left.
create view hr.department_list with (security_invoker = true) as
select d.department_key, d.name as department, h.employee_id as head_id, h.first_name || ' ' || h.last_name as head_name,
  (select count(*) from hr.employees n where n.department_key = d.department_key and n.active) as employees, d.row_version
from hr.departments d
left join hr.employees h on h.employee_id = d.head_id and h.active;

-- The departments of existing employees. Row-level security binds the owner too, and is suspended for this statement.
do $$ begin
  alter table hr.employees no force row level security;
  insert into hr.departments (name) select min(department) from hr.employees group by department_key;
  alter table hr.employees force row level security;
end $$;
