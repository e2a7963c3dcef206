-- An invoice is in the currency of the company, which every connection sets.
alter table finance.invoices alter column currency set default coalesce(nullif(current_setting('app.currency', true), ''), 'USD');
