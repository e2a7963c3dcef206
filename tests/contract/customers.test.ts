/** Customers at the doors that they really use: nothing of another organisation, and no difference between foreign and absent. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rolesIn } from '../../src/core/people.ts';
import { type Persona, persona, personas } from '../../src/sample/people.ts';
import { openSite, type Site } from '../site.ts';
import { codeOf, type Door, Doors, propertiesOf, ready, tools } from './calls.ts';

const customers = personas.filter(({ realm }) => realm === 'customer');
const DOORS: Door[] = ['rest', 'mcp', 'direct', 'direct-mcp'];
const openTo = ({ realm, roles }: Persona) => tools.filter((tool) => tool.roles.some((role) => rolesIn(realm, roles).has(role)));
const forCustomers = tools.filter((tool) => customers.some((who) => openTo(who).includes(tool)));

interface Ticket {
  readonly ticket_id: string;
  readonly customer_id: string;
  readonly contact_name: string;
}
let site: Site;
let doors: Doors;
let all: Ticket[];
beforeAll(async () => {
  site = await openSite();
  doors = new Doors(site);
  all = [];
  for (const organization of new Set(customers.map(({ organizationId }) => organizationId))) {
    const { answer } = await doors.call('rest', 'dan.williams', named('search_tickets'), { customer_id: organization });
    if (answer.status !== 'success') throw new Error(JSON.stringify(answer));
    all.push(...(answer.data as Ticket[]));
  }
}, 120_000);
afterAll(() => site?.close());
const named = (name: string) => tools.find((tool) => tool.name === name) ?? expect.fail(name);

it('two of each of three organisations, and eight tools for them', () => {
  expect([customers.length, new Set(customers.map(({ organizationId }) => organizationId)).size]).toEqual([6, 3]);
  expect(forCustomers.map(({ name }) => name).filter((name) => name.startsWith('customer_')).length).toBe(8);
});

describe.each(customers.map((who) => [who.username, who] as const))('%s', (username, who) => {
  it('is shown the tools for customers, and refused all others at every door', async () => {
    const own = new Set(openTo(who));
    expect(await doors.listed(username)).toEqual([...own].map((tool) => `${tool.domain.name}_${tool.name}`).toSorted());
    for (const tool of tools.filter((each) => !own.has(each))) {
      const { input } = await ready(site, tool).catch(() => ({ input: {} }));
      for (const door of ['rest', 'mcp'] as const) {
        const { answer, error } = await doors.call(door, username, tool, input);
        expect([tool.name, door, error ? 'error' : codeOf(answer)]).toEqual([
          tool.name,
          door,
          expect.stringMatching(/^(INSUFFICIENT_PERMISSIONS|error)$/),
        ]);
      }
    }
  });

  it('is told of a foreign id what is told of none at all, whatever tool takes it', async () => {
    const foreign = all.filter(({ customer_id }) => customer_id !== who.organizationId).map(({ ticket_id }) => ticket_id);
    const people = customers.filter(({ organizationId }) => organizationId !== who.organizationId).map(({ sub }) => sub);
    expect(foreign.length).toBeGreaterThan(20);
    for (const tool of openTo(who).filter(({ domain }) => domain.name === 'support')) {
      for (const [key] of propertiesOf(tool).filter(([name]) => name.endsWith('_id'))) {
        const { input } = await ready(site, tool);
        for (const door of DOORS) {
          const said = async (id: string) => {
            const { status, text, requestId } = await doors.call(door, username, tool, { ...input, [key]: id });
            return [
              status,
              text
                .replaceAll(id, 'ID')
                .replaceAll(requestId, 'REQUEST')
                .replace(/"id":\d+/, ''),
            ];
          };
          const absent = await said(randomUUID());
          expect(String(absent[1])).toMatch(/_NOT_FOUND/);
          for (const id of key === 'contact_id' ? people : foreign.filter((_, n) => n % 9 === 0))
            expect([tool.name, door, ...(await said(id))]).toEqual([tool.name, door, ...absent]);
        }
      }
    }
  });

  it('finds nothing of others by any list or search', async () => {
    const foreign = new Set(all.filter(({ customer_id }) => customer_id !== who.organizationId).map(({ ticket_id }) => ticket_id));
    const names = customers
      .filter(({ organizationId }) => organizationId !== who.organizationId)
      .flatMap(({ name, email }) => [name, email]);
    for (const tool of openTo(who).filter(({ kind, domain }) => kind === 'list' && domain.name === 'support')) {
      for (const query of tool.input.shape['query'] ? [undefined, ...names, persona('dan.williams').name] : [undefined]) {
        for (const door of ['rest', 'mcp'] as const) {
          const { text } = await doors.call(door, username, tool, query === undefined ? {} : { query });
          expect([tool.name, [...foreign].filter((id) => text.includes(id))]).toEqual([tool.name, []]);
          for (const name of names.filter((each) => each !== query)) expect([tool.name, text.includes(name)]).toEqual([tool.name, false]);
        }
      }
    }
  });
});
