-- Views for the tools. With security_invoker, the caller's policies apply, not the owner's. They leave out people who left.
-- An amount is null where its row is hidden.

create view payroll.people with (security_invoker = true) as
select employee_id, employee_name, department, tax_number_last4 from payroll.employees where active;

create view payroll.runs with (security_invoker = true) as
select r.pay_run_id, r.run_type, r.status, r.pay_date, r.period_start, r.period_end, r.employee_count,
  t.gross, t.total_taxes, t.total_deductions, t.net, t.employer_taxes, t.employer_benefits
from payroll.pay_runs r left join payroll.run_totals t on t.pay_run_id = r.pay_run_id;

create view payroll.stubs with (security_invoker = true) as
select s.pay_stub_id, s.employee_id, e.employee_name, e.department, s.pay_run_id, r.run_type, s.pay_date, r.period_start, r.period_end,
  p.gross, p.total_taxes, p.total_deductions, p.net
from payroll.pay_stubs s
join payroll.employees e on e.employee_id = s.employee_id
join payroll.pay_runs r on r.pay_run_id = s.pay_run_id
left join payroll.stub_pay p on p.pay_stub_id = s.pay_stub_id
where e.active;

-- The lines of a stub as JSON, in the order of a printed stub.
create function payroll.lines(codes text[], amounts numeric[]) returns json language sql stable
  return (select coalesce(json_agg(json_build_object('code', l.code, 'description', coalesce(t.name, l.code), 'amount', l.amount) order by t.position, l.code), '[]')
    from unnest(codes, amounts) as l (code, amount) left join payroll.line_types t on t.code = l.code);

-- One stub with all its lines. ytd sums the person's stubs from January 1 to the pay date.
create view payroll.stub_details with (security_invoker = true) as
select s.pay_stub_id, s.employee_id, e.employee_name, e.department, s.pay_run_id, r.run_type, s.pay_date, r.period_start, r.period_end,
  p.gross, p.total_taxes, p.total_deductions, p.net,
  case when p.pay_stub_id is not null then payroll.lines(p.earning_codes, p.earning_amounts) end as earnings,
  case when p.pay_stub_id is not null then payroll.lines(p.tax_codes, p.tax_amounts) end as taxes,
  case when p.pay_stub_id is not null then payroll.lines(p.deduction_codes, p.deduction_amounts) end as deductions,
  case when p.pay_stub_id is not null then (
    select json_build_object('gross', sum(y.gross), 'taxes', sum(y.total_taxes), 'deductions', sum(y.total_deductions), 'net', sum(y.net))
    from payroll.pay_stubs b join payroll.stub_pay y on y.pay_stub_id = b.pay_stub_id
    where b.employee_id = s.employee_id and b.pay_date between date_trunc('year', s.pay_date)::date and s.pay_date
  ) end as ytd
from payroll.pay_stubs s
join payroll.employees e on e.employee_id = s.employee_id
join payroll.pay_runs r on r.pay_run_id = s.pay_run_id
left join payroll.stub_pay p on p.pay_stub_id = s.pay_stub_id
where e.active;

-- One row for each tax line of a stub.
create view payroll.tax_lines with (security_invoker = true) as
select s.employee_id, s.pay_date, s.pay_stub_id, l.code, l.amount
from payroll.pay_stubs s
join payroll.stub_pay p on p.pay_stub_id = s.pay_stub_id
cross join lateral unnest(p.tax_codes, p.tax_amounts) as l (code, amount);

create view payroll.elections with (security_invoker = true) as
select w.employee_id, e.employee_name, e.tax_number_last4, w.level, w.region, w.filing_status, w.allowances, w.line_code, x.extra_amount
from payroll.withholdings w
join payroll.employees e on e.employee_id = w.employee_id
left join payroll.withholding_extras x on x.employee_id = w.employee_id and x.level = w.level
where e.active;

create view payroll.benefits with (security_invoker = true) as
select b.enrolment_id, b.employee_id, b.type, b.plan_name, b.frequency, b.pre_tax, b.effective_from, b.effective_to, a.employee_amount, a.employer_amount
from payroll.enrolments b
join payroll.employees e on e.employee_id = b.employee_id
left join payroll.enrolment_amounts a on a.enrolment_id = b.enrolment_id
where e.active;

create view payroll.deposits with (security_invoker = true) as
select d.employee_id, d.priority, d.bank_name, d.account_last4, d.routing_last4, d.allocation, v.value
from payroll.accounts d
join payroll.employees e on e.employee_id = d.employee_id
left join payroll.account_shares v on v.employee_id = d.employee_id and v.priority = d.priority
where e.active;

create view payroll.contractor_list with (security_invoker = true) as
select c.contractor_id, c.name, c.business_name, c.service, c.department, c.email, c.tax_form, c.tax_number_last4, c.rate_unit, c.start_date, c.end_date, r.rate
from payroll.contractors c left join payroll.contractor_rates r on r.contractor_id = c.contractor_id;

create view payroll.contractor_pay with (security_invoker = true) as
select p.payment_id, p.contractor_id, p.paid_on, a.amount
from payroll.contractor_payments p left join payroll.contractor_amounts a on a.payment_id = p.payment_id;
