-- Indexes for the orders in which invoices can be asked for: the largest, and those that are due first.
create index invoices_by_amount on finance.invoices (amount, invoice_id) where deleted_at is null;
create index invoices_by_due_date on finance.invoices (due_date, invoice_id) where deleted_at is null;
