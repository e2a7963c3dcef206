-- Sessions run in the time zone of the company, and times are published in UTC.
create or replace function knowledge.iso(at timestamptz) returns text language sql stable strict parallel safe
  return trim(both '"' from to_json(at at time zone 'UTC')::text) || 'Z';
