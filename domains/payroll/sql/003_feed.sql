-- The position in hr's change feed up to which payroll.employees is current. A process that applies changes locks this
-- row until it commits them.
create table payroll.feed (
  source text primary key,
  n bigint not null default 0 check (n >= 0)
);
insert into payroll.feed (source) values ('hr');
