-- Row policies and grants of knowledge. All staff read everything. Callers change their own rows directly. They change rows of others only
-- while an approved change runs: its row in knowledge.effects has no result yet, and no other transaction sees that row.

-- A version can be closed but never deleted. Every new version has the number of the current transaction.
call tamshai.ensure_role('knowledge_staff');
call tamshai.ensure_role('knowledge_staff_write', 'knowledge_staff');
call tamshai.begin_rules('knowledge');

grant usage on schema knowledge to knowledge_staff;
grant execute on function knowledge.plain(text), knowledge.words_of(text), knowledge.stem_of(text), knowledge.pairs_of(text),
  knowledge.iso(timestamptz) to knowledge_staff;
grant select on knowledge.head, knowledge.transactions, knowledge.entries, knowledge.triples, knowledge.entry_versions,
  knowledge.triple_versions,
  knowledge.changes, knowledge.history, knowledge.words, knowledge.pairs, knowledge.terms, knowledge.names, knowledge.ends
  to knowledge_staff;
create policy staff on knowledge.head for select to knowledge_staff using ((select tamshai.principal()) is not null);
create policy staff on knowledge.transactions for select to knowledge_staff using ((select tamshai.principal()) is not null);
create policy staff on knowledge.entries for select to knowledge_staff using ((select tamshai.principal()) is not null);
create policy staff on knowledge.triples for select to knowledge_staff using ((select tamshai.principal()) is not null);
create policy staff on knowledge.words for select to knowledge_staff using ((select tamshai.principal()) is not null);
create policy staff on knowledge.pairs for select to knowledge_staff using ((select tamshai.principal()) is not null);
create policy staff on knowledge.terms for select to knowledge_staff using ((select tamshai.principal()) is not null);
create policy staff on knowledge.names for select to knowledge_staff using ((select tamshai.principal()) is not null);
create policy staff on knowledge.ends for select to knowledge_staff using ((select tamshai.principal()) is not null);

-- Callers insert transactions only in their own name, with the number in knowledge.head. The trigger count_on adds one to this number at
-- each update of knowledge.head.
grant insert (one, last_tx), update (last_tx) on knowledge.head to knowledge_staff_write;
create policy begin_counting on knowledge.head for insert to knowledge_staff_write
  with check ((select tamshai.principal()) is not null and last_tx = 1);
create policy count_on on knowledge.head for update to knowledge_staff_write using ((select tamshai.principal()) is not null);
grant insert (tx_id, action, principal, by_name, reason, undoes) on knowledge.transactions to knowledge_staff_write;
create policy own on knowledge.transactions for insert to knowledge_staff_write
  with check (principal = (select tamshai.principal()) and tx_id = (select last_tx from knowledge.head));

grant insert (entry_no, tx_from, topic, content, tags, source, actor, confidence, valid_from, valid_to, owner,
  recorded_by, recorded_at), update (tx_to)
  on knowledge.entries to knowledge_staff_write;
create policy open_version on knowledge.entries for insert to knowledge_staff_write
  with check (tx_to is null and tx_from = (select last_tx from knowledge.head)
    and (owner = (select tamshai.principal()) or (select exists (select from knowledge.effects where principal = tamshai.principal()
    and result is null))));
create policy close_version on knowledge.entries for update to knowledge_staff_write
  using (tx_to is null
    and (owner = (select tamshai.principal()) or (select exists (select from knowledge.effects where principal = tamshai.principal()
    and result is null))))
  with check (tx_to = (select last_tx from knowledge.head));
grant insert (triple_no, tx_from, subject, predicate, object, source, actor, confidence, valid_from, valid_to, owner,
  recorded_by, recorded_at), update (tx_to)
  on knowledge.triples to knowledge_staff_write;
create policy open_version on knowledge.triples for insert to knowledge_staff_write
  with check (tx_to is null and tx_from = (select last_tx from knowledge.head)
    and (owner = (select tamshai.principal()) or (select exists (select from knowledge.effects where principal = tamshai.principal()
    and result is null))));
create policy close_version on knowledge.triples for update to knowledge_staff_write
  using (tx_to is null
    and (owner = (select tamshai.principal()) or (select exists (select from knowledge.effects where principal = tamshai.principal()
    and result is null))))
  with check (tx_to = (select last_tx from knowledge.head));

-- Triggers on entries and triples insert into the tables of the search index, with the rights of the caller.
grant insert on knowledge.words, knowledge.pairs, knowledge.terms, knowledge.names, knowledge.ends to knowledge_staff_write;
create policy grow on knowledge.words for insert to knowledge_staff_write with check ((select tamshai.principal()) is not null);
create policy grow on knowledge.pairs for insert to knowledge_staff_write with check ((select tamshai.principal()) is not null);
create policy grow on knowledge.ends for insert to knowledge_staff_write with check ((select tamshai.principal()) is not null);
create policy grow on knowledge.terms for insert to knowledge_staff_write with check (tx_from = (select last_tx from knowledge.head));
create policy grow on knowledge.names for insert to knowledge_staff_write with check (tx_from = (select last_tx from knowledge.head));
