-- The two tables that every domain's writes commit into, beside their effect. Their policies stand in <domain>/policies.sql,
-- with the names of the roles that write. Safe to run again.
create schema if not exists {{domain}};

-- One row for each approval that took effect: a second click, a retry or another replica finds the one result here.
create table if not exists {{domain}}.effects (
  confirmation_id uuid primary key,
  tool text not null,
  principal text not null,
  result json, -- json, not jsonb: an answer keeps the order of its keys
  at timestamptz not null default clock_timestamp()
);

-- The trail of writes, in chains. The code over `body` is keyed with a key that this database does not hold.
create table if not exists {{domain}}.audit (
  chain text not null,
  n bigint not null,
  body text not null,
  mac text not null,
  at timestamptz not null,
  principal text not null,
  primary key (chain, n)
);
create index if not exists audit_newest on {{domain}}.audit (at, chain, n);
create index if not exists audit_own on {{domain}}.audit (principal, at, chain, n);

call tamshai.ensure_role('{{domain}}_audit');
