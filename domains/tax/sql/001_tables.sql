-- Tables of tax. Of tax, account and registration numbers, at most the last four digits are stored.

-- Whether a field name denotes such a number, in any spelling: accountNumber, account_number, Account-No.
create function tax.names_number(field text) returns boolean language sql immutable strict parallel safe
  return trim(both '_' from lower(regexp_replace(regexp_replace(field, '([a-z0-9])([A-Z])', '\1_\2', 'g'), '[^A-Za-z0-9]+', '_', 'g')))
    ~ '(^|_)(ssn|ein|fein|itin)(_|$)|(^|_)(tin|sin|iban|vat|tax_?(payer)?_?(id|no|num|number|identification_number)|social_security(_?(no|number))?|account|acct|routing|((bank_?)?account|acct|routing|registration|permit|license|licence|passport|card|certificate)_?(no|num|number))$';

-- Whether a field name denotes an amount, whose digits are not masked.
create function tax.names_amount(field text) returns boolean language sql immutable strict parallel safe
  return field ~* '(amount|paid|payment|liability|tax|total|balance|income|revenue|receipts|refund|estimate)';

create function tax.last_four(value text) returns text language sql immutable strict parallel safe
  return case when value ~ '[0-9]' and length(value) > 4 then '***' || right(regexp_replace(value, '[^A-Za-z0-9]', '', 'g'), 4) else value end;

-- Masks numbers of nine digits and more in a text: 900-12-3456, 98-7654321, or without dashes. UUIDs stay. A date has only eight digits.
create function tax.masked_text(value text) returns text language plpgsql immutable strict parallel safe as $$
declare
  rest text := value;
begin
  -- Repeats until nothing matches, because a cut can join two halves into a new match. Every round shortens the text.
  while length(regexp_replace(rest, '[^0-9]', '', 'g')) >= 9 loop
    value := rest;
    select string_agg(case when number is null or number ~ '^[0-9]{8}(-[0-9]{4}){3}-[0-9]{12}$' then concat(id, number, other) else tax.last_four(number) end, '' order by n)
      into rest
      from (
        select piece[1] as id, piece[2] as number, piece[3] as other, n
        from regexp_matches(value,
          '([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})'
          || '|([0-9](?:[-\u2010-\u2015\u2212]?[0-9]){8,}|(?<![0-9])[0-9]{3}[ ./][0-9]{2}[ ./][0-9]{4}(?![0-9])|(?<![0-9])[0-9]{2} [0-9]{7}(?![0-9]))'
          || '|([^0-9a-fA-F]+|.)', 'g') with ordinality as matched (piece, n)
      ) parts;
    exit when rest = value;
  end loop;
  return rest;
end $$;

-- Masks a JSON value at any depth. `secret` is true below a field whose name denotes such a number.
create function tax.masked(value jsonb, secret boolean default false, amount boolean default false) returns jsonb
  language plpgsql immutable strict parallel safe as $$
declare
  plain text := value #>> '{}';
begin
  case jsonb_typeof(value)
    when 'object' then
      return (select coalesce(jsonb_object_agg(tax.masked_text(key), tax.masked(item, secret or tax.names_number(key), tax.names_amount(key))), '{}')
        from jsonb_each(value) as field (key, item));
    when 'array' then
      return (select coalesce(jsonb_agg(tax.masked(item, secret, amount) order by n), '[]') from jsonb_array_elements(value) with ordinality as list (item, n));
    when 'string' then
      return to_jsonb(case when secret then tax.last_four(plain) else tax.masked_text(plain) end);
    when 'number' then
      return case when secret and length(plain) > 4 or not amount and abs(plain::numeric) >= 100000000 then to_jsonb(tax.last_four(plain)) else value end;
    else
      return value;
  end case;
end $$;

-- US is the federal government. It has no sales tax and no state registrations.
create table tax.states (
  code text collate "C" primary key check (code ~ '^[A-Z]{2}$'),
  name text not null unique
);
insert into tax.states values
  ('US', 'Federal'), ('AL', 'Alabama'), ('AK', 'Alaska'), ('AZ', 'Arizona'), ('AR', 'Arkansas'), ('CA', 'California'), ('CO', 'Colorado'),
  ('CT', 'Connecticut'), ('DE', 'Delaware'), ('DC', 'District of Columbia'), ('FL', 'Florida'), ('GA', 'Georgia'), ('HI', 'Hawaii'),
  ('ID', 'Idaho'), ('IL', 'Illinois'), ('IN', 'Indiana'), ('IA', 'Iowa'), ('KS', 'Kansas'), ('KY', 'Kentucky'), ('LA', 'Louisiana'),
  ('ME', 'Maine'), ('MD', 'Maryland'), ('MA', 'Massachusetts'), ('MI', 'Michigan'), ('MN', 'Minnesota'), ('MS', 'Mississippi'),
  ('MO', 'Missouri'), ('MT', 'Montana'), ('NE', 'Nebraska'), ('NV', 'Nevada'), ('NH', 'New Hampshire'), ('NJ', 'New Jersey'),
  ('NM', 'New Mexico'), ('NY', 'New York'), ('NC', 'North Carolina'), ('ND', 'North Dakota'), ('OH', 'Ohio'), ('OK', 'Oklahoma'),
  ('OR', 'Oregon'), ('PA', 'Pennsylvania'), ('RI', 'Rhode Island'), ('SC', 'South Carolina'), ('SD', 'South Dakota'), ('TN', 'Tennessee'),
  ('TX', 'Texas'), ('UT', 'Utah'), ('VT', 'Vermont'), ('VA', 'Virginia'), ('WA', 'Washington'), ('WV', 'West Virginia'),
  ('WI', 'Wisconsin'), ('WY', 'Wyoming');

-- Rates are in percent. local_rate is the sum of the county, city and district rates.
create table tax.sales_tax_rates (
  rate_id uuid primary key default gen_random_uuid(),
  state text collate "C" not null references tax.states check (state <> 'US'),
  jurisdiction text collate "C" not null check (jurisdiction <> ''),
  jurisdiction_type text not null check (jurisdiction_type in ('state', 'county', 'city', 'district')),
  state_rate numeric(6,3) not null check (state_rate between 0 and 100),
  local_rate numeric(6,3) not null check (local_rate between 0 and 100),
  combined_rate numeric(6,3) not null generated always as (state_rate + local_rate) stored,
  effective_from date not null,
  effective_to date,
  unique (state, jurisdiction, effective_from),
  check (effective_from <= effective_to),
  check (jurisdiction_type <> 'state' or local_rate = 0)
);
create index sales_tax_rates_by_state on tax.sales_tax_rates (state, local_rate, jurisdiction, rate_id);

-- Prepayments for a quarter of a tax year. An authority may extend the due date; an unpaid estimate is overdue after the extended date.
create table tax.quarterly_estimates (
  estimate_id uuid primary key default gen_random_uuid(),
  year int not null,
  quarter int not null check (quarter between 1 and 4),
  state text collate "C" not null references tax.states,
  due_date date not null,
  extended_to date check (extended_to > due_date),
  estimated_amount numeric(14,2) not null check (estimated_amount > 0),
  paid_amount numeric(14,2) not null default 0,
  last_paid_on date,
  unique (year, quarter, state),
  check (paid_amount between 0 and estimated_amount),
  check ((paid_amount > 0) = (last_paid_on is not null))
);
create index quarterly_estimates_by_year on tax.quarterly_estimates (year, due_date, state, estimate_id);

-- `prepaid` is the part of the tax that the year's estimates covered. The return settles the rest.
create table tax.annual_filings (
  filing_id uuid primary key default gen_random_uuid(),
  tax_year int not null,
  state text collate "C" not null references tax.states,
  form text not null check (form <> ''),
  title text not null check (title <> ''),
  due_date date not null,
  extended_to date check (extended_to > due_date),
  status text not null check (status in ('not_started', 'in_preparation', 'filed', 'accepted')),
  filed_on date,
  total_tax numeric(14,2) check (total_tax >= 0),
  prepaid numeric(14,2) not null default 0 check (prepaid >= 0),
  balance_due numeric(14,2) not null generated always as (coalesce(greatest(total_tax - prepaid, 0), 0)) stored,
  refund_due numeric(14,2) not null generated always as (coalesce(greatest(prepaid - total_tax, 0), 0)) stored,
  balance_paid numeric(14,2) not null default 0 check (balance_paid >= 0),
  confirmation_number text,
  ein_last4 text not null check (ein_last4 ~ '^[0-9]{4}$'),
  prepared_by text not null,
  unique (tax_year, state, form),
  check ((status in ('filed', 'accepted')) = (filed_on is not null)),
  check (filed_on is null or total_tax is not null),
  check (balance_paid <= balance_due)
);
create index annual_filings_by_year on tax.annual_filings (tax_year, due_date, filing_id);
create index annual_filings_by_date on tax.annual_filings (filed_on, filing_id);

create table tax.state_registrations (
  registration_id uuid primary key default gen_random_uuid(),
  state text collate "C" not null references tax.states check (state <> 'US'),
  tax_type text collate "C" not null
    check (tax_type in ('sales_and_use', 'corporate_income', 'franchise', 'gross_receipts', 'payroll_withholding')),
  agency text not null,
  account_last4 text check (account_last4 ~ '^[0-9]{4}$'), -- null until the state assigns a number
  status text not null check (status in ('pending', 'active', 'closed')),
  filing_frequency text not null check (filing_frequency in ('monthly', 'quarterly', 'annually')),
  registered_on date not null,
  closed_on date,
  check ((status = 'closed') = (closed_on is not null)),
  check (status = 'pending' or account_last4 is not null)
);
create index state_registrations_by_state on tax.state_registrations (state, tax_type, registration_id);

create table tax.audit_logs (
  log_id uuid primary key default gen_random_uuid(),
  at timestamptz not null default clock_timestamp(),
  action text not null check (action in ('create', 'update', 'delete', 'submit', 'approve', 'reject')),
  entity_type text not null check (entity_type in ('sales_tax_rate', 'quarterly_estimate', 'annual_filing', 'state_registration')),
  entity_id uuid not null,
  user_id uuid not null,
  user_name text not null,
  before jsonb check (jsonb_typeof(before) = 'object'),
  after jsonb check (jsonb_typeof(after) = 'object'),
  notes text,
  -- An owner can disable a trigger, but not a check constraint.
  constraint before_is_masked check (before = tax.masked(before)),
  constraint after_is_masked check (after = tax.masked(after)),
  constraint notes_are_masked check (notes = tax.masked_text(notes))
);
create index audit_logs_by_time on tax.audit_logs (at, log_id);
create index audit_logs_by_action on tax.audit_logs (action, at, log_id);
create index audit_logs_by_entity on tax.audit_logs (entity_type, at, log_id);

-- Masks every row on its way in, so that no writer has to.
create function tax.mask_log() returns trigger language plpgsql as $$
begin
  new.before := tax.masked(new.before);
  new.after := tax.masked(new.after);
  new.notes := tax.masked_text(new.notes);
  return new;
end $$;
create trigger mask_log before insert or update on tax.audit_logs for each row execute function tax.mask_log();
