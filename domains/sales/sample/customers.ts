/** Sample customers of sales: fixed ones for examples, and a few hundred generated ones. */
import type { SampleDocument } from '../../../src/declare/sample.ts';
import { spelledPlainly } from '../../../src/declare/spelling.ts';
import { asciiName, nameOf } from '../../sample-company/names.ts';
import { organizations } from '../../sample-company/people.ts';
import { at, between, chance, pick } from '../../sample-company/random.ts';
import { numbered, type Rep, type SalesTeam, timeOn } from './team.ts';
import { shifted } from '../../sample-company/days.ts';

export type CustomerStatus = 'PROSPECT' | 'ACTIVE' | 'CHURNED';
export interface Customer {
  readonly id: string;
  readonly name: string;
  readonly form: string;
  readonly industry: string;
  readonly status: CustomerStatus;
  readonly revenue: number;
  readonly owner: Rep;
  readonly contact?: string;
}

interface Known {
  readonly id: string;
  readonly name: string;
  readonly form: string;
  readonly industry: string;
  readonly revenue: number;
  /** The index of the sales representative. */
  readonly rep: number;
  readonly contact?: string;
}
const known = (n: number, name: string, form: string, industry: string, revenue: number, rep: number): Known => ({
  id: numbered('0a000000', n),
  name,
  form,
  industry,
  revenue,
  rep,
});
const { acme, globex, initech } = organizations;
const planted: readonly Known[] = [
  { ...known(1, acme.name, '', 'Manufacturing', 84_500_000, 0), contact: 'Jane Smith' },
  { ...known(2, globex.name, ' Inc.', 'Energy', 212_000_000, 1), contact: 'Mike Manager' },
  { ...known(3, initech.name, ' LLC', 'Technology', 18_750_000, 2), contact: 'Peter Principal' },
  known(4, 'Umbrella Health', ' Group', 'Healthcare', 340_000_000, 0),
  known(5, 'Stark Manufacturing', ' Ltd.', 'Manufacturing', 128_400_000, 3),
  known(6, 'Wayne Logistics', ' Inc.', 'Logistics', 76_200_000, 4),
  known(7, 'Hooli Software', ' Inc.', 'Technology', 510_000_000, 0),
  known(8, 'Vandelay Imports', ' LLC', 'Wholesale', 9_600_000, 1),
  known(9, 'Soylent Foods', ' Company', 'Food & Beverage', 44_100_000, 2),
  known(10, 'Wonka Confectionery', ' Ltd.', 'Food & Beverage', 31_900_000, 3),
];
export const PLANTED_CUSTOMERS = planted.length;
const GENERATED = 170;

const words = (
  'Amber,Anchor,Ashford,Aspen,Beacon,Birchwood,Blue Heron,Brightwater,Cardinal,Cascade,Cedar ' +
  'Creek,Clearwater,Cobalt,Copperfield,Coral ' +
  'Bay,Crescent,Crestview,Crimson,Eastgate,Elmhurst,Ember,Evergreen,Fairhaven,Falcon,Foxglove,Gable,Glenmore,Golden ' +
  'Oak,Greenfield,Halcyon,Harborview,Hawthorn,Highland,Horizon,Iron ' +
  'Bridge,Ivory,Juniper,Kingsway,Lakeside,Lantern,Larkspur,Linden,Lighthouse,Meadowbrook,Meridian,Millstone,Moonrise,Northgate,' +
  'Oakridge,Old Mill,Orchard,Peregrine,Pinecrest,Quarry,Ravenwood,Red ' +
  'Maple,Ridgeline,Riverbend,Rosewood,Saffron,Sandstone,Seabrook,Silver ' +
  'Birch,Skyline,Stonebridge,Summit,Tamarack,Thornbury,Timberline,Valley Forge,Westbrook,Willow'
).split(',');
const industries: readonly (readonly [name: string, ...kinds: string[]])[] = [
  ['Healthcare', 'Clinics', 'Medical', 'Care Partners'],
  ['Manufacturing', 'Machine Works', 'Tooling', 'Plastics'],
  ['Technology', 'Systems', 'Data', 'Robotics'],
  ['Retail', 'Stores', 'Outfitters', 'Home'],
  ['Financial Services', 'Capital', 'Credit Union', 'Insurance'],
  ['Logistics', 'Freight', 'Shipping', 'Couriers'],
  ['Energy', 'Power', 'Solar', 'Utilities'],
  ['Education', 'Academy', 'Learning', 'College'],
  ['Food & Beverage', 'Bakeries', 'Breweries', 'Farms'],
  ['Wholesale', 'Trading', 'Supply', 'Imports'],
];
/** State, city, prefix of the postal code, and country. */
const places = [
  ['TX', 'Austin', '787', 'United States'],
  ['NY', 'New York', '100', 'United States'],
  ['CA', 'San Francisco', '941', 'United States'],
  ['WA', 'Seattle', '981', 'United States'],
  ['IL', 'Chicago', '606', 'United States'],
  ['BE', 'Berlin', '101', 'Germany'],
  ['ON', 'Toronto', 'M5H', 'Canada'],
  ['SG', 'Singapore', '048', 'Singapore'],
] as const;
const streets = ['Market Street', 'Station Road', 'Harbor Way', 'Commerce Drive', 'Mill Lane', 'Park Avenue', 'Foundry Street'];

export const customerCount = ({ scale }: SalesTeam): number => Math.max(40, Math.round(GENERATED * scale));

/** The nth generated customer. */
export function customerOf({ reps }: SalesTeam, n: number): Customer {
  const [industry, ...kinds] = at(industries, (n + Math.floor(n / words.length)) % industries.length);
  // Names repeat only after every word was combined with every industry.
  const series = Math.floor(n / (words.length * industries.length));
  const number = Math.floor(series / kinds.length);
  const status = n % 7 === 3 ? 'PROSPECT' : n % 12 === 5 ? 'CHURNED' : 'ACTIVE';
  return {
    id: numbered('0a100000', n + 1),
    name: `${at(words, n % words.length)} ${at(kinds, series % kinds.length)}${number > 0 ? ` ${number + 1}` : ''}`,
    form: pick([' Inc.', ' LLC', ' Ltd.', ' Group', ''], n, 61),
    industry,
    status,
    revenue: Math.round(400 * 2500 ** chance(n, 62)) * 1000,
    owner: at(reps, n % reps.length),
  };
}

export function plantedCustomers({ reps }: SalesTeam): Customer[] {
  return planted.map(({ rep, ...rest }) => ({ ...rest, status: 'ACTIVE', owner: at(reps, rep % reps.length) }));
}

const tierOf = (revenue: number, n: number) =>
  revenue >= 50_000_000 ? 'enterprise' : revenue >= 5_000_000 ? 'business' : n % 9 === 0 ? 'free' : 'startup';

function documentOf({ id, name, form, industry, status, revenue, owner, contact }: Customer, n: number, today: string): SampleDocument {
  const person = nameOf(6000 + n);
  const contactName = contact ?? `${person.first} ${person.last}`;
  const [state, city, zip, country] = pick(places, n, 63);
  const host = n < 3 ? asciiName(name.split(' ')[0] ?? '') : spelledPlainly(name).replaceAll(' ', '');
  const created = shifted(today, -between(400, 1900, n, 64));
  return {
    _id: id,
    name,
    plain_name: spelledPlainly(name),
    name_search: spelledPlainly(`${name}${form}`),
    company: `${name}${form}`,
    contact_name: contactName,
    email: `${contactName.split(' ').map(asciiName).join('.')}@${host}.example`,
    phone: `+1-555-01${String(n % 100).padStart(2, '0')}`,
    industry,
    status,
    tier: tierOf(revenue, n),
    annual_revenue: revenue,
    address: {
      street: `${between(1, 980, n, 65)} ${pick(streets, n, 66)}`,
      city,
      state,
      zip: `${zip}${String(between(1, 99, n, 67)).padStart(2, '0')}`,
      country,
    },
    account_owner: owner.email,
    account_owner_id: owner.id,
    account_owner_name: owner.name,
    created_at: timeOn(created, n),
    updated_at: timeOn(shifted(today, -between(1, 300, n, 68)), n),
  };
}

export function* customers(team: SalesTeam): Iterable<SampleDocument> {
  for (const [n, each] of plantedCustomers(team).entries()) yield documentOf(each, n, team.today);
  for (let n = 0; n < customerCount(team); n++) yield documentOf(customerOf(team, n), PLANTED_CUSTOMERS + n, team.today);
}
