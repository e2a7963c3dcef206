-- A name stands for the move it was written with, and changes with no other. Else somebody could put theirs over an approval,
-- and whoever had really given it would be free to pay. Only for those who call: what an owner corrects, an owner answers for.
create function finance.keep_hands() returns trigger language plpgsql as $$
declare
  hand text;
begin
  for hand in select distinct split_part(move, ' > ', 1) from unnest(tg_argv) as move loop
    if to_jsonb(new) -> hand is distinct from to_jsonb(old) -> hand
      and (new.status = old.status or not hand || ' > ' || new.status = any (tg_argv)) then
      raise exception 'another hand' using errcode = 'check_violation';
    end if;
  end loop;
  return new;
end $$;

create trigger keep_hands before update on finance.budgets for each row when (tamshai.me() is not null) execute function finance.keep_hands(
  'submitted_by > PENDING_APPROVAL', 'approved_by > APPROVED', 'rejected_by > REJECTED', 'rejected_by > PENDING_APPROVAL');
create trigger keep_hands before update on finance.invoices for each row when (tamshai.me() is not null) execute function finance.keep_hands(
  'approved_by > APPROVED', 'paid_by > PAID');
create trigger keep_hands before update on finance.expense_reports for each row when (tamshai.me() is not null) execute function finance.keep_hands(
  'approved_by > APPROVED', 'rejected_by > REJECTED', 'reimbursed_by > REIMBURSED');
