-- Row policies and grants of {{name}}. The whole file runs whenever it changes. Only the rights granted here exist.
call tamshai.ensure_role('{{name}}_everyone');
call tamshai.ensure_role('{{name}}_everyone_write', '{{name}}_everyone');
call tamshai.ensure_role('{{name}}_own');
call tamshai.begin_rules('{{name}}');

grant usage on schema {{name}} to {{name}}_everyone, {{name}}_own;
grant select on {{name}}.items to {{name}}_everyone, {{name}}_own;
create policy everyone on {{name}}.items for select to {{name}}_everyone using ((select tamshai.principal()) is not null);
create policy own on {{name}}.items for select to {{name}}_own using (employee_id = (select tamshai.me()));

-- Writes run as <domain>_<audience>_write, after a person has approved them.
grant update (title) on {{name}}.items to {{name}}_everyone_write;
create policy rename on {{name}}.items for update to {{name}}_everyone_write using ((select tamshai.principal()) is not null);
