-- Each person's tasks are numbered from 1: an id tells nobody how many tasks others have.
create table tasks.tasks (
  principal text not null,
  id int not null check (id > 0),
  title text not null check (title <> ''),
  description text,
  completed boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  row_version bigint not null default 1,
  primary key (principal, id)
);
create trigger raise_version before update on tasks.tasks for each row execute function tamshai.raise_version();

-- The last number given to each person. Its row is what two additions at once wait for; numbers are never given twice.
create table tasks.counters (
  principal text primary key,
  last_id int not null
);
