-- Updates hr.chain and manager_name after every change of hr.employees. The caller may not write them, so the function runs
-- as tamshai_hr_keeper: a system role without login, whose rights cover these two tables.
call tamshai.ensure_keeper('hr');

create function hr.keep_chain() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  moved uuid[];
  renamed uuid[];
begin
  if tg_op = 'INSERT' then
    moved := array(select employee_id from now);
  elsif tg_op = 'UPDATE' then
    moved := array(select employee_id from now join before using (employee_id)
      where (now.manager_id, now.active) is distinct from (before.manager_id, before.active));
    renamed := array(select employee_id from now join before using (employee_id)
      where (now.first_name, now.last_name) is distinct from (before.first_name, before.last_name));
  else
    moved := array(select employee_id from before);
  end if;
  if cardinality(moved || renamed) = 0 then return null; end if;

  -- Two concurrent moves could miss each other, so they run one after the other. Readers do not wait.
  lock table hr.chain in share row exclusive mode;
  if tg_op <> 'INSERT' then
    moved := moved || array(select employee_id from hr.chain where manager_id = any (moved)) || renamed;
    moved := array(select distinct person from unnest(moved) person);
    delete from hr.chain where employee_id = any (moved);
  end if;
  insert into hr.chain (manager_id, last_name, first_name, employee_id, depth)
  with recursive up (manager_id, last_name, first_name, employee_id, depth) as (
    select e.manager_id, e.last_name, e.first_name, e.employee_id, 1
    from hr.employees e where e.employee_id = any (moved) and e.active and e.manager_id is not null
    union all
    select m.manager_id, u.last_name, u.first_name, u.employee_id, u.depth + 1
    from up u join hr.employees m on m.employee_id = u.manager_id
    where m.manager_id is not null and u.depth <= 50 -- a cycle violates the check of hr.chain instead of recursing forever
  )
  select * from up order by 1, 2, 3, 4;

  update hr.employees e set manager_name = m.first_name || ' ' || m.last_name
  from hr.employees r left join hr.employees m on m.employee_id = r.manager_id
  where r.employee_id = e.employee_id and (r.employee_id = any (moved) or r.manager_id = any (renamed))
    and e.manager_name is distinct from m.first_name || ' ' || m.last_name;
  return null;
end $$;

create trigger keep_chain_insert after insert on hr.employees referencing new table as now for each statement execute function hr.keep_chain();
create trigger keep_chain_update after update on hr.employees referencing old table as before new table as now for each statement execute function hr.keep_chain();
create trigger keep_chain_delete after delete on hr.employees referencing old table as before for each statement execute function hr.keep_chain();

-- Sign-in checks whether a person still works here. The function reveals nothing else about people who left.
create function hr.employment(person uuid) returns text language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select case when tamshai.principal() is null then 'unknown' else
    coalesce((select case when active then 'active' else 'terminated' end from hr.employees where employee_id = person), 'unknown') end
$$;

-- PostgreSQL lets only a member of a role transfer ownership to it, and only if the role may create objects in the schema.
grant tamshai_hr_keeper to current_user;
grant create on schema hr to tamshai_hr_keeper;
alter function hr.keep_chain() owner to tamshai_hr_keeper;
alter function hr.employment(uuid) owner to tamshai_hr_keeper;
revoke create on schema hr from tamshai_hr_keeper;
