-- Tables of {{name}}. Do not change this file after it was applied; add 002_….sql instead.
create table {{name}}.items (
  item_id uuid primary key default gen_random_uuid(),
  title text not null check (title <> ''),
  employee_id uuid not null,
  owner_name text not null,
  due date not null,
  row_version bigint not null default 1
);
create index items_in_order on {{name}}.items (due, item_id);
create index items_by_owner on {{name}}.items (employee_id, due, item_id);
-- A write fails if the version of a row differs from the version on its approval card.
create trigger raise_version before update on {{name}}.items for each row execute function tamshai.raise_version();
