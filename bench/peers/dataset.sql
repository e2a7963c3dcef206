-- Data set of the peer benchmark: the one table that the bare-go and bare-node baselines query. {{rows}} is its number of rows.
create schema if not exists hr;
create table hr.employees (
  id          uuid primary key,
  first_name  text not null,
  last_name   text not null,
  email       text not null,
  department  text not null,
  job_title   text not null,
  manager_id  uuid,
  hire_date   date not null,
  salary      numeric(12,2) not null,
  ssn         text not null,
  phone       text not null,
  location    text not null,
  active      boolean not null default true,
  created_at  timestamptz not null,
  updated_at  timestamptz not null
);
insert into hr.employees
select md5('emp' || n)::uuid,
       (array['Ada','Ben','Cleo','Dov','Eva','Finn','Gia','Hal','Ida','Jon','Kai','Lea','Max','Nia',
         'Oto','Pia','Quy','Rae','Sol','Tia'])[1 + (n * 7) % 20] || (n % 97),
       (array['Adler','Berg','Chen','Diaz','Engel','Fox','Gray','Hahn','Ito','Jung','Khan','Lang','Meyer',
         'Ng','Orr','Park','Quill','Reed','Shah','Todd'])[1 + (n * 13) % 20] || (n % 1009),
       'e' || n || '@tamshai.test',
       'Dept' || lpad((n % 8)::text, 2, '0'),
       (array['Engineer','Analyst','Manager','Director','Clerk','Counsel','Designer'])[1 + n % 7],
       case when n > 20 then md5('emp' || (1 + n % 20))::uuid end,
       date '2005-01-01' + ((n * 37) % 7000)::int,
       40000 + (n * 7919) % 160000 + 0.25,
       lpad(((n * 31) % 1000)::text, 3, '0') || '-' || lpad((n % 100)::text, 2, '0') || '-' || lpad((n % 10000)::text, 4, '0'),
       '+1-555-' || lpad((n % 10000000)::text, 7, '0'),
       (array['Berlin','Austin','Tokyo','Lagos','Lima'])[1 + n % 5],
       n % 50 <> 0,
       timestamptz '2020-01-01 00:00:00+00' + n * interval '1 minute',
       timestamptz '2024-01-01 00:00:00+00' + n * interval '1 second'
from generate_series(1::bigint, {{rows}}) n;
create index employees_dept_name on hr.employees (department, last_name, first_name, id);
create unique index employees_email on hr.employees (email);
create index employees_manager on hr.employees (manager_id);
analyze hr.employees;
