-- Renames finance.keep_hands (004_signatories.sql), and its error message. PostgreSQL fires triggers in the order of their names:
-- keep_signatories still comes before keep_to_moves.
alter function finance.keep_hands() rename to keep_signatories;
create or replace function finance.keep_signatories() returns trigger language plpgsql as $$
declare
  signatory text;
begin
  for signatory in select distinct split_part(move, ' > ', 1) from unnest(tg_argv) as move loop
    if to_jsonb(new) -> signatory is distinct from to_jsonb(old) -> signatory
      and (new.status = old.status or not signatory || ' > ' || new.status = any (tg_argv)) then
      raise exception 'signatory changed without its move' using errcode = 'check_violation';
    end if;
  end loop;
  return new;
end $$;
alter trigger keep_hands on finance.budgets rename to keep_signatories;
alter trigger keep_hands on finance.invoices rename to keep_signatories;
alter trigger keep_hands on finance.expense_reports rename to keep_signatories;
