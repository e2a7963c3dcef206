/** Sample invoices: fixed ones for examples and tests, and two years of generated ones. */
import { fiscalYearOf } from '../../../src/declare/fiscal.ts';
import { type DepartmentName, departmentNames } from '../../sample-company/departments.ts';
import { allocated } from './budgets.ts';
import { monthsOf } from '../periods.ts';
import {
  at10,
  type Category,
  type Company,
  categories,
  dollars,
  earlier,
  type Hand,
  later,
  monthGone,
  monthsFrom,
  numbered,
  Totals,
} from './company.ts';
import { at, between, chance, pick } from '../../sample-company/random.ts';
import type { SampleRow } from '../../../src/declare/sample.ts';
import { shifted } from '../../sample-company/days.ts';

interface Vendor {
  readonly name: string;
  readonly category: Category;
  readonly what: readonly string[];
  /** True for a vendor of the examples. Its unpaid invoices are fixed; all its generated invoices are paid. */
  readonly planted: boolean;
}
const vendor = (name: string, category: Category, what: string, planted = true): Vendor => ({
  name,
  category,
  what: what.split('|'),
  planted,
});
const other = (name: string, category: Category, what: string) => vendor(name, category, what, false);

const vendors: readonly Vendor[] = [
  vendor('CloudNine Hosting', 'SOFTWARE', 'Managed hosting|Extra storage|Traffic beyond the plan'),
  vendor('Zenith Office Supplies', 'EQUIPMENT', 'Office supplies|Paper and toner|Desk accessories'),
  vendor('Metro Facilities', 'FACILITIES', 'Building maintenance|Air conditioning service|Cleaning contract'),
  vendor('Sunrise Catering', 'OTHER', 'Catering for the town hall|Team lunch|Coffee service'),
  vendor('Delta Travel', 'TRAVEL', 'Flights and hotels|Group booking|Rail passes'),
  vendor('PixelForge Design', 'SERVICES', 'Campaign artwork|Website illustrations|Trade fair booth'),
  vendor('Northwind Logistics', 'OTHER', 'Courier services|Moving of office furniture|Freight'),
  vendor('BrightPath Consulting', 'TRAINING', 'Leadership workshop|Project management course|Coaching days'),
  vendor('Apex Legal Partners', 'SERVICES', 'Contract review|Trademark filing|Legal advice'),
  vendor('Harbor Insurance', 'FACILITIES', 'Property insurance|Liability insurance|Equipment cover'),
  vendor('Quantum Security', 'SOFTWARE', 'Penetration test|Endpoint protection|Access cards and readers'),
  vendor('Orbit Telecom', 'SOFTWARE', 'Phone and internet|Mobile contracts|Conference lines'),
  other('Bluebird Software', 'SOFTWARE', 'Licences|Support contract|Additional seats'),
  other('Kestrel Analytics', 'SERVICES', 'Market survey|Data cleaning|Monthly report'),
  other('Silverline Staffing', 'SERVICES', 'Temporary staff|Interim accountant|Recruiting fee'),
  other('Fairway Car Hire', 'TRAVEL', 'Car hire|Van for the trade fair'),
  other('Copper Hill Cleaning', 'FACILITIES', 'Window cleaning|Deep clean of the kitchen'),
  other('Granite Furniture', 'EQUIPMENT', 'Standing desks|Office chairs|Meeting tables'),
  other('Maple Learning', 'TRAINING', 'Online course licences|Language lessons|Safety training'),
  other('Tidewater Events', 'OTHER', 'Event support|Stage and sound|Deposit for the summer party'),
];

interface Planted {
  readonly vendor: string;
  readonly status: 'PENDING' | 'APPROVED' | 'PAID' | 'REJECTED';
  readonly department: DepartmentName;
  readonly cents: number;
  /** Days before today. */
  readonly age: number;
  readonly what: number;
  readonly handedIn?: keyof Pick<Company, 'cfo'>;
  readonly approver?: keyof Pick<Company, 'cfo'>;
}
const planted: readonly Planted[] = [
  { vendor: 'CloudNine Hosting', status: 'PENDING', department: 'Engineering', cents: 1_845_000, age: 9, what: 0 },
  { vendor: 'Zenith Office Supplies', status: 'PENDING', department: 'Operations', cents: 231_675, age: 6, what: 0 },
  { vendor: 'Metro Facilities', status: 'PENDING', department: 'Operations', cents: 4_120_000, age: 12, what: 2 },
  { vendor: 'Sunrise Catering', status: 'PENDING', department: 'HR', cents: 187_450, age: 4, what: 0 },
  { vendor: 'Delta Travel', status: 'PENDING', department: 'Sales', cents: 792_530, age: 8, what: 1 },
  { vendor: 'PixelForge Design', status: 'PENDING', department: 'Marketing', cents: 1_260_000, age: 10, what: 2 },
  { vendor: 'PixelForge Design', status: 'PENDING', department: 'Marketing', cents: 435_000, age: 3, what: 0 },
  { vendor: 'Northwind Logistics', status: 'APPROVED', department: 'Operations', cents: 964_020, age: 21, what: 1 },
  { vendor: 'BrightPath Consulting', status: 'APPROVED', department: 'HR', cents: 1_575_000, age: 18, what: 0 },
  { vendor: 'Apex Legal Partners', status: 'REJECTED', department: 'Legal', cents: 680_000, age: 27, what: 2 },
  { vendor: 'Harbor Insurance', status: 'PAID', department: 'Operations', cents: 8_840_000, age: 40, what: 0 },
  { vendor: 'Harbor Insurance', status: 'PAID', department: 'Engineering', cents: 1_275_000, age: 24, what: 2 },
  { vendor: 'Quantum Security', status: 'PENDING', department: 'Engineering', cents: 2_398_000, age: 50, what: 0 },
  { vendor: 'Quantum Security', status: 'APPROVED', department: 'Engineering', cents: 1_130_000, age: 25, what: 1, approver: 'cfo' },
  { vendor: 'Orbit Telecom', status: 'PAID', department: 'Support', cents: 318_990, age: 33, what: 0 },
  { vendor: 'Tidewater Events', status: 'PENDING', department: 'Finance', cents: 540_000, age: 5, what: 2, handedIn: 'cfo' },
];

export interface Invoice {
  readonly id: string;
  readonly vendor: Vendor;
  readonly cents: number;
  readonly what: string;
  readonly department: DepartmentName;
  readonly status: Planted['status'];
  readonly date: string;
  readonly due: string;
  readonly handedIn: Hand;
  readonly approver: Hand;
  readonly payer: Hand;
  readonly paid: string;
}

function* singleInvoices(company: Company): Iterable<Invoice> {
  const { today, year, cfo, accountant, seniorAccountant, analyst, buyer } = company;
  for (const [which, { vendor: name, status, department, cents, age, what, handedIn, approver }] of planted.entries()) {
    const from = at(
      vendors.filter((each) => each.name === name),
      0,
    );
    // A paid invoice has a date of this year, also in January.
    const date = status === 'PAID' ? later(shifted(today, -age), `${year}-01-01`) : shifted(today, -age);
    const hand = handedIn === undefined ? buyer : company[handedIn];
    yield {
      id: numbered('0f1c0000', which + 1),
      vendor: from,
      cents,
      what: at(from.what, what),
      department,
      status,
      date,
      due: shifted(date, 30),
      handedIn: hand,
      approver: approver === undefined ? seniorAccountant : company[approver],
      payer: analyst,
      paid: earlier(shifted(date, 14), today),
    };
  }
  let n = 0;
  for (const month of monthsFrom(year - 1, today)) {
    for (const [row, department] of departmentNames.entries()) {
      const seed = Number(month.slice(0, 4)) * 1000 + Number(month.slice(5)) * 10 + row;
      for (let count = between(2, 5, seed, 61); count > 0; count--) {
        n++;
        const date = `${month}-${String(between(1, 28, n, 62)).padStart(2, '0')}`;
        if (date > today) continue;
        yield generated(company, n, department, date, [accountant, chance(n, 63) < 0.5 ? cfo : seniorAccountant]);
      }
    }
  }
}

function generated(
  company: Company,
  n: number,
  department: DepartmentName,
  date: string,
  [accountant, approver]: readonly [Hand, Hand],
): Invoice {
  const { today, cfo, seniorAccountant } = company;
  const age = (Date.parse(today) - Date.parse(date)) / 86_400_000;
  const lot = chance(n, 64);
  const status =
    age > 45 ? (lot < 0.97 ? 'PAID' : 'REJECTED') : age > 20 ? (lot < 0.7 ? 'PAID' : 'APPROVED') : lot < 0.6 ? 'PENDING' : 'APPROVED';
  const from = pick(status === 'PAID' ? vendors : vendors.filter((each) => !each.planted), n, 65);
  const monthly = allocated(company, department, fiscalYearOf(date, company.settings), from.category) / 12;
  return {
    id: numbered('0f1c0000', 1000 + n),
    vendor: from,
    cents: Math.round((monthly * between(80, 350, n, 66)) / 1000) + between(0, 99, n, 67),
    what: pick(from.what, n, 68),
    department,
    status,
    date,
    due: shifted(date, pick([14, 30, 30, 45], n, 69)),
    handedIn: accountant,
    approver,
    payer: approver.id === cfo.id ? seniorAccountant : cfo,
    paid: earlier(shifted(date, between(6, 28, n, 70)), today),
  };
}

/** What a department spends beyond single invoices and expenses is a monthly statement of the usual vendor. */
function* statements(company: Company, paid: Totals): Iterable<Invoice> {
  const { today, settings, fiscalYear, accountant, cfo, seniorAccountant } = company;
  for (const year of [fiscalYear - 1, fiscalYear]) {
    const months = monthsOf(year, settings).filter((month) => month <= today.slice(0, 7));
    for (const [row, department] of departmentNames.entries())
      for (const [column, category] of categories.entries()) {
        const seed = row * 16 + column * 2 + (year % 2);
        const usual = (allocated(company, department, year, category) / 12) * (between(800, 1040, seed, 53) / 1000);
        const from = pick(
          vendors.filter((each) => !each.planted && each.category === category),
          row,
          65,
        );
        let due = 0;
        for (const [n, month] of months.entries()) {
          due += Math.round(usual * monthGone(month, today)) - paid.of(department, month, category);
          if (due < 5_000) continue;
          const date = `${month}-01`;
          const approver = chance(seed * 12 + n, 63) < 0.5 ? cfo : seniorAccountant;
          yield {
            id: numbered('0f1c0000', 100_000 + ((year - fiscalYear + 1) * 12 + n) * 64 + row * 8 + column),
            vendor: from,
            cents: due,
            what: 'Monthly statement',
            department,
            status: 'PAID',
            date,
            due: shifted(date, 30),
            handedIn: accountant,
            approver,
            payer: approver.id === cfo.id ? seniorAccountant : cfo,
            paid: earlier(`${month}-12`, today),
          };
          due = 0;
        }
      }
  }
}

/** `expenses` adds the reimbursed expenses. It is called after the single invoices. */
export function* invoices(company: Company, expenses: (totals: Totals) => void): Iterable<Invoice> {
  const paid = new Totals();
  for (const each of singleInvoices(company)) {
    if (each.status === 'PAID') paid.add(each.department, each.paid, each.vendor.category, each.cents);
    yield each;
  }
  expenses(paid);
  yield* statements(company, paid);
}

export const invoiceColumns =
  'invoice_id vendor_id vendor_name amount description department category status invoice_date due_date submitted_by ' +
  'submitted_by_name submitted_at approved_by approved_by_name approved_at rejected_by rejected_by_name rejected_at ' +
  'rejection_reason paid_by paid_by_name ' +
  'payment_date payment_reference';

export function* invoiceRows(company: Company, all: Iterable<Invoice>): Iterable<SampleRow> {
  for (const each of all) {
    const { id, vendor: from, cents, what, department, status, date, due, handedIn, approver, payer, paid } = each;
    const approved = status === 'APPROVED' || status === 'PAID';
    yield [
      id,
      `V-${String(vendors.indexOf(from) + 1).padStart(4, '0')}`,
      from.name,
      dollars(cents),
      what,
      department,
      from.category,
      status,
      date,
      due,
      handedIn.id,
      handedIn.name,
      at10(date),
      approved ? approver.id : null,
      approved ? approver.name : null,
      approved ? at10(earlier(shifted(date, 2), company.today)) : null,
      ...(status === 'REJECTED' ? [approver.id, approver.name, at10(earlier(shifted(date, 2), company.today))] : [null, null, null]),
      status === 'REJECTED' ? 'The amount is not what was ordered.' : null,
      ...(status === 'PAID' ? [payer.id, payer.name, paid, `WIRE-${id.slice(-5)}`] : [null, null, null, null]),
    ];
  }
}
