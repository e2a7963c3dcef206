-- The index of a domain's audit log by index keys: by record, request, tool, decision and server.
set local role tamshai_{{domain}}_owner;
create index if not exists audit_by_key on {{domain}}.audit using gin (tamshai.audit_keys(body));
reset role;
