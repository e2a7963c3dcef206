-- A budget can be drafted, changed while it is a draft or rejected, and closed after its approval. ACTIVE is not stored: an approved budget
-- is active from the first day of its year until it is closed.
alter table finance.budgets add column updated_by uuid, add column updated_by_name text, add column updated_at timestamptz,
  add column closed_by uuid, add column closed_by_name text, add column closed_at timestamptz, add column closing_notes text;
alter table finance.budgets drop constraint budgets_status_check, drop constraint budgets_check1;
alter table finance.budgets
  add constraint budgets_status_check check (status in ('DRAFT', 'PENDING_APPROVAL', 'APPROVED', 'REJECTED', 'CLOSED')),
  add constraint budgets_check1 check ((status in ('APPROVED', 'CLOSED'))
    = (approved_by is not null and approved_by_name is not null and approved_at is not null)),
  add check ((status = 'CLOSED') = (closed_by is not null and closed_by_name is not null and closed_at is not null)),
  add check ((updated_by is null) = (updated_by_name is null) and (updated_by is null) = (updated_at is null));

drop trigger keep_to_moves on finance.budgets;
create trigger keep_to_moves before update on finance.budgets for each row execute function finance.keep_to_moves(
  'DRAFT > PENDING_APPROVAL', 'REJECTED > PENDING_APPROVAL', 'PENDING_APPROVAL > APPROVED', 'PENDING_APPROVAL > REJECTED', 'APPROVED > CLOSED');
drop trigger keep_signatories on finance.budgets;
create trigger keep_signatories before update on finance.budgets for each row when (tamshai.me() is not null)
  execute function finance.keep_signatories('submitted_by > PENDING_APPROVAL', 'approved_by > APPROVED', 'rejected_by > REJECTED',
    'rejected_by > PENDING_APPROVAL', 'closed_by > CLOSED');

drop view finance.budget_list;
create view finance.budget_list with (security_invoker = true) as
select b.budget_id, b.department, b.fiscal_year, b.status as stored_status, b.created_by, b.created_by_name, b.submitted_by, b.submitted_by_name,
  b.submitted_at, b.comments, b.updated_by, b.updated_by_name, b.updated_at, b.approved_by, b.approved_by_name, b.approved_at, b.approver_notes,
  b.rejected_by, b.rejected_by_name, b.rejected_at, b.rejection_reason, b.closed_by, b.closed_by_name, b.closed_at, b.closing_notes,
  concat_ws('.', b.row_version, l.lines, l.versions) as row_version
from finance.budgets b
left join lateral (
  select count(*) as lines, coalesce(sum(row_version), 0) as versions from finance.budget_lines where budget_id = b.budget_id
) l on true
where b.deleted_at is null;
