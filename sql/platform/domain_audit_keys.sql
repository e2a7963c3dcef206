-- The index of a domain's audit log by index keys: by record, request, person, tool, decision and server. The roles of an older database
-- get the right to compute the keys here; begin_rules gives it to later ones.
do $$ begin
  grant execute on function tamshai.audit_keys(text) to tamshai_{{domain}}_owner with grant option;
  execute (select format('grant execute on function tamshai.audit_keys(text) to %s', string_agg(quote_ident(r.name), ', '))
    from tamshai.roles r join pg_roles p on p.rolname = r.name where r.domain = '{{domain}}' and r.name ~ '_(audit|write)$');
end $$;
set local role tamshai_{{domain}}_owner;
create index if not exists audit_by_key on {{domain}}.audit using gin (tamshai.audit_keys(body));
reset role;
