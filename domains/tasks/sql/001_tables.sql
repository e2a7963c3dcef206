-- Tables of tasks. Each person's ids start at 1, so that an id does not reveal how many tasks others have.
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

-- The last id of each person. Its row lock serialises concurrent additions, and ids are never reused.
create table tasks.counters (
  principal text primary key,
  last_id int not null
);
