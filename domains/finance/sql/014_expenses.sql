-- The employee hands in a draft or a rejected report with corrected items.
drop trigger keep_to_moves on finance.expense_reports;
create trigger keep_to_moves before update on finance.expense_reports for each row execute function finance.keep_to_moves(
  'DRAFT > SUBMITTED', 'REJECTED > SUBMITTED', 'SUBMITTED > APPROVED', 'SUBMITTED > REJECTED', 'APPROVED > REIMBURSED');
drop trigger keep_signatories on finance.expense_reports;
create trigger keep_signatories before update on finance.expense_reports for each row when (tamshai.me() is not null)
  execute function finance.keep_signatories('approved_by > APPROVED', 'rejected_by > REJECTED', 'rejected_by > SUBMITTED',
    'reimbursed_by > REIMBURSED');
