-- Row policies and grants of tax. The whole file runs whenever it changes. Only the rights granted here exist. Without a caller, only
-- tax_audit reads rows. No tool of tax writes yet, so no role may write.
call tamshai.ensure_role('tax_everyone');
call tamshai.begin_rules('tax');

grant usage on schema tax to tax_everyone;
grant select on tax.states, tax.sales_tax_rates, tax.quarterly_estimates, tax.annual_filings, tax.state_registrations, tax.audit_logs
  to tax_everyone;
grant select on tax.rates, tax.estimates, tax.filings, tax.registrations, tax.obligations to tax_everyone;
create policy everyone on tax.states for select to tax_everyone using ((select tamshai.principal()) is not null);
create policy everyone on tax.sales_tax_rates for select to tax_everyone using ((select tamshai.principal()) is not null);
create policy everyone on tax.quarterly_estimates for select to tax_everyone using ((select tamshai.principal()) is not null);
create policy everyone on tax.annual_filings for select to tax_everyone using ((select tamshai.principal()) is not null);
create policy everyone on tax.state_registrations for select to tax_everyone using ((select tamshai.principal()) is not null);
create policy everyone on tax.audit_logs for select to tax_everyone using ((select tamshai.principal()) is not null);
