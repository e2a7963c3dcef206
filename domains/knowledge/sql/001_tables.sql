-- Tables of knowledge: a transaction-time store of entries and triples. A change never overwrites a row: it closes the current version
-- (tx_to) and adds the next (tx_from) under its transaction number. Undo adds the closed versions again.

-- The number of the last transaction. Every change locks this row, so that numbers have no gaps and follow the commit order:
-- a reader who has seen a number has seen all lower ones.
create table knowledge.head (
  one boolean primary key default true check (one),
  last_tx bigint not null check (last_tx > 0)
);
create function knowledge.count_on() returns trigger language plpgsql as $$
begin
  new.last_tx := old.last_tx + 1;
  return new;
end $$;
create trigger count_on before update on knowledge.head for each row execute function knowledge.count_on();

create table knowledge.transactions (
  tx_id bigint primary key,
  at timestamptz not null default clock_timestamp(),
  action text not null check (action in ('store', 'update', 'delete', 'relate', 'undo')),
  principal text not null,
  by_name text not null,
  reason text,
  undoes bigint references knowledge.transactions
);
create index transactions_at on knowledge.transactions (at);
create index transactions_own on knowledge.transactions (principal, tx_id);
create index transactions_undone on knowledge.transactions (undoes) where undoes is not null;

-- Normalises a name: no accents, lower case, one space between words. "Payments-DB" and "payments db" are one name.
create function knowledge.plain(given text) returns text language sql immutable strict parallel safe
  return trim(regexp_replace(lower(regexp_replace(normalize(given, nfd), '[\u0300-\u036f''’]', '', 'g')), '[-–—_/\s]+', ' ', 'g'));

-- `owner` is the signed-in principal. source, actor and confidence are that person's claims.
create table knowledge.entries (
  entry_no bigint not null check (entry_no > 0),
  tx_from bigint not null references knowledge.transactions,
  tx_to bigint references knowledge.transactions,
  topic text not null check (topic <> ''),
  content text not null check (content <> ''),
  tags text[] not null default '{}',
  source text,
  actor text,
  confidence numeric(4, 3) not null default 1 check (confidence between 0 and 1),
  valid_from date,
  valid_to date, -- the last day on which it is valid
  owner text not null,
  recorded_by text not null,
  recorded_at timestamptz not null,
  row_version bigint not null default 1,
  primary key (entry_no, tx_from),
  check (tx_to > tx_from),
  check (valid_from <= valid_to)
);
create trigger raise_version before update on knowledge.entries for each row execute function tamshai.raise_version();
create unique index entries_open on knowledge.entries (entry_no) where tx_to is null;
create index entries_newest on knowledge.entries (recorded_at, entry_no) where tx_to is null;
create index entries_from on knowledge.entries (tx_from);
create index entries_to on knowledge.entries (tx_to) where tx_to is not null;

create table knowledge.triples (
  triple_no bigint not null check (triple_no > 0),
  tx_from bigint not null references knowledge.transactions,
  tx_to bigint references knowledge.transactions,
  subject text not null check (subject <> ''),
  predicate text not null check (predicate ~ '^[^\s]+$'),
  object text not null check (object <> ''),
  subject_name text collate "C" not null generated always as (knowledge.plain(subject)) stored,
  object_name text collate "C" not null generated always as (knowledge.plain(object)) stored,
  source text,
  actor text,
  confidence numeric(4, 3) not null default 1 check (confidence between 0 and 1),
  valid_from date,
  valid_to date,
  owner text not null,
  recorded_by text not null,
  recorded_at timestamptz not null,
  row_version bigint not null default 1,
  primary key (triple_no, tx_from),
  check (tx_to > tx_from),
  check (valid_from <= valid_to)
);
create trigger raise_version before update on knowledge.triples for each row execute function tamshai.raise_version();
create unique index triples_open on knowledge.triples (triple_no) where tx_to is null;
create index triples_sorted on knowledge.triples (subject, predicate, object, triple_no) where tx_to is null;
create index triples_subject on knowledge.triples (subject_name, predicate);
create index triples_object on knowledge.triples (object_name, predicate);
create index triples_predicate on knowledge.triples (predicate);
create index triples_from on knowledge.triples (tx_from);
create index triples_to on knowledge.triples (tx_to) where tx_to is not null;

-- The search index consists of tables that are read by equality. Under row-level security PostgreSQL uses no index for `@@` or `%`,
-- because these operators are not leakproof; text equality is.

-- The words of a text. Single ASCII letters and digits are left out.
create function knowledge.words_of(given text) returns table (word text) language sql immutable strict parallel safe rows 10
begin atomic
  select left(w, 40) from regexp_split_to_table(knowledge.plain(given), '[^a-z0-9\u00c0-\u1fff\u2c00-\uffff]+') w where w !~ '^[a-z0-9]?$';
end;
-- The stem of a word; null for a stop word such as "the".
create function knowledge.stem_of(word text) returns text language sql immutable strict parallel safe
  return (ts_lexize('pg_catalog.english_stem', word))[1];
-- The bigrams of a word, including its ends, for fuzzy search: a misspelt word shares most of them with the right one.
create function knowledge.pairs_of(word text) returns table (pair text) language sql immutable strict parallel safe rows 10
begin atomic
  select distinct substr('^' || word || '$', i, 2) from generate_series(1, length(word) + 1) i;
end;

-- Every word that was ever stored, and the bigrams of each.
create table knowledge.words (
  word text collate "C" primary key,
  stem text collate "C" not null,
  pairs int not null
);
create index words_stem on knowledge.words (stem);
create table knowledge.pairs (
  pair text collate "C" not null,
  word text collate "C" not null,
  primary key (pair, word)
);
-- The stems of each version of an entry. A topic weighs more than a tag, and a tag more than the content.
create table knowledge.terms (
  stem text collate "C" not null,
  entry_no bigint not null,
  tx_from bigint not null,
  weight numeric(4, 3) not null,
  primary key (stem, entry_no, tx_from)
);
-- The names under which triples refer to an entry: its topic, its tags, its id.
create table knowledge.names (
  name text collate "C" not null,
  entry_no bigint not null,
  tx_from bigint not null,
  primary key (name, entry_no, tx_from)
);
create index names_entry on knowledge.names (entry_no, tx_from);
-- The stems of every subject and object of a triple.
create table knowledge.ends (
  stem text collate "C" not null,
  name text collate "C" not null,
  stems int not null,
  primary key (stem, name)
);

create function knowledge.index_entry() returns trigger language plpgsql as $$
begin
  with found as (
    select word, knowledge.stem_of(word) as stem from (
      select distinct word from knowledge.words_of(new.topic || ' ' || array_to_string(new.tags, ' ') || ' ' || new.content)) w
  ), fresh as (
    insert into knowledge.words (word, stem, pairs)
    select word, stem, (select count(*) from knowledge.pairs_of(word)) from found where stem is not null
    on conflict do nothing returning word
  )
  insert into knowledge.pairs (pair, word) select pair, word from fresh, knowledge.pairs_of(word) on conflict do nothing;

  insert into knowledge.terms (stem, entry_no, tx_from, weight)
  select stem, new.entry_no, new.tx_from, least(1, max(weight) + 0.05 * least(count(*) - 1, 3)) from (
    select knowledge.stem_of(word) as stem, weight from (
      select word, 0.95 as weight from knowledge.words_of(new.topic)
      union all select word, 0.8 from unnest(new.tags) tag, knowledge.words_of(tag)
      union all select word, 0.55 from knowledge.words_of(new.content)) w) s
  where stem is not null group by stem;

  insert into knowledge.names (name, entry_no, tx_from)
  select distinct knowledge.plain(name), new.entry_no, new.tx_from from unnest(new.tags || new.topic || ('e-' || new.entry_no)) name;
  return null;
end $$;
create trigger index_entry after insert on knowledge.entries for each row execute function knowledge.index_entry();

create function knowledge.index_triple() returns trigger language plpgsql as $$
begin
  with found as (
    select distinct name, knowledge.stem_of(word) as stem from (values (new.subject_name), (new.object_name)) n (name), knowledge.words_of(name) word
  )
  insert into knowledge.ends (stem, name, stems)
  select stem, name, count(*) over (partition by name) from found where stem is not null
  on conflict do nothing;
  return null;
end $$;
create trigger index_triple after insert on knowledge.triples for each row execute function knowledge.index_triple();
