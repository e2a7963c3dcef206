-- Row policies and grants of facilities. The whole file runs whenever it changes. Only the rights granted here exist.
call tamshai.ensure_role('facilities_everyone');
call tamshai.ensure_role('facilities_everyone_write', 'facilities_everyone');
call tamshai.ensure_role('facilities_staff');
call tamshai.ensure_role('facilities_staff_write', 'facilities_staff');
call tamshai.ensure_role('facilities_house');
call tamshai.begin_rules('facilities');

grant usage on schema facilities to facilities_everyone, facilities_staff, facilities_house;

-- Everybody reads rooms and leases. Only people with a role that lifts the mask read the rent.
grant select on facilities.rooms, facilities.leases, facilities.rents, facilities.room_list
  to facilities_everyone, facilities_staff, facilities_house;
create policy everyone on facilities.rooms for select to facilities_everyone, facilities_staff, facilities_house
  using ((select tamshai.principal()) is not null);
create policy everyone on facilities.leases for select to facilities_everyone, facilities_staff, facilities_house
  using ((select tamshai.principal()) is not null);
create policy shown on facilities.rents for select to facilities_everyone, facilities_staff, facilities_house
  using ((select tamshai.shows('rent')));

-- Facilities and executives read all bookings. Other people read their own.
grant select on facilities.bookings, facilities.booking_list to facilities_everyone, facilities_staff;
create policy everyone on facilities.bookings for select to facilities_everyone using ((select tamshai.principal()) is not null);
create policy own on facilities.bookings for select to facilities_staff using (employee_id = (select tamshai.me()));

-- Everybody reads the taken hours, but not the bookings behind them.
grant select (room_id, day, hour) on facilities.taken_hours to facilities_everyone, facilities_staff;
create policy everyone on facilities.taken_hours for select to facilities_everyone, facilities_staff
  using ((select tamshai.principal()) is not null);

-- Everybody books rooms for themselves and cancels their own bookings.
grant insert (booking_id, room_id, booked_by, day, from_hour, to_hour, purpose), delete on facilities.bookings
  to facilities_everyone_write, facilities_staff_write;
create policy book on facilities.bookings for insert to facilities_everyone_write, facilities_staff_write
  with check (employee_id = (select tamshai.me()));
create policy cancel on facilities.bookings for delete to facilities_everyone_write, facilities_staff_write
  using (employee_id = (select tamshai.me()));
grant insert on facilities.taken_hours to facilities_everyone_write, facilities_staff_write;
create policy book on facilities.taken_hours for insert to facilities_everyone_write, facilities_staff_write
  with check (exists (select from facilities.bookings b where b.booking_id = taken_hours.booking_id
  and b.employee_id = (select tamshai.me())));

-- Facilities changes the seats and the equipment of a room.
grant update (seats, equipment) on facilities.rooms to facilities_everyone_write;
create policy change on facilities.rooms for update to facilities_everyone_write using ((select tamshai.principal()) is not null);
