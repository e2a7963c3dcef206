/** Computes the taxes of one pay, in cents, by country. Rates resemble real ones and are not advice. */

export type Line = readonly [code: string, cents: number];
export interface Election {
  readonly level: 'federal' | 'state' | 'local';
  readonly region: string;
  readonly filing: string;
  readonly allowances: number;
  readonly extra: number;
  readonly code: string;
}
/** The base of a tax. */
export interface Paid {
  readonly gross: number;
  /** After pre-tax deductions. */
  readonly taxable: number;
  /** Earned earlier in the same calendar year. */
  readonly before: number;
  readonly bonus: boolean;
}
export interface Withheld {
  readonly taxes: readonly Line[];
  readonly employer: number;
}
export type Country = 'US' | 'DE' | 'GB' | 'SG';

const PERIODS = 24;
const dollars = (amount: number) => amount * 100;
const part = (cents: number, rate: number) => Math.round(cents * rate);
/** The part of the pay that is below a yearly limit. */
const below = ({ gross, before }: Paid, ceiling: number) => Math.max(0, Math.min(gross, dollars(ceiling) - before));

/** [upper limit, rate], in dollars per year; the last bracket has no limit. */
type Bands = readonly (readonly [number, number])[];
function yearly(cents: number, bands: Bands): number {
  let tax = 0;
  let from = 0;
  for (const [to, rate] of bands) {
    tax += Math.max(0, Math.min(cents, dollars(to)) - from) * rate;
    from = dollars(to);
  }
  return tax;
}
const NO_END = 1e12;
const federal: Bands = [
  [11_925, 0.1],
  [48_475, 0.12],
  [103_350, 0.22],
  [197_300, 0.24],
  [250_525, 0.32],
  [626_350, 0.35],
  [NO_END, 0.37],
];
const californian: Bands = [
  [25_500, 0.02],
  [56_000, 0.06],
  [350_000, 0.093],
  [NO_END, 0.113],
];
const newYork: Bands = [
  [23_600, 0.045],
  [80_650, 0.055],
  [215_400, 0.06],
  [NO_END, 0.0685],
];
const british: Bands = [
  [12_570, 0],
  [50_270, 0.2],
  [125_140, 0.4],
  [NO_END, 0.45],
];
const german: Bands = [
  [12_100, 0],
  [30_000, 0.2],
  [68_500, 0.32],
  [277_800, 0.42],
  [NO_END, 0.45],
];
const insurance: Bands = [
  [12_570, 0],
  [50_270, 0.08],
  [NO_END, 0.02],
];

/** The tax of one period: the tax on a year of equal periods, divided by their number. */
const each = (cents: number, bands: Bands, free = 0): number =>
  Math.round(yearly(Math.max(0, cents * PERIODS - dollars(free)), bands) / PERIODS);

const countries: Readonly<Record<string, Country>> = { 'United States': 'US', Germany: 'DE', 'United Kingdom': 'GB', Singapore: 'SG' };
/** The country of a person's tax elections; undefined if there are none. */
export const countryFrom = (elections: readonly Pick<Election, 'level' | 'region'>[]): Country | undefined =>
  countries[elections.find(({ level }) => level === 'federal')?.region ?? ''];

/** Bonuses are taxed at a flat rate. */
const FLAT = { federal: 0.22, state: 0.066, local: 0.035, income: 0.4 } as const;

function american(elections: readonly Election[], paid: Paid): Withheld {
  const { gross, taxable, before, bonus } = paid;
  const taxes: Line[] = [];
  for (const { level, region, filing, allowances, extra } of elections) {
    if (bonus) taxes.push([level.toUpperCase(), part(taxable, level === 'state' || level === 'local' ? FLAT[level] : FLAT.federal)]);
    else if (level === 'federal') {
      const free = filing === 'MARRIED_JOINTLY' ? 30_000 : filing === 'SINGLE' ? 15_000 : 22_500;
      const credit = Math.round(dollars(allowances * 2_000) / PERIODS);
      taxes.push(['FEDERAL', Math.max(0, each(taxable, federal, free) - credit) + extra]);
    } else if (level === 'state') taxes.push(['STATE', each(taxable, region === 'California' ? californian : newYork, 8_000)]);
    else taxes.push(['LOCAL', part(taxable, 0.034)]);
  }
  const social = part(below(paid, 176_100), 0.062);
  const medicare = part(gross, 0.0145);
  const above = Math.max(0, before + gross - Math.max(before, dollars(200_000)));
  taxes.push(['SOCIAL_SECURITY', social], ['MEDICARE', medicare + part(above, 0.009)]);
  return { taxes, employer: social + medicare };
}

function abroad(country: Exclude<Country, 'US'>, paid: Paid): Withheld {
  const { gross, taxable, bonus } = paid;
  if (country === 'SG') return { taxes: [['CPF', part(below(paid, 96_000), 0.2)]], employer: part(below(paid, 96_000), 0.17) };
  const income: Line = ['INCOME_TAX', bonus ? part(taxable, FLAT.income) : each(taxable, country === 'DE' ? german : british)];
  if (country === 'GB') {
    const national = bonus ? part(gross, 0.02) : each(gross, insurance);
    return { taxes: [income, ['NATIONAL_INSURANCE', national]], employer: part(gross, 0.138) };
  }
  const pension = part(below(paid, 96_600), 0.093);
  const health = part(below(paid, 66_150), 0.0855);
  const work = part(below(paid, 96_600), 0.013);
  return {
    taxes: [income, ['PENSION_INSURANCE', pension], ['HEALTH_INSURANCE', health], ['UNEMPLOYMENT', work]],
    employer: pension + health + work,
  };
}

export const withheld = (country: Country, elections: readonly Election[], paid: Paid): Withheld =>
  country === 'US' ? american(elections, paid) : abroad(country, paid);
