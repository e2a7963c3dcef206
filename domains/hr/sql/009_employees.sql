-- Hiring, moving and leaving.
alter table hr.employees alter column employee_id set default gen_random_uuid();
-- Also in another letter case, an address belongs to one person, even after that person left.
create unique index employees_by_email on hr.employees (lower(email));
-- A new employee gives phone and address later.
alter table hr.contact alter column phone drop not null, alter column home_address drop not null;
