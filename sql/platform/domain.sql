-- The two tables of every domain that a write commits to in the transaction of its effect. <domain>/policies.sql has their policies.
-- Safe to run again.
create schema if not exists {{domain}};

-- One row for each approval that took effect. A second click, a retry or another replica reads the result of the first here.
create table if not exists {{domain}}.effects (
  confirmation_id uuid primary key,
  tool text not null,
  principal text not null,
  result json, -- json keeps the order of the keys, jsonb does not
  at timestamptz not null default clock_timestamp()
);

-- The audit log of writes, in hash chains. `mac` is an HMAC over `body` with a key that this database does not hold.
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
