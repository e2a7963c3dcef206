-- A signatory (approved_by, paid_by and so on) changes only with the status change that it signs. Otherwise a caller could replace the
-- name on an approval, and the real approver could then pay as well. The database owner, who has no caller id, may correct it.
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
