-- Notifies other processes at commit that there are new transactions. The notification carries no data; they read the tables.
create function knowledge.wake() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_notify('knowledge_changed', '');
  return null;
end $$;
create trigger wake after insert on knowledge.transactions for each statement execute function knowledge.wake();
