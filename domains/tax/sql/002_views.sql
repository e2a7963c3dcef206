-- Views for the tools. With security_invoker, the caller's policies apply, not the owner's. The tools compute "overdue", which depends
-- on the current date: not settled after the deadline, which is the due date or its extension.

create view tax.rates with (security_invoker = true) as
select r.rate_id, r.state, s.name as state_name, r.jurisdiction, r.jurisdiction_type, r.state_rate, r.local_rate, r.combined_rate,
  r.effective_from, r.effective_to
from tax.sales_tax_rates r
join tax.states s on s.code = r.state;

create view tax.estimates with (security_invoker = true) as
select e.estimate_id, e.year, e.quarter, e.state, s.name as jurisdiction, e.due_date, e.extended_to, coalesce(e.extended_to, e.due_date) as deadline,
  e.estimated_amount, e.paid_amount, e.estimated_amount - e.paid_amount as remaining_amount, e.last_paid_on,
  case when e.paid_amount = e.estimated_amount then 'paid' when e.paid_amount > 0 then 'partially_paid' else 'unpaid' end as status,
  e.paid_amount = e.estimated_amount as settled
from tax.quarterly_estimates e
join tax.states s on s.code = e.state;

create view tax.filings with (security_invoker = true) as
select f.filing_id, f.tax_year, f.state, s.name as jurisdiction, f.form, f.title, f.due_date, f.extended_to, coalesce(f.extended_to, f.due_date) as deadline,
  f.status, f.filed_on, f.total_tax, f.prepaid, f.balance_due, f.balance_paid, f.refund_due, f.confirmation_number, f.ein_last4, f.prepared_by,
  f.filed_on is not null and f.balance_paid = f.balance_due as settled
from tax.annual_filings f
join tax.states s on s.code = f.state;

create view tax.registrations with (security_invoker = true) as
select r.registration_id, r.state, s.name as state_name, r.tax_type, r.agency, r.account_last4, r.status, r.filing_frequency, r.registered_on, r.closed_on
from tax.state_registrations r
join tax.states s on s.code = r.state;

-- All payments and returns. The liability of a return is the balance after the estimates, for the whole tax year. It is unknown
-- until the return is assessed.
create view tax.obligations with (security_invoker = true) as
select 'estimated_payment' as kind, estimate_id as id, year, quarter, state, jurisdiction,
  format('Q%s %s estimated payment', quarter, year) as title, due_date, deadline, settled, true as assessed, estimated_amount as liability, paid_amount as paid
from tax.estimates
union all
select 'annual_return', filing_id, tax_year, null, state, jurisdiction,
  format('%s for %s', form, tax_year), due_date, deadline, settled, total_tax is not null, balance_due, balance_paid
from tax.filings;
