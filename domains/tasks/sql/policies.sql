-- Row policies and grants of tasks: callers read and write only their own tasks. Only tasks_audit reads the audit log.
call tamshai.ensure_role('tasks_self');
call tamshai.ensure_role('tasks_self_write', 'tasks_self');
call tamshai.begin_rules('tasks');

grant usage on schema tasks to tasks_self;
grant select on tasks.tasks, tasks.counters to tasks_self;
create policy own on tasks.tasks for select to tasks_self using (principal = (select tamshai.principal()));
create policy own on tasks.counters for select to tasks_self using (principal = (select tamshai.principal()));

grant insert (principal, id, title, description), update (title, description, completed), delete on tasks.tasks to tasks_self_write;
create policy add_own on tasks.tasks for insert to tasks_self_write with check (principal = (select tamshai.principal()));
create policy change_own on tasks.tasks for update to tasks_self_write using (principal = (select tamshai.principal()));
create policy delete_own on tasks.tasks for delete to tasks_self_write using (principal = (select tamshai.principal()));
grant insert, update (last_id) on tasks.counters to tasks_self_write;
create policy add_own on tasks.counters for insert to tasks_self_write with check (principal = (select tamshai.principal()));
create policy count_own on tasks.counters for update to tasks_self_write using (principal = (select tamshai.principal()));
