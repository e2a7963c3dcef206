-- Views for the tools.

-- A time in ISO 8601, also inside JSON. 004_times.sql replaces this function, because sessions no longer run in UTC.
create function knowledge.iso(at timestamptz) returns text language sql stable strict parallel safe
  return replace(trim(both '"' from to_json(at)::text), '+00:00', 'Z');

-- Every version of every entry. Current versions: `tx_to is null`. Versions as of transaction t:
-- `tx_from <= t and (tx_to is null or tx_to > t)`.
create view knowledge.entry_versions with (security_invoker = true) as
select e.entry_no, e.tx_from, e.tx_to, 'e-' || e.entry_no as id, e.topic, e.content, to_json(e.tags) as tags, e.tags as tag_list, e.source, e.actor, e.confidence,
  e.valid_from, e.valid_to, e.owner, e.recorded_by, e.recorded_at, t.by_name as changed_by, t.at as changed_at, e.tx_from as tx_id,
  e.owner = (select tamshai.principal()) as mine, 'e-' || e.entry_no || '@' || e.tx_from || '.' || e.row_version as row_version
from knowledge.entries e join knowledge.transactions t on t.tx_id = e.tx_from;

create view knowledge.triple_versions with (security_invoker = true) as
select r.triple_no, r.tx_from, r.tx_to, 't-' || r.triple_no as id, r.subject, r.predicate, r.object, r.subject_name, r.object_name, r.source, r.actor, r.confidence,
  r.valid_from, r.valid_to, r.owner, r.recorded_by, r.recorded_at, t.by_name as changed_by, t.at as changed_at, r.tx_from as tx_id,
  r.owner = (select tamshai.principal()) as mine, 't-' || r.triple_no || '@' || r.tx_from || '.' || r.row_version as row_version
from knowledge.triples r join knowledge.transactions t on t.tx_id = r.tx_from;

-- One row for each entry or triple that a transaction changed, with its full state before and after.
create view knowledge.changes with (security_invoker = true) as
with states as not materialized (
  select 'entry' as kind, entry_no as no, 'e-' || entry_no as id, tx_from, tx_to, json_build_object(
    'id', 'e-' || entry_no, 'topic', topic, 'content', content, 'tags', tags, 'source', source, 'actor', actor, 'confidence', confidence,
    'valid_from', valid_from, 'valid_to', valid_to, 'recorded_by', recorded_by, 'recorded_at', knowledge.iso(recorded_at)) as state
  from knowledge.entries
  union all
  select 'triple', triple_no, 't-' || triple_no, tx_from, tx_to, json_build_object(
    'id', 't-' || triple_no, 'subject', subject, 'predicate', predicate, 'object', object, 'source', source, 'actor', actor, 'confidence', confidence,
    'valid_from', valid_from, 'valid_to', valid_to, 'recorded_by', recorded_by, 'recorded_at', knowledge.iso(recorded_at))
  from knowledge.triples
)
select a.tx_from as tx_id, a.kind, a.no, a.id, b.state as before, a.state as after
from states a left join states b on b.kind = a.kind and b.no = a.no and b.tx_to = a.tx_from
union all
select b.tx_to, b.kind, b.no, b.id, b.state, null
from states b where b.tx_to is not null and not exists (select from states a where a.kind = b.kind and a.no = b.no and a.tx_from = b.tx_to);

create view knowledge.history with (security_invoker = true) as
select t.tx_id, t.at, t.action, t.by_name as by, t.reason, t.undoes, (select max(u.tx_id) from knowledge.transactions u where u.undoes = t.tx_id) as undone_by,
  t.principal = (select tamshai.principal()) as mine, t.tx_id::text as row_version,
  (select coalesce(json_agg(json_build_object('kind', c.kind, 'id', c.id, 'before', c.before, 'after', c.after) order by c.kind, c.no), '[]')
   from knowledge.changes c where c.tx_id = t.tx_id) as changes
from knowledge.transactions t;
