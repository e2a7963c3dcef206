-- Of a tax, account or registration number the last four digits are kept at most. What is not there cannot leave.

-- Names of fields that hold such a number, however they are written: accountNumber, account_number, Account-No.
create function tax.names_number(field text) returns boolean language sql immutable strict parallel safe
  return trim(both '_' from lower(regexp_replace(regexp_replace(field, '([a-z0-9])([A-Z])', '\1_\2', 'g'), '[^A-Za-z0-9]+', '_', 'g')))
    ~ '(^|_)(ssn|ein|fein|itin)(_|$)|(^|_)(tin|sin|iban|vat|tax_?(payer)?_?(id|no|num|number|identification_number)|social_security(_?(no|number))?|account|acct|routing|((bank_?)?account|acct|routing|registration|permit|license|licence|passport|card|certificate)_?(no|num|number))$';

-- Names of fields whose large numbers are amounts.
create function tax.names_amount(field text) returns boolean language sql immutable strict parallel safe
  return field ~* '(amount|paid|payment|liability|tax|total|balance|income|revenue|receipts|refund|estimate)';

create function tax.last_four(value text) returns text language sql immutable strict parallel safe
  return case when value ~ '[0-9]' and length(value) > 4 then '***' || right(regexp_replace(value, '[^A-Za-z0-9]', '', 'g'), 4) else value end;

-- Numbers of nine digits and more within a text, as 900-12-3456, 98-7654321 or without dashes. Ids stay; a date has eight digits.
create function tax.masked_text(value text) returns text language plpgsql immutable strict parallel safe as $$
declare
  rest text := value;
begin
  -- Until nothing more is found: what was cut can have stood between two halves. Every round makes the text shorter.
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

-- Everything in a record of what was and what became, at any depth. `secret`: a name further up says that this is such a number.
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
