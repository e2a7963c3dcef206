-- Salaries that take effect on a later day. On that day the views show them, without a job that would have to run.

-- Today in the company's time zone. The adapter sets it from the engine's clock.
create function hr.today() returns date language sql stable parallel safe
  return coalesce(nullif(current_setting('app.today', true), '')::date, current_date);

-- Until its day, only HR and executives see a row. From then on it replaces the salary in hr.pay.
create table hr.planned_pay (
  employee_id uuid not null references hr.employees,
  effective_date date not null,
  planned_salary numeric(12,2) not null check (planned_salary between 0 and 10000000),
  row_version bigint not null default 1,
  primary key (employee_id, effective_date)
);
create trigger raise_version before update on hr.planned_pay for each row execute function tamshai.raise_version();

-- Null: the employee had no salary before. The second reason is for a salary outside the band of the grade.
alter table hr.salary_history alter column old_salary drop not null, add column outside_band_reason text;

-- The views of 007_grades.sql, with the salary of today. The subquery finds at most one row in the small index of hr.planned_pay; a join
-- would also run for queries that do not read the salary.
create or replace view hr.people with (security_invoker = true) as
select e.employee_id, e.first_name, e.last_name, e.search_name, e.email, e.department, e.job_title, e.location, e.manager_id, e.manager_name,
  e.hire_date, e.active,
  coalesce((select n.planned_salary from hr.planned_pay n where n.employee_id = e.employee_id and n.effective_date <= (select hr.today())
    order by n.effective_date desc limit 1), p.salary) as salary,
  c.phone, c.home_address, i.ssn, e.created_at, e.updated_at,
  concat_ws('.', e.row_version, coalesce(p.row_version, 0), coalesce(c.row_version, 0), coalesce(i.row_version, 0)) as row_version, e.grade
from hr.employees e
left join hr.pay p on p.employee_id = e.employee_id
left join hr.contact c on c.employee_id = e.employee_id
left join hr.identity i on i.employee_id = e.employee_id
where e.active;

create or replace view hr.team with (security_invoker = true) as
select n.employee_id, n.first_name, n.last_name, e.search_name, e.email, e.department, e.job_title, e.location, e.manager_id, e.manager_name,
  e.hire_date, e.active,
  coalesce((select d.planned_salary from hr.planned_pay d where d.employee_id = e.employee_id and d.effective_date <= (select hr.today())
    order by d.effective_date desc limit 1), p.salary) as salary,
  c.phone, c.home_address, i.ssn, e.created_at, e.updated_at,
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
  e.manager_name, e.hire_date, e.active,
  coalesce((select n.planned_salary from hr.planned_pay n where n.employee_id = e.employee_id and n.effective_date <= (select hr.today())
    order by n.effective_date desc limit 1), p.salary) as salary,
  c.phone, c.home_address, i.ssn, e.created_at, e.updated_at, e.grade
from hr.employees e
left join hr.pay p on p.employee_id = e.employee_id
left join hr.contact c on c.employee_id = e.employee_id
left join hr.identity i on i.employee_id = e.employee_id
where e.active;
