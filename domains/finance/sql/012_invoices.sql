-- An invoice that waits for approval can be rejected, by somebody else than the person who submitted it. Older rejections have no name.
alter table finance.invoices add column rejected_by uuid, add column rejected_by_name text, add column rejected_at timestamptz,
  add check (rejected_by <> submitted_by),
  add check (status = 'REJECTED' or rejected_by is null),
  add check ((rejected_by is null) = (rejected_by_name is null) and (rejected_by is null) = (rejected_at is null));

drop trigger keep_to_moves on finance.invoices;
create trigger keep_to_moves before update on finance.invoices for each row execute function finance.keep_to_moves(
  'PENDING > APPROVED', 'PENDING > REJECTED', 'APPROVED > PAID');
drop trigger keep_signatories on finance.invoices;
create trigger keep_signatories before update on finance.invoices for each row when (tamshai.me() is not null)
  execute function finance.keep_signatories('approved_by > APPROVED', 'rejected_by > REJECTED', 'paid_by > PAID');

-- create_invoice finds the number of a vendor by its name.
create index invoices_by_vendor on finance.invoices (search_vendor, vendor_id) where deleted_at is null;

drop view finance.invoice_list;
create view finance.invoice_list with (security_invoker = true) as
select invoice_id, vendor_id, vendor_name, search_vendor, amount, currency, description, department, category, status as stored_status, invoice_date, due_date,
  submitted_by, submitted_by_name, submitted_at, approved_by, approved_by_name, approved_at, approver_notes, rejected_by, rejected_by_name,
  rejected_at, rejection_reason,  paid_by, paid_by_name, payment_date, payment_reference, payment_notes, row_version::text as row_version
from finance.invoices where deleted_at is null;
