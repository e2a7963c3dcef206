/** Sample contractors and their payments. */
import type { DepartmentName } from '../../sample-company/departments.ts';
import { at, between, chance } from '../../sample-company/random.ts';
import { dayOf, shifted } from '../../sample-company/days.ts';

export interface Contractor {
  readonly id: string;
  readonly name: string;
  readonly business: string | null;
  readonly service: string;
  readonly department: DepartmentName;
  readonly email: string;
  readonly form: '1099-NEC' | '1042-S';
  readonly taxNumber: string;
  readonly unit: 'HOUR' | 'MONTH';
  readonly rate: number;
  readonly start: string;
  readonly end: string | null;
}
export interface ContractorPayment {
  readonly id: string;
  readonly contractor: string;
  readonly day: string;
  readonly cents: number;
}

/**
 * Name, optional firm, service, department and rate. A rate above 1000 is per month, a lower one per hour. Contractors abroad have another
 * tax form.
 */
const known: readonly (readonly [string, string | null, string, DepartmentName, number, 'abroad'?])[] = [
  ['Abel Fontaine', null, 'Technical illustration', 'Marketing', 85],
  ['Bianca Moretti', 'Moretti Translation', 'Translation', 'Marketing', 70, 'abroad'],
  ['Cedric Obi', 'Obi Cloud Works', 'Cloud migration', 'Engineering', 140],
  ['Delphine Ashworth', null, 'User research', 'Engineering', 110],
  ['Emeka Lindqvist', null, 'Mobile development', 'Engineering', 125],
  ['Fabio Renner', 'Renner Studio', 'Product photography', 'Marketing', 95],
  ['Gwendolyn Park', 'Parkline Recruiting', 'Executive search', 'HR', 9_500],
  ['Hamish Doyle', null, 'Warehouse planning', 'Operations', 78],
  ['Ingrid Castellano', 'Castellano Law', 'Trademark filings', 'Legal', 210],
  ['Jasper Whitfield', null, 'Accessibility review', 'Engineering', 105],
  ['Katya Brennan', 'Brennan Security', 'Penetration testing', 'Engineering', 12_400],
  ['Leopold Nash', null, 'Copywriting', 'Marketing', 65],
  ['Mirela Stone', null, 'Bookkeeping support', 'Finance', 58],
  ['Nolan Vickers', 'Vickers Electric', 'Building maintenance', 'Operations', 72],
  ['Odette Kaplan', null, 'Sales training', 'Sales', 150],
  ['Percival Tran', null, 'Data labelling', 'Engineering', 42],
  ['Quincy Albright', 'Albright Events', 'Event production', 'Marketing', 6_800],
  ['Rosalind Meyer', null, 'Grant writing', 'Finance', 90, 'abroad'],
  ['Stellan Cruz', 'Cruz Analytics', 'Dashboard design', 'Sales', 115],
  ['Thelma Rourke', null, 'Help-centre writing', 'Support', 60],
  ['Ulrich Santos', null, 'Voice-over', 'Marketing', 130, 'abroad'],
  ['Verity Lomax', 'Lomax Coaching', 'Leadership coaching', 'HR', 180],
  ['Winston Adeyemi', null, 'Database tuning', 'Engineering', 155],
  ['Xenia Harlow', null, 'Night-shift support', 'Support', 38],
];

const padded = (n: number) => String(n).padStart(12, '0');
const mailbox = (name: string) => name.toLowerCase().replaceAll(' ', '.');

/** Contractors started in the 700 days before March of last year; one in five has ended. */
export function contractorsOf(today: string): Contractor[] {
  const lastYear = Number(today.slice(0, 4)) - 1;
  return known.map(([name, business, service, department, pay, abroad], n) => {
    const start = shifted(`${lastYear}-03-01`, -between(0, 700, n, 81));
    return {
      id: `07000000-0000-4000-8000-${padded(n + 1)}`,
      name,
      business,
      service,
      department,
      email: `${mailbox(name)}@contractor.example`,
      form: abroad ? '1042-S' : '1099-NEC',
      taxNumber: String(between(0, 9_999, n, 82)).padStart(4, '0'),
      unit: pay > 1_000 ? 'MONTH' : 'HOUR',
      rate: pay,
      start,
      end: n % 5 === 4 ? `${lastYear}-${at(['08-31', '10-31', '12-31'], n % 3)}` : null,
    };
  });
}

/** Payments on the 28th of each month, for the work of that month. */
export function* paymentsTo(contractors: readonly Contractor[], today: string): Iterable<ContractorPayment> {
  const lastYear = Number(today.slice(0, 4)) - 1;
  for (const [n, { id, unit, rate, start, end }] of contractors.entries()) {
    for (let month = 0; month < 24; month++) {
      const day = dayOf(Date.UTC(lastYear, month, 28));
      if (day > today || day < start || (end !== null && day > end) || (unit === 'HOUR' && chance(n * 32 + month, 83) < 0.1)) continue;
      const cents = unit === 'MONTH' ? rate * 100 : between(12, 640, n * 32 + month, 84) * 25 * rate;
      yield { id: `07100000-0000-4000-8000-${padded(n * 100 + month + 1)}`, contractor: id, day, cents };
    }
  }
}
