-- Tables of hr. Names are collated byte by byte ("C"), so that PGlite and PostgreSQL sort alike and an index serves every page.

-- Normalises a name for search: "José García" becomes "jose garcia", O'Brien obrien, and Smith-Jones two words.
-- Stored names and search terms both pass through it.
create function hr.plain_name(name text) returns text language sql immutable strict parallel safe
  return trim(regexp_replace(
    lower(translate(
      replace(replace(replace(regexp_replace(normalize(translate(name, 'ÆŒ', 'æœ'), nfd), '[\u0300-\u036f''’ʼ`.]', '', 'g'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'),
      'ØøŁłĐđÐðıÞþ', 'OoLlDdDdiTt')),
    '[-–—,_\s]+', ' ', 'g'));

create table hr.employees (
  employee_id uuid primary key,
  first_name text collate "C" not null check (first_name <> ''),
  last_name text collate "C" not null check (last_name <> ''),
  search_name text collate "C" not null generated always as (hr.plain_name(first_name || ' ' || last_name)) stored,
  email text not null unique,
  department text not null,
  job_title text not null,
  location text not null,
  manager_id uuid references hr.employees,
  manager_name text, -- copied by hr.keep_chain: people may read their manager's name without reading the manager's row
  hire_date date not null,
  active boolean not null default true,
  terminated_at timestamptz,
  termination_reason text,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  row_version bigint not null default 1,
  check (active = (terminated_at is null)),
  check (manager_id <> employee_id)
);
create index employees_by_name on hr.employees (last_name, first_name, employee_id) include (search_name) where active;
create index employees_by_department on hr.employees (department, last_name, first_name, employee_id) where active;
create index employees_by_manager on hr.employees (manager_id, last_name, first_name, employee_id) where active;

-- The reporting chain: all active employees below each manager, at any depth, in the sort order of lists.
create table hr.chain (
  manager_id uuid not null,
  last_name text collate "C" not null,
  first_name text collate "C" not null,
  employee_id uuid not null,
  depth int not null check (depth between 1 and 50),
  primary key (manager_id, last_name, first_name, employee_id),
  check (manager_id <> employee_id)
);
create unique index chain_above on hr.chain (employee_id, manager_id);

-- Masked columns have their own tables, so that a row policy can hide them.
create table hr.pay (
  employee_id uuid primary key references hr.employees,
  salary numeric(12,2) not null check (salary between 0 and 10000000),
  row_version bigint not null default 1
);
create table hr.contact (
  employee_id uuid primary key references hr.employees,
  phone text not null,
  home_address text not null,
  row_version bigint not null default 1
);
create table hr.identity (
  employee_id uuid primary key references hr.employees,
  ssn text not null,
  row_version bigint not null default 1
);

create table hr.salary_history (
  history_id uuid primary key default gen_random_uuid(),
  employee_id uuid not null references hr.employees,
  old_salary numeric(12,2) not null,
  new_salary numeric(12,2) not null,
  effective_date date not null,
  reason text,
  changed_by uuid not null default tamshai.me() references hr.employees,
  changed_at timestamptz not null default clock_timestamp()
);
create index salary_history_of on hr.salary_history (employee_id, effective_date);

create table hr.performance_reviews (
  review_id uuid primary key default gen_random_uuid(),
  employee_id uuid not null references hr.employees,
  period text not null,
  reviewer_id uuid references hr.employees,
  status text not null check (status in ('due', 'draft', 'submitted', 'acknowledged')),
  due_date date not null,
  rating numeric(2,1) check (rating between 1 and 5),
  goals_met_percent int check (goals_met_percent between 0 and 100),
  strengths text,
  improvements text,
  row_version bigint not null default 1
);
create index performance_reviews_of on hr.performance_reviews (employee_id, due_date, review_id);
create index performance_reviews_by_date on hr.performance_reviews (due_date, review_id);
create index performance_reviews_by_status on hr.performance_reviews (status, due_date, review_id);

create table hr.time_off_types (
  type_code text primary key,
  type_name text not null
);
insert into hr.time_off_types values
  ('VACATION', 'Vacation'), ('SICK', 'Sick leave'), ('PERSONAL', 'Personal days'), ('BEREAVEMENT', 'Bereavement leave'),
  ('JURY_DUTY', 'Jury duty'), ('PARENTAL', 'Parental leave'), ('UNPAID', 'Unpaid leave');

create table hr.time_off_balances (
  employee_id uuid not null references hr.employees,
  fiscal_year int not null,
  type_code text not null references hr.time_off_types,
  entitlement numeric(5,1) not null check (entitlement >= 0),
  used numeric(5,1) not null default 0 check (used >= 0),
  pending numeric(5,1) not null default 0 check (pending >= 0),
  carryover numeric(5,1) not null default 0 check (carryover >= 0),
  row_version bigint not null default 1,
  primary key (employee_id, fiscal_year, type_code),
  check (used + pending <= entitlement + carryover)
);

create table hr.time_off_requests (
  request_id uuid primary key default gen_random_uuid(),
  employee_id uuid not null default tamshai.me() references hr.employees,
  type_code text not null references hr.time_off_types,
  start_date date not null,
  end_date date not null,
  days numeric(5,1) not null check (days > 0),
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'cancelled')),
  notes text,
  approver_id uuid references hr.employees,
  approver_notes text,
  decided_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  row_version bigint not null default 1,
  check (start_date <= end_date),
  check (approver_id <> employee_id),
  check ((status in ('approved', 'rejected')) = (approver_id is not null and decided_at is not null))
);
create index time_off_requests_of on hr.time_off_requests (employee_id, start_date, request_id);
create index time_off_requests_by_date on hr.time_off_requests (start_date, request_id);
create index time_off_requests_by_status on hr.time_off_requests (status, start_date, request_id);

create function hr.touch() returns trigger language plpgsql as $$
begin
  new.row_version := old.row_version + 1;
  new.updated_at := clock_timestamp();
  return new;
end $$;
create trigger touch before update on hr.employees for each row execute function hr.touch();
create trigger raise_version before update on hr.pay for each row execute function tamshai.raise_version();
create trigger raise_version before update on hr.contact for each row execute function tamshai.raise_version();
create trigger raise_version before update on hr.identity for each row execute function tamshai.raise_version();
create trigger raise_version before update on hr.performance_reviews for each row execute function tamshai.raise_version();
create trigger raise_version before update on hr.time_off_balances for each row execute function tamshai.raise_version();
create trigger raise_version before update on hr.time_off_requests for each row execute function tamshai.raise_version();
