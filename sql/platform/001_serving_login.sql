-- The login with which a serving process checks that the schema is up to date. It may only read which migrations were applied;
-- the roles of each domain read and write the rows.
do $$ begin
  create role tamshai_serve nologin;
exception when duplicate_object or unique_violation then null;
end $$;
grant usage on schema tamshai to tamshai_serve;
grant select on tamshai.migrations to tamshai_serve;
