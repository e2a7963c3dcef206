-- Other processes hear that there is something new to read when it is committed, and never before. What it is they read by themselves.
create function knowledge.wake() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_notify('knowledge_changed', '');
  return null;
end $$;
create trigger wake after insert on knowledge.transactions for each statement execute function knowledge.wake();
