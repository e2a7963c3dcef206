-- Row policies and grants of rooms: every employee reads every room.
call tamshai.ensure_role('rooms_everyone');
call tamshai.begin_rules('rooms');

grant usage on schema rooms to rooms_everyone;
grant select on rooms.rooms to rooms_everyone;
create policy everyone on rooms.rooms for select to rooms_everyone using (true);
