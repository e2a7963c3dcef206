-- The engine's own store: what must survive an emptied key-value store. Only the gateway uses it, in the database that
-- TAMSHAI_DATABASE_URL names, with the login tamshai_engine, which has these rights and no others.
do $$ begin
  create role tamshai_engine nologin;
exception when duplicate_object or unique_violation then null;
end $$;
-- The embedded database has one session, which becomes tamshai_engine for a transaction.
do $$ begin
  if not pg_has_role('tamshai_app', 'tamshai_engine', 'member') then
    grant tamshai_engine to tamshai_app;
  end if;
end $$;

-- OAuth clients that registered themselves. Before the registration is complete, there is no metadata: the row reserves a place
-- within the limit of unused clients.
create table tamshai.clients (
  realm text not null,
  client_id text not null,
  metadata json,
  registered_at timestamptz not null,
  used_at timestamptz, -- when a person first allowed the client
  expires_at timestamptz not null,
  primary key (realm, client_id)
);
create index clients_unused on tamshai.clients (realm) where used_at is null;
create index clients_expired on tamshai.clients (expires_at);

-- One row for each sign-in of a person through a client, with the person's consent. Deleting it ends the sign-in.
create table tamshai.sign_ins (
  realm text not null,
  sign_in_id text not null,
  client_id text not null,
  account_id text not null,
  consent json not null,
  expires_at timestamptz not null,
  primary key (realm, sign_in_id)
);
create index sign_ins_expired on tamshai.sign_ins (expires_at);

-- Refresh tokens: the hash of the token, and its data encrypted with a key that this database does not hold. A used token stays until
-- it expires, so that a second use is recognised.
create table tamshai.refresh_tokens (
  realm text not null,
  token_hash text not null,
  sign_in_id text not null,
  sealed text not null,
  used_at timestamptz,
  expires_at timestamptz not null,
  primary key (realm, token_hash),
  foreign key (realm, sign_in_id) references tamshai.sign_ins on delete cascade
);
create index refresh_tokens_of on tamshai.refresh_tokens (realm, sign_in_id);
create index refresh_tokens_expired on tamshai.refresh_tokens (expires_at);

grant usage on schema tamshai to tamshai_engine;
grant select, insert, update, delete on tamshai.clients, tamshai.sign_ins, tamshai.refresh_tokens to tamshai_engine;
