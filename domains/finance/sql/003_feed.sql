-- The position in hr's change feed up to which finance.people is current. A process locks this row until it commits further changes.
create table finance.feed (
  source text primary key,
  n bigint not null default 0 check (n >= 0)
);
insert into finance.feed (source) values ('hr');

-- Updates finance.chain after every change of finance.people, as tamshai_finance_keeper: a system role without login, whose rights
-- cover these two tables.
call tamshai.ensure_keeper('finance');
create index people_by_manager on finance.people (manager_id);

create function finance.keep_chain() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  moved uuid[];
begin
  if tg_op = 'INSERT' then
    moved := array(select employee_id from now);
  elsif tg_op = 'UPDATE' then
    moved := array(select employee_id from now full join before using (employee_id)
      where (now.manager_id, now.active) is distinct from (before.manager_id, before.active));
  else
    moved := array(select employee_id from before);
  end if;
  if cardinality(moved) = 0 then return null; end if;

  -- Two concurrent moves could miss each other, so they run one after the other. Readers do not wait.
  lock table finance.chain in share row exclusive mode;
  -- The feed delivers people in any order, so a person may exist before their manager.
  moved := array(
    with recursive down (employee_id) as (
      select unnest(moved)
      union
      select p.employee_id from down d join finance.people p on p.manager_id = d.employee_id
    )
    select employee_id from down);
  -- `union` ends a cycle: between two pages of the feed, two people can each be recorded below the other.
  with recursive up (manager_id, employee_id) as (
    select manager_id, employee_id from finance.people where employee_id = any (moved) and active and manager_id is not null
    union
    select m.manager_id, u.employee_id from up u join finance.people m on m.employee_id = u.manager_id where m.manager_id is not null
  ), ended as (
    delete from finance.chain c where c.employee_id = any (moved)
      and not exists (select from up u where u.employee_id = c.employee_id and u.manager_id = c.manager_id)
  )
  insert into finance.chain (manager_id, employee_id)
  select manager_id, employee_id from up where manager_id <> employee_id order by 1, 2
  on conflict do nothing;
  return null;
end $$;

create trigger keep_chain_insert after insert on finance.people referencing new table as now for each statement execute function finance.keep_chain();
create trigger keep_chain_update after update on finance.people referencing old table as before new table as now for each statement execute function finance.keep_chain();
create trigger keep_chain_delete after delete on finance.people referencing old table as before for each statement execute function finance.keep_chain();

grant tamshai_finance_keeper to current_user;
grant create on schema finance to tamshai_finance_keeper;
alter function finance.keep_chain() owner to tamshai_finance_keeper;
revoke create on schema finance from tamshai_finance_keeper;
