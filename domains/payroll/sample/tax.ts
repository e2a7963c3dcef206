/** The country and the tax elections of each sample person. */
import type { SamplePerson } from '../../sample-company/directory.ts';
import { between, chance } from '../../sample-company/random.ts';
import type { Country, Election } from '../withholding.ts';

const dollars = (amount: number) => amount * 100;

export function countryOf({ office }: SamplePerson): Country {
  return office.name === 'Berlin' ? 'DE' : office.name === 'London' ? 'GB' : office.name === 'Singapore' ? 'SG' : 'US';
}

export function electionsOf(person: SamplePerson): Election[] {
  const { n, office } = person;
  const country = countryOf(person);
  if (country === 'US') {
    const filing = chance(n, 41) < 0.55 ? 'SINGLE' : chance(n, 41) < 0.9 ? 'MARRIED_JOINTLY' : 'HEAD_OF_HOUSEHOLD';
    const allowances = filing === 'SINGLE' ? 0 : between(0, 3, n, 42);
    const extra = chance(n, 43) < 0.2 ? dollars(between(1, 6, n, 44) * 25) : 0;
    const one = (level: Election['level'], region: string, code: string, more: number): Election => ({
      level,
      region,
      filing,
      allowances,
      extra: more,
      code,
    });
    const elections = [one('federal', 'United States', 'FEDERAL', extra)];
    if (office.name === 'San Francisco') elections.push(one('state', 'California', 'STATE', 0));
    if (office.name === 'New York') elections.push(one('state', 'New York', 'STATE', 0), one('local', 'New York City', 'LOCAL', 0));
    return elections;
  }
  const [region, filing] = {
    DE: ['Germany', `TAX_CLASS_${between(1, 4, n, 41)}`],
    GB: ['United Kingdom', '1257L'],
    SG: ['Singapore', 'RESIDENT'],
  }[country] as [string, string];
  return [{ level: 'federal', region, filing, allowances: 0, extra: 0, code: 'INCOME_TAX' }];
}
