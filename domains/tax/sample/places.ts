/** Sample tax jurisdictions. Rates resemble real ones and are not advice. */

export interface SalesTaxPlace {
  readonly state: string;
  readonly name: string;
  /** Percent, in thousandths. */
  readonly rate: number;
  readonly places: readonly (readonly [name: string, type: 'county' | 'city' | 'district', adds: number])[];
}
const at = (state: string, name: string, rate: number, ...places: SalesTaxPlace['places']): SalesTaxPlace => ({
  state,
  name,
  rate,
  places,
});

export const salesTaxPlaces: readonly SalesTaxPlace[] = [
  at('AZ', 'Arizona', 5_600, ['Maricopa County', 'county', 700], ['Phoenix', 'city', 3_500], ['Tucson', 'city', 3_100]),
  at(
    'CA',
    'California',
    7_250,
    ['Los Angeles County', 'county', 2_500],
    ['Oakland', 'city', 3_500],
    ['Sacramento', 'city', 1_500],
    ['San Diego', 'city', 500],
    ['San Francisco', 'city', 1_375],
    ['San Jose', 'city', 2_125],
    ['Santa Monica', 'city', 3_000],
  ),
  at('CO', 'Colorado', 2_900, ['Boulder', 'city', 6_145], ['Denver', 'city', 6_250]),
  at(
    'FL',
    'Florida',
    6_000,
    ['Hillsborough County', 'county', 1_500],
    ['Miami-Dade County', 'county', 1_000],
    ['Orange County', 'county', 500],
  ),
  at('GA', 'Georgia', 4_000, ['Atlanta', 'city', 4_900], ['Savannah', 'city', 3_000]),
  at('IL', 'Illinois', 6_250, ['Chicago', 'city', 4_000], ['Cook County', 'county', 2_750], ['Springfield', 'city', 3_500]),
  at('MA', 'Massachusetts', 6_250),
  at('MN', 'Minnesota', 6_875, ['Minneapolis', 'city', 2_150], ['Saint Paul', 'city', 3_000]),
  at('NC', 'North Carolina', 4_750, ['Mecklenburg County', 'county', 2_500], ['Wake County', 'county', 2_500]),
  at('NJ', 'New Jersey', 6_625),
  at('NV', 'Nevada', 6_850, ['Clark County', 'county', 1_525]),
  at(
    'NY',
    'New York',
    4_000,
    ['Albany County', 'county', 4_000],
    ['Erie County', 'county', 4_750],
    ['New York City', 'city', 4_875],
    ['Westchester County', 'county', 4_375],
  ),
  at('OH', 'Ohio', 5_750, ['Cuyahoga County', 'county', 2_250], ['Franklin County', 'county', 2_250]),
  at('OR', 'Oregon', 0),
  at('PA', 'Pennsylvania', 6_000, ['Allegheny County', 'county', 1_000], ['Philadelphia', 'city', 2_000]),
  at(
    'TX',
    'Texas',
    6_250,
    ['Austin', 'city', 2_000],
    ['Dallas', 'city', 2_000],
    ['El Paso County', 'county', 500],
    ['Houston', 'city', 2_000],
    ['San Antonio MTA', 'district', 500],
  ),
  at('VA', 'Virginia', 4_300, ['Arlington County', 'county', 1_700]),
  at(
    'WA',
    'Washington',
    6_500,
    ['King County', 'county', 3_800],
    ['Seattle', 'city', 3_850],
    ['Spokane', 'city', 2_600],
    ['Tacoma', 'city', 3_800],
  ),
];

export interface TaxReturn {
  readonly state: string;
  readonly name: string;
  readonly form: string;
  readonly title: string;
  /** Month and day in the year after the tax year. */
  readonly due: string;
  /** The approximate quarterly estimate in cents; undefined if the tax is paid with the return. */
  readonly quarterly?: number;
  /** The approximate tax of a return without estimates, in cents. */
  readonly once?: number;
}

export const taxReturns: readonly TaxReturn[] = [
  { state: 'US', name: 'Federal', form: 'Form 1120', title: 'Corporation income tax return', due: '04-15', quarterly: 46_250_000 },
  { state: 'US', name: 'Federal', form: 'Form 940', title: 'Federal unemployment tax return', due: '01-31', once: 2_100_000 },
  {
    state: 'CA',
    name: 'California',
    form: 'Form 100',
    title: 'Corporation franchise or income tax return',
    due: '04-15',
    quarterly: 11_820_000,
  },
  { state: 'CO', name: 'Colorado', form: 'DR 0112', title: 'C corporation income tax return', due: '04-15', quarterly: 1_285_000 },
  { state: 'DE', name: 'Delaware', form: 'Franchise Tax Report', title: 'Annual franchise tax report', due: '03-01', once: 1_840_000 },
  { state: 'FL', name: 'Florida', form: 'F-1120', title: 'Corporate income tax return', due: '05-01', quarterly: 2_265_000 },
  { state: 'GA', name: 'Georgia', form: 'Form 600', title: 'Corporation tax return', due: '04-15', quarterly: 1_530_000 },
  {
    state: 'IL',
    name: 'Illinois',
    form: 'IL-1120',
    title: 'Corporation income and replacement tax return',
    due: '04-15',
    quarterly: 3_140_000,
  },
  { state: 'MA', name: 'Massachusetts', form: 'Form 355', title: 'Corporate excise return', due: '04-15', quarterly: 2_790_000 },
  {
    state: 'NY',
    name: 'New York',
    form: 'CT-3',
    title: 'General business corporation franchise tax return',
    due: '04-15',
    quarterly: 8_475_000,
  },
  { state: 'PA', name: 'Pennsylvania', form: 'RCT-101', title: 'Corporate net income tax report', due: '05-15', quarterly: 1_990_000 },
  { state: 'TX', name: 'Texas', form: '05-158', title: 'Franchise tax report', due: '05-15', once: 6_415_000 },
  {
    state: 'WA',
    name: 'Washington',
    form: 'Annual B&O Return',
    title: 'Business and occupation tax return',
    due: '04-15',
    once: 3_930_000,
  },
];

export type Registered = readonly [
  state: string,
  agency: string,
  kinds: readonly (readonly [type: string, frequency: string, status?: 'pending' | 'closed'])[],
];
export const registered: readonly Registered[] = [
  [
    'CA',
    'Department of Tax and Fee Administration',
    [
      ['sales_and_use', 'monthly'],
      ['corporate_income', 'quarterly'],
      ['payroll_withholding', 'monthly'],
    ],
  ],
  [
    'CO',
    'Department of Revenue',
    [
      ['sales_and_use', 'quarterly'],
      ['corporate_income', 'quarterly'],
    ],
  ],
  ['DE', 'Division of Corporations', [['franchise', 'annually']]],
  [
    'FL',
    'Department of Revenue',
    [
      ['sales_and_use', 'monthly'],
      ['corporate_income', 'quarterly'],
    ],
  ],
  [
    'GA',
    'Department of Revenue',
    [
      ['sales_and_use', 'quarterly'],
      ['corporate_income', 'quarterly'],
    ],
  ],
  [
    'IL',
    'Department of Revenue',
    [
      ['sales_and_use', 'monthly'],
      ['corporate_income', 'quarterly'],
    ],
  ],
  [
    'MA',
    'Department of Revenue',
    [
      ['sales_and_use', 'quarterly'],
      ['corporate_income', 'quarterly'],
      ['payroll_withholding', 'quarterly'],
    ],
  ],
  ['NV', 'Department of Taxation', [['sales_and_use', 'quarterly', 'closed']]],
  ['NJ', 'Division of Taxation', [['sales_and_use', 'quarterly', 'pending']]],
  [
    'NY',
    'Department of Taxation and Finance',
    [
      ['sales_and_use', 'quarterly'],
      ['corporate_income', 'quarterly'],
      ['payroll_withholding', 'quarterly'],
    ],
  ],
  [
    'PA',
    'Department of Revenue',
    [
      ['sales_and_use', 'quarterly'],
      ['corporate_income', 'quarterly'],
    ],
  ],
  [
    'TX',
    'Comptroller of Public Accounts',
    [
      ['sales_and_use', 'monthly'],
      ['franchise', 'annually'],
    ],
  ],
  [
    'WA',
    'Department of Revenue',
    [
      ['sales_and_use', 'monthly'],
      ['gross_receipts', 'monthly'],
    ],
  ],
];
