/** Sample expense reports: fixed ones for examples and tests, and two years of generated ones. */
import type { SamplePerson } from '../../sample-company/directory.ts';
import {
  at10,
  type Category,
  type Company,
  dollars,
  earlier,
  type Hand,
  handOf,
  lastDayOf,
  monthBefore,
  monthsFrom,
  numbered,
  type Totals,
} from './company.ts';
import { persona, personas } from '../../sample-company/people.ts';
import { at, between, chance, pick } from '../../sample-company/random.ts';
import type { SampleRow } from '../../../src/declare/sample.ts';
import { hiredOn, shifted } from '../../sample-company/days.ts';

/** About the largest number of people with expense reports. */
const WITH_EXPENSES = 20_000;

type Status = 'DRAFT' | 'SUBMITTED' | 'APPROVED' | 'REJECTED' | 'REIMBURSED';
interface Item {
  readonly date: string;
  readonly category: string;
  readonly description: string;
  readonly cents: number;
  readonly receipt: string | null;
}
export interface Report {
  readonly id: string;
  readonly person: SamplePerson;
  readonly month: string;
  readonly status: Status;
  readonly submitted: string;
  readonly decider: Hand;
  readonly decided: string;
  readonly payer: Hand;
  readonly paid: string;
  readonly items: readonly Item[];
}

const kinds: readonly { category: string; what: string; from: number; to: number; counts: Category }[] = [
  { category: 'TRAVEL', what: 'Train to the customer', from: 2_400, to: 18_000, counts: 'TRAVEL' },
  { category: 'TRAVEL', what: 'Flight', from: 14_000, to: 62_000, counts: 'TRAVEL' },
  { category: 'LODGING', what: 'Hotel', from: 9_500, to: 42_000, counts: 'TRAVEL' },
  { category: 'MEALS', what: 'Dinner with a customer', from: 4_200, to: 21_000, counts: 'TRAVEL' },
  { category: 'MEALS', what: 'Team lunch', from: 2_800, to: 16_000, counts: 'TRAVEL' },
  { category: 'TRANSPORT', what: 'Taxi', from: 1_100, to: 6_800, counts: 'TRAVEL' },
  { category: 'TRANSPORT', what: 'Parking', from: 600, to: 3_500, counts: 'TRAVEL' },
  { category: 'SUPPLIES', what: 'Cables and adapters', from: 900, to: 7_500, counts: 'EQUIPMENT' },
  { category: 'SUPPLIES', what: 'Stationery', from: 500, to: 3_200, counts: 'EQUIPMENT' },
  { category: 'SOFTWARE', what: 'App subscription', from: 900, to: 5_900, counts: 'SOFTWARE' },
  { category: 'TRAINING', what: 'Conference ticket', from: 15_000, to: 89_000, counts: 'TRAINING' },
  { category: 'OTHER', what: 'Postage', from: 400, to: 2_500, counts: 'OTHER' },
];
const countsAs = new Map(kinds.map(({ category, counts }) => [category, counts]));

interface Planted {
  readonly who: string;
  readonly back: number;
  readonly status: Status;
  readonly items: readonly (readonly [day: number, category: string, description: string, cents: number, receipt?: string])[];
  /** The approver; by default the manager. */
  readonly decider?: keyof Pick<Company, 'seniorAccountant'>;
}
const planted: readonly Planted[] = [
  {
    who: 'marcus.johnson',
    back: 1,
    status: 'SUBMITTED',
    items: [
      [6, 'TRANSPORT', 'Taxi from the airport', 4_250, 'taxi-0417.pdf'],
      [7, 'LODGING', 'Hotel, two nights', 31_880, 'hotel-8812.pdf'],
      [8, 'MEALS', 'Dinner with the search team', 9_640, 'dinner-8.jpg'],
    ],
  },
  {
    who: 'sarah.kim',
    back: 1,
    status: 'SUBMITTED',
    items: [
      [13, 'TRAVEL', 'Train to the conference', 12_600, 'train-2231.pdf'],
      [14, 'LODGING', 'Conference hotel', 24_990],
    ],
  },
  {
    who: 'sarah.kim',
    back: 2,
    status: 'APPROVED',
    items: [
      [3, 'TRAINING', 'Course on data modelling', 45_000, 'course-77.pdf'],
      [9, 'SUPPLIES', 'Test phones, cables', 8_725, 'shop-1190.pdf'],
    ],
  },
  {
    who: 'carol.johnson',
    back: 1,
    status: 'APPROVED',
    decider: 'seniorAccountant',
    items: [
      [5, 'TRAVEL', 'Flight to the customer', 58_340, 'flight-3307.pdf'],
      [6, 'MEALS', 'Dinner with the customer', 18_275, 'dinner-6.jpg'],
    ],
  },
  { who: 'frank.davis', back: 1, status: 'REJECTED', items: [[20, 'OTHER', 'Headphones', 19_900]] },
  { who: 'dan.williams', back: 0, status: 'DRAFT', items: [[1, 'TRANSPORT', 'Taxi to the office party', 3_180, 'taxi-0902.pdf']] },
  { who: 'bob.martinez', back: 1, status: 'SUBMITTED', items: [[17, 'MEALS', 'Lunch with the auditors', 13_460, 'lunch-17.pdf']] },
  {
    who: 'marcus.johnson',
    back: 3,
    status: 'REIMBURSED',
    items: [
      [11, 'SOFTWARE', 'Diagram tool, one year', 5_900, 'tool-5.pdf'],
      [12, 'TRANSPORT', 'Parking at the data centre', 2_150, 'parking-12.jpg'],
    ],
  },
];

const personaIds = new Set(personas.map(({ sub }) => sub));
/** The payer works in Finance and is neither the employee nor the approver. */
function payerOf({ seniorAccountant, analyst, accountant }: Company, person: SamplePerson, decider: Hand): Hand {
  const free = [seniorAccountant, analyst, accountant].filter(({ id }) => id !== person.id && id !== decider.id);
  return at(free, 0);
}

function report(
  company: Company,
  id: string,
  person: SamplePerson,
  month: string,
  status: Status,
  items: readonly Item[],
  decidedBy?: Hand,
): Report {
  const { people, today } = company;
  const boss = decidedBy ?? handOf(people.person(person.manager ?? 0));
  const lastItem = items.reduce((day, { date }) => (date > day ? date : day), `${month}-01`);
  const submitted = earlier(today, shifted(month === today.slice(0, 7) ? lastItem : lastDayOf(month), between(1, 4, person.n, 71)));
  const decided = earlier(today, shifted(submitted, 2));
  return {
    id,
    person,
    month,
    status,
    submitted,
    decider: boss,
    decided,
    payer: payerOf(company, person, boss),
    paid: earlier(today, shifted(decided, 5)),
    items,
  };
}

function statusOf(back: number, n: number, known: boolean): Status {
  const lot = chance(n, 72);
  if (known) return 'REIMBURSED';
  if (back === 0) return lot < 0.4 ? 'DRAFT' : 'SUBMITTED';
  if (back === 1) return lot < 0.45 ? 'SUBMITTED' : lot < 0.8 ? 'APPROVED' : 'REIMBURSED';
  if (back === 2) return lot < 0.15 ? 'APPROVED' : lot < 0.95 ? 'REIMBURSED' : 'REJECTED';
  return lot < 0.96 ? 'REIMBURSED' : 'REJECTED';
}

export function* reports(company: Company): Iterable<Report> {
  const { people, today, year } = company;
  const personOf = new Map(Array.from({ length: Math.min(100, people.size) }, (_, n) => people.person(n)).map((each) => [each.id, each]));
  const taken = new Set<string>();
  for (const [which, { who, back, status, items, decider }] of planted.entries()) {
    const person = personOf.get(persona(who).sub);
    if (!person) throw new RangeError(`${who} is not an employee.`);
    const month = monthBefore(today, back);
    taken.add(`${person.id} ${month}`);
    const dated = items.map(([day, category, description, cents, receipt]) => ({
      date: `${month}-${String(day).padStart(2, '0')}`,
      category,
      description,
      cents,
      receipt: receipt ?? null,
    }));
    yield report(company, numbered('0fe00000', which + 1), person, month, status, dated, decider && company[decider]);
  }
  const months = monthsFrom(year - 1, today);
  const every = Math.ceil(people.size / WITH_EXPENSES);
  for (let n = 0; n < people.size; n++) {
    if (n >= 100 && n % every !== 0) continue;
    const person = people.person(n);
    if (person.manager === undefined) continue;
    const own = personaIds.has(person.id);
    const hired = hiredOn(person, `${year}-01-01`).slice(0, 7);
    for (const [which, month] of months.entries()) {
      const back = months.length - 1 - which;
      const seed = n * 32 + which;
      // The newest reports of people who can sign in are fixed, because examples use them.
      if (chance(seed, 73) > 0.11 || (own && back < 4) || month <= hired || taken.has(`${person.id} ${month}`)) continue;
      const until = back === 0 ? Number(today.slice(8)) : Number(lastDayOf(month).slice(8));
      const items = Array.from({ length: between(1, 4, seed, 74) }, (_, k): Item => {
        const kind = pick(kinds, seed * 8 + k, 75);
        const date = `${month}-${String(between(1, until, seed * 8 + k, 76)).padStart(2, '0')}`;
        const cents = between(kind.from, kind.to, seed * 8 + k, 77);
        return {
          date,
          category: kind.category,
          description: kind.what,
          cents,
          receipt: chance(seed * 8 + k, 78) < 0.1 ? null : `receipt-${seed}-${k + 1}.pdf`,
        };
      });
      yield report(company, numbered('0fe00000', 1000 + n * 100 + which), person, month, statusOf(back, seed, own), items);
    }
  }
}

export const reportColumns =
  'report_id employee_id employee_name department month status created_at submitted_at approved_by approved_by_name approved_at ' +
  'rejected_by rejected_by_name rejected_at rejection_reason reimbursed_by reimbursed_by_name reimbursed_at payment_reference';

export function* reportRows(company: Company): Iterable<SampleRow> {
  const none: SampleRow = [null, null, null];
  for (const { id, person, month, status, submitted, decider, decided, payer, paid } of reports(company)) {
    const approved = status === 'APPROVED' || status === 'REIMBURSED';
    const by = (hand: Hand, day: string): SampleRow => [hand.id, hand.name, at10(day)];
    yield [
      id,
      person.id,
      handOf(person).name,
      person.department,
      month,
      status,
      at10(submitted),
      status === 'DRAFT' ? null : at10(submitted),
      ...(approved ? by(decider, decided) : none),
      ...(status === 'REJECTED' ? by(decider, decided) : none),
      status === 'REJECTED' ? 'This is not an expense of the company.' : null,
      ...(status === 'REIMBURSED' ? by(payer, paid) : none),
      status === 'REIMBURSED' ? `EXP-${id.slice(-6)}` : null,
    ];
  }
}

export function* itemRows(company: Company): Iterable<SampleRow> {
  for (const { id, person, items } of reports(company)) {
    for (const [k, { date, category, description, cents, receipt }] of items.entries())
      yield [id, k + 1, person.id, date, category, description, dollars(cents), receipt];
  }
}

/** What a reimbursed report adds to each budget category. */
export function* reimbursed(company: Company): Iterable<Report & { readonly amounts: ReadonlyMap<Category, number> }> {
  for (const each of reports(company)) {
    if (each.status !== 'REIMBURSED') continue;
    const amounts = new Map<Category, number>();
    for (const { category, cents } of each.items) {
      const counts = countsAs.get(category) ?? 'OTHER';
      amounts.set(counts, (amounts.get(counts) ?? 0) + cents);
    }
    yield { ...each, amounts };
  }
}

export function addReimbursed(company: Company, totals: Totals): void {
  for (const { person, paid, amounts } of reimbursed(company))
    for (const [category, cents] of amounts) totals.add(person.department, paid, category, cents);
}
