/** Isolation of customers, two of each organisation: no tool shows data of others, and a foreign id gives the answer for an unknown id. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SuccessAnswer } from '../../src/declare/answer.ts';
import * as support from '../../domains/support/index.ts';
import type { Persona } from '../../src/declare/sample.ts';
import { personas } from '../../domains/sample-company/people.ts';
import { supportSample } from '../../domains/support/sample/index.ts';
import { code, type Data, openTestRuntime, person, SAMPLE_DAY, type TestRuntime } from '../test-runtime.ts';
import { searchStores } from '../test-runtime-search.ts';

type Row = Readonly<Record<string, unknown>>;
const rowsOf = (n: number): readonly Row[] => [...(supportSample({ employees: 500, today: SAMPLE_DAY })[n]?.documents() ?? [])];
const [tickets, articles, portals] = [rowsOf(0), rowsOf(1), rowsOf(2)];
const customers = personas.filter(({ realm }) => realm === 'customer');
const isLead = ({ roles }: Persona) => roles.includes('lead-customer');
const ABSENT = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';

/** The access rules of the specification, applied to the stored rows. */
const maySee = (who: Persona, row: Row) =>
  row['customer_id'] === who.organizationId && (isLead(who) || row['contact_id'] === who.sub || row['visibility'] === 'organization');
/** The tickets that a test tries to open: all of the customer's organisation, those that sample questions name, and some of others. */
const lookedAtBy = (who: Persona) => tickets.filter((row, n) => row['customer_id'] === who.organizationId || n < 7 || n % 11 === 0);
const idOf = (row: Row) => String(row['ticket_id']);
const without = (text: string, id: string) => text.replaceAll(id, 'the id');

describe.each(searchStores)('isolation of customers on %s', (_name, search) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ search, tools: Object.values(support) });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  const raw = async (who: Persona, tool: string, input: object) =>
    JSON.stringify(await testRuntime.call(who.username, 'support', tool, input));
  async function pages(who: Persona, tool: string, input: object = {}): Promise<Data> {
    const rows: Row[] = [];
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const answer = (await testRuntime.call(who.username, 'support', tool, { ...input, ...(cursor && { cursor }) })) as SuccessAnswer;
      if (answer.status !== 'success') throw new Error(JSON.stringify(answer));
      rows.push(...(answer.data as Data));
      cursor = answer.metadata?.nextCursor;
    }
    return rows as Data;
  }
  const everyone = customers.map((who) => [who.username, who] as const);

  test('a lead may see all tickets of the organisation, another customer only some', () => {
    expect(customers.length).toBe(6);
    for (const who of customers) {
      expect(lookedAtBy(who).some((row) => maySee(who, row))).toBe(true);
      // Only a lead sees all tickets of the organisation.
      expect(tickets.some((row) => row['customer_id'] === who.organizationId && !maySee(who, row))).toBe(!isLead(who));
    }
  });

  test.each(everyone)('%s lists exactly the tickets that they may see', async (_user, who) => {
    const own = tickets.filter((row) => maySee(who, row)).map(idOf);
    expect((await pages(who, 'customer_list_tickets')).map(idOf).toSorted()).toEqual(own.toSorted());
    for (const status of ['open', 'closed']) {
      const some = tickets.filter((row) => maySee(who, row) && row['status'] === status).map(idOf);
      expect((await pages(who, 'customer_list_tickets', { status })).map(idOf).toSorted()).toEqual(some.toSorted());
    }
  });

  test.each(everyone)(
    '%s opens the tickets that they may see, and gets the answer for an unknown id for all others',
    async (_user, who) => {
      const absent = without(await raw(who, 'customer_get_ticket', { ticket_id: ABSENT }), ABSENT);
      expect(absent).toContain('TICKET_NOT_FOUND');
      for (const row of lookedAtBy(who)) {
        const answer = await raw(who, 'customer_get_ticket', { ticket_id: idOf(row) });
        if (maySee(who, row))
          expect(JSON.parse(answer)).toMatchObject({
            status: 'success',
            data: { subject: row['subject'], description: row['description'] },
          });
        else expect(without(answer, idOf(row))).toBe(absent);
      }
    },
    120_000,
  );

  test.each(everyone)('%s cannot comment on a ticket of others, and nothing is written', async (_user, who) => {
    const say = (ticket_id: string) => raw(who, 'customer_add_comment', { ticket_id, comment: 'Let me in' });
    const absent = without(await say(ABSENT), ABSENT);
    expect(absent).toContain('TICKET_NOT_FOUND');
    const foreign = lookedAtBy(who).filter((row, n) => !maySee(who, row) && (n < 12 || n % 5 === 0));
    for (const row of foreign) expect(without(await say(idOf(row)), idOf(row))).toBe(absent);
    for (const row of foreign.slice(0, 10)) {
      const [found] = await testRuntime.data('dan.williams', 'support', 'search_tickets', {
        query: String(row['subject']),
        customer_id: row['customer_id'],
      });
      expect(JSON.stringify(found)).not.toContain('Let me in');
    }
  });

  test.each(everyone)('%s cannot find a ticket of others by its text', async (_user, who) => {
    for (const row of tickets.slice(0, 7)) {
      const found = await pages(who, 'customer_list_tickets', { query: String(row['subject']) });
      expect(found.some((each) => idOf(each) === idOf(row))).toBe(maySee(who, row));
      for (const each of found) expect(tickets.find((one) => idOf(one) === idOf(each))?.['customer_id']).toBe(who.organizationId);
    }
  });

  test.each(everyone)('%s reads public articles only', async (_user, who) => {
    const open = articles
      .filter(({ status, audience }) => status === 'published' && audience === 'public')
      .map((row) => String(row['article_id']));
    expect((await pages(who, 'customer_search_kb')).map((row) => String(row['article_id'])).toSorted()).toEqual(open.toSorted());
    for (const row of articles.filter(({ article_id }) => !open.includes(String(article_id)))) {
      const found = await pages(who, 'customer_search_kb', { query: String(row['title']) });
      expect(found.some(({ article_id }) => article_id === row['article_id'])).toBe(false);
    }
  });

  test.each(everyone)('%s sees no contact of another organisation', async (_user, who) => {
    const foreign = portals.filter((row) => row['organization_id'] !== who.organizationId).flatMap((row) => row['contacts'] as Row[]);
    const own = portals.find((row) => row['organization_id'] === who.organizationId)?.['contacts'] as Row[];
    const answer = await testRuntime.call(who.username, 'support', 'customer_list_contacts');
    if (!isLead(who)) {
      expect(code(answer)).toBe('INSUFFICIENT_PERMISSIONS');
      for (const tool of ['customer_transfer_lead', 'customer_invite_contact'])
        expect(
          code(await testRuntime.call(who.username, 'support', tool, { contact_id: own[0]?.['contact_id'], email: 'a@b.example' })),
        ).toBe('INSUFFICIENT_PERMISSIONS');
      return;
    }
    expect((answer as SuccessAnswer).data).toMatchObject(
      own
        .map(({ name }) => String(name))
        .toSorted()
        .map((name) => ({ name })),
    );
    const give = (contact_id: string) => raw(who, 'customer_transfer_lead', { contact_id });
    const absent = without(await give(ABSENT), ABSENT);
    expect(absent).toContain('CONTACT_NOT_FOUND');
    for (const { contact_id } of foreign) expect(without(await give(String(contact_id)), String(contact_id))).toBe(absent);
  });

  test.each(everyone)('%s cannot choose an organisation or use a tool of the staff', async (_user, who) => {
    for (const tool of Object.values(support)) {
      const input = tool.examples[0]?.input('2026-11-16') ?? {};
      if (tool.name.startsWith('customer_')) {
        for (const key of ['organization_id', 'customer_id', 'organizationId', 'contact_name'])
          if (tool.roles.some((role) => who.roles.includes(role)))
            expect([tool.name, key, code(await testRuntime.call(who.username, 'support', tool.name, { ...input, [key]: ABSENT }))]).toEqual(
              [tool.name, key, 'VALIDATION_ERROR'],
            );
      } else
        expect([tool.name, code(await testRuntime.call(who.username, 'support', tool.name, input))]).toEqual([
          tool.name,
          'INSUFFICIENT_PERMISSIONS',
        ]);
    }
  });

  test('internal notes are not shown to customers, and cannot be searched by them', async () => {
    const words = (text: unknown) =>
      String(text ?? '')
        .toLowerCase()
        .match(/[a-z]{6,}/g) ?? [];
    let tried = 0;
    for (const who of customers.filter(isLead)) {
      const noted = tickets.filter((row) => maySee(who, row) && row['internal_notes'] !== null);
      const inside = noted.flatMap((row) => {
        const { internal_notes, ...rest } = row;
        const said = words(JSON.stringify(rest));
        const word = words(internal_notes).find((each) => !said.some((other) => other.slice(0, 4) === each.slice(0, 4)));
        return word ? [[row, word] as const] : [];
      });
      for (const [row, word] of inside.slice(0, 6)) {
        tried++;
        const staff = (await testRuntime.call('dan.williams', 'support', 'search_tickets', {
          query: word,
          customer_id: who.organizationId,
        })) as SuccessAnswer;
        expect([word, (staff.data as Data).some((each) => idOf(each) === idOf(row))]).toEqual([word, true]);
        const found = await pages(who, 'customer_list_tickets', { query: word });
        expect([word, found.some((each) => idOf(each) === idOf(row))]).toEqual([word, false]);
        for (const each of found) expect(Object.keys(each['highlights'] as Row)).not.toContain('internal_notes');
        const whole = await raw(who, 'customer_get_ticket', { ticket_id: idOf(row) });
        expect(whole).not.toContain(String(row['internal_notes']));
        for (const field of Object.keys((JSON.parse(whole) as SuccessAnswer).data as Row))
          expect(field).not.toMatch(/internal|^sla_|^tier$|assigned_to|resolved_by/);
      }
    }
    expect(tried).toBeGreaterThan(10);
  });

  test('a cursor of another customer is refused', async () => {
    const [jane, mike] = ['jane.smith@acme.example', 'mike.manager@globex.example'];
    const first = (await testRuntime.call(jane, 'support', 'customer_list_tickets', { limit: 2 })) as SuccessAnswer;
    const cursor = first.metadata?.nextCursor;
    expect(code(await testRuntime.call(mike, 'support', 'customer_list_tickets', { limit: 2, cursor }))).toBe('INVALID_CURSOR');
    expect(code(await testRuntime.call(jane, 'support', 'customer_search_kb', { limit: 2, cursor }))).toBe('INVALID_CURSOR');
  });

  test('a customer without an organisation or of an unknown one sees nothing and cannot add anything', async () => {
    for (const organizationId of [undefined, ABSENT]) {
      const lost = { ...person('jane.smith@acme.example'), organizationId };
      const call = async (tool: string, input: object = {}) => testRuntime.call(lost, 'support', tool, input);
      expect(await call('customer_list_tickets')).toMatchObject({ status: 'success', data: [] });
      expect(code(await call('customer_get_ticket', { ticket_id: idOf(tickets[0] ?? {}) }))).toBe('TICKET_NOT_FOUND');
      expect(code(await call('customer_list_contacts'))).toBe('INSUFFICIENT_PERMISSIONS');
      expect(code(await call('customer_invite_contact', { email: 'a@acme.example' }))).toBe('INSUFFICIENT_PERMISSIONS');
      expect(code(await call('customer_submit_ticket', { title: 'Hello there', description: 'A description that is long enough' }))).toBe(
        'INSUFFICIENT_PERMISSIONS',
      );
    }
  });
});
