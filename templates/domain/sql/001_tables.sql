-- Tables of {{name}}. Never change this file once it was applied; add 002_….sql instead.
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
-- An approval card notes the version of each row it shows, and nothing is written if that version has changed.
create trigger raise_version before update on {{name}}.items for each row execute function tamshai.raise_version();
