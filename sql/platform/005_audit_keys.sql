-- The index keys of an audit record, computed from its text, so that the index cannot contradict the record. The function in
-- src/engine/audit/keys.ts builds the same keys. A text that is no record has none.
create or replace function tamshai.audit_keys(body text) returns text[] language plpgsql immutable strict as $$
declare
  content json := body::json;
  records json := content -> 'records';
begin
  return array_remove(array[
      'request:' || (content ->> 'requestId'), 'person:' || (content ->> 'username'), 'tool:' || (content ->> 'tool'),
      'decision:' || (content ->> 'decision'), 'server:' || (content ->> 'server')], null)
    || coalesce((select array_agg('record:' || value) from json_array_elements_text(
      case json_typeof(records) when 'array' then records else '[]' end) as value), '{}');
exception when others then
  return '{}';
end $$;
-- It reads nothing but its argument. Every role that appends to an audit log or searches it runs it.
grant execute on function tamshai.audit_keys(text) to public;
