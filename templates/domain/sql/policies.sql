-- Row policies and grants of {{name}}. The whole file runs whenever it changes. Only the rights granted here exist.
call tamshai.ensure_role('{{name}}_everyone');
call tamshai.ensure_role('{{name}}_everyone_write', '{{name}}_everyone');
call tamshai.ensure_role('{{name}}_own');
call tamshai.begin_rules('{{name}}');

grant usage on schema {{name}} to {{name}}_everyone, {{name}}_own, {{name}}_audit;
grant select on {{name}}.items to {{name}}_everyone, {{name}}_own;
create policy everyone on {{name}}.items for select to {{name}}_everyone using ((select tamshai.principal()) is not null);
create policy own on {{name}}.items for select to {{name}}_own using (employee_id = (select tamshai.me()));

-- Writes run as <domain>_<audience>_write, after a person has approved them.
grant update (title) on {{name}}.items to {{name}}_everyone_write;
create policy rename on {{name}}.items for update to {{name}}_everyone_write using ((select tamshai.principal()) is not null);

-- Every write commits its result and its audit record together with its effect. Only {{name}}_audit reads the audit log.
grant select (confirmation_id, principal, result), insert (confirmation_id, tool, principal), update (result)
  on {{name}}.effects to {{name}}_everyone_write;
create policy own on {{name}}.effects to {{name}}_everyone_write
  using (principal = (select tamshai.principal())) with check (principal = (select tamshai.principal()));
grant insert on {{name}}.audit to {{name}}_everyone_write;
create policy append on {{name}}.audit for insert to {{name}}_everyone_write with check (principal = (select tamshai.principal()));
grant select on {{name}}.audit to {{name}}_audit;
create policy auditor on {{name}}.audit for select to {{name}}_audit using (true);
