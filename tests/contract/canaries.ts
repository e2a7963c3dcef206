/** Canaries: unique values in every masked field, which the tests search for in everything that a person receives. */
import { maskedFields } from '../../src/declare/masks.ts';
import { lastName } from '../../src/declare/walk-schema.ts';
import type { Role } from '../../src/declare/people.ts';
import type { AnyDomain } from '../../src/declare/tool.ts';
import { persona } from '../../domains/sample-company/people.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { hidden } from './arrange.ts';
import { type Who } from '../../src/testing/tool-caller.ts';
import { registry, tools } from './calls.ts';
import { rolesIn } from '../registry.ts';

export interface Canary {
  readonly domain: AnyDomain;
  readonly mask: string;
  readonly field: string;
  readonly owner: string;
  readonly numeric: boolean;
  /** Replaces the stored value. */
  readonly put: (value: string) => Promise<unknown>;
  value: string;
}

export const masking = registry.domains.filter(({ masks: declared }) => declared !== undefined);

/** Field → mask, for every field that any tool of the domain masks. */
export function maskedOf(domain: AnyDomain): Map<string, string> {
  const found = new Map<string, string>();
  for (const { output } of tools.filter((tool) => tool.domain === domain))
    for (const { path, mask } of maskedFields(output)) found.set(lastName(path), mask);
  return found;
}

/** Where masked values are stored: in a column beside the owner's id, unless the domain declares another place. */
async function columnsOf(testServer: TestServer, domain: AnyDomain, people: number): Promise<Omit<Canary, 'domain' | 'value'>[]> {
  const places: Omit<Canary, 'domain' | 'value'>[] = [];
  for (const [field, mask] of maskedOf(domain)) {
    const [column] = await testServer.owner(
      `select table_name, data_type from information_schema.columns join information_schema.tables using (table_schema, table_name)
       where table_schema = $1 and column_name = $2 and table_type = 'BASE TABLE'`,
      [domain.name, field],
    );
    if (!column) throw new Error(`${domain.name}.${field} is masked and in no table: tests/contract/arrange.ts has to say where it is`);
    const table = `${domain.name}.${column['table_name']}`;
    const owners = await testServer.owner(
      `select employee_id from ${table} where employee_id in (select employee_id from hr.employees where active) order by employee_id
        limit ${people}`,
    );
    for (const { employee_id: owner } of owners)
      places.push({
        mask,
        field,
        owner: String(owner),
        numeric: column['data_type'] === 'numeric',
        put: (value) => testServer.owner(`update ${table} set ${field} = $2 where employee_id = $1`, [owner, value]),
      });
  }
  return places;
}

/** Matches every value that `valueOf` makes, so that one search of a long text finds all of them. */
const LIKE_VALUES = /3\d{6}\.37|CANARY-[a-z_]+-\d{5}/g;

function valueOf(numeric: boolean, field: string, n: number): string {
  const value = numeric ? `${3_000_000 + n * 1_009}.37` : `CANARY-${field}-${10_000 + n}`;
  if (value.match(LIKE_VALUES)?.join() !== value) throw new Error(`${value} would not be found`);
  return value;
}

/** Plants a unique value in every masked field of all sample people and some of their colleagues. */
export async function plantCanaries(testServer: TestServer, people: number): Promise<Canary[]> {
  const canaries: Canary[] = [];
  for (const domain of masking) {
    for (const place of await (hidden[domain.name]?.(testServer, people) ?? columnsOf(testServer, domain, people))) {
      const canary: Canary = { ...place, domain, value: valueOf(place.numeric, place.field, canaries.length + 1) };
      canaries.push(canary);
      await canary.put(canary.value);
    }
  }
  return canaries;
}

export function canariesIn(canaries: readonly Canary[], texts: readonly string[]): Canary[] {
  const found = new Set(
    texts
      .join('\n')
      .replace(/(\d),(?=\d{3})/g, '$1')
      .match(LIKE_VALUES),
  );
  return found.size === 0 ? [] : canaries.filter(({ value }) => found.has(value));
}

export const rolesFor = ({ user, roles }: Who): Set<Role> => rolesIn(persona(user).realm, roles ?? persona(user).roles);

export const mayShow = (who: Who, { domain, mask, owner }: Pick<Canary, 'domain' | 'mask' | 'owner'>): boolean => {
  const rule = domain.masks?.[mask];
  return (
    rule !== undefined &&
    (rule.shownTo.some((role) => rolesFor(who).has(role)) || (rule.andOwner && persona(who.user).employeeId === owner))
  );
};
