-- The tools read these views. A view with security_invoker shows what its reader may see, not what its owner may see.
create view facilities.room_list with (security_invoker = true) as
  select r.room_id, r.name, r.building, r.floor, r.seats, r.equipment, r.row_version,
    case when l.room_id is not null
      then json_build_object('landlord', l.landlord, 'ends_on', l.ends_on, 'monthly_rent', p.monthly_rent)
    end as lease
  from facilities.rooms r
  left join facilities.leases l using (room_id)
  left join facilities.rents p using (room_id);

create view facilities.booking_list with (security_invoker = true) as
  select b.booking_id, b.room_id, r.name as room_name, b.booked_by, b.employee_id, b.day, b.from_hour, b.to_hour, b.purpose, b.row_version
  from facilities.bookings b join facilities.rooms r using (room_id);
