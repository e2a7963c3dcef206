-- Row policies and grants of rooms: every employee reads every room.
call tamshai.ensure_role('rooms_everyone');
call tamshai.begin_rules('rooms');

grant usage on schema rooms to rooms_everyone, rooms_audit;
grant select on rooms.rooms to rooms_everyone;
create policy everyone on rooms.rooms for select to rooms_everyone using (true);
grant select on rooms.audit to rooms_audit;
create policy auditor on rooms.audit for select to rooms_audit using (true);
