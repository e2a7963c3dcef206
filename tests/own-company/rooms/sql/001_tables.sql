-- Tables of rooms.
create table rooms.rooms (
  room_id int primary key,
  name text not null,
  seats int not null,
  contact text not null
);
