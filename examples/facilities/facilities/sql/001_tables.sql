-- Tables of facilities. The rent has a table of its own, so that its policy can hide it from people who see the rest of the room.
create table facilities.rooms (
  room_id uuid primary key,
  name text not null unique,
  building text not null,
  floor int not null,
  seats int not null check (seats > 0),
  equipment text[] not null default '{}',
  row_version bigint not null default 1
);
create trigger raise_version before update on facilities.rooms for each row execute function tamshai.raise_version();

create table facilities.leases (
  room_id uuid primary key references facilities.rooms,
  landlord text not null,
  ends_on date not null
);
create table facilities.rents (
  room_id uuid primary key references facilities.leases,
  monthly_rent numeric(12, 2) not null check (monthly_rent >= 0)
);

create table facilities.bookings (
  booking_id uuid primary key default gen_random_uuid(),
  room_id uuid not null references facilities.rooms,
  employee_id uuid not null default tamshai.me(),
  booked_by text not null,
  day date not null,
  from_hour int not null check (from_hour between 0 and 23),
  to_hour int not null check (to_hour between 1 and 24),
  purpose text not null,
  row_version bigint not null default 1,
  check (from_hour < to_hour)
);
create index bookings_by_room on facilities.bookings (room_id, day);
create index bookings_by_person on facilities.bookings (employee_id, day);
create index bookings_in_order on facilities.bookings (day, from_hour, booking_id);

-- One row for each booked hour. Its key makes a double booking impossible. People who cannot see a booking still see that the room is
-- taken.
create table facilities.taken_hours (
  room_id uuid not null references facilities.rooms,
  day date not null,
  hour int not null check (hour between 0 and 23),
  booking_id uuid not null references facilities.bookings on delete cascade,
  primary key (room_id, day, hour)
);
create index taken_by_booking on facilities.taken_hours (booking_id);
