/** The life of a sales record: created, changed, moved, converted, won and lost, on every document store. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Row } from '../../src/declare/rows.ts';
import * as sales from '../../domains/sales/index.ts';
import { code, openTestRuntime, person, type TestRuntime } from '../test-runtime.ts';
import { documentDatabases } from '../test-runtime-documents.ts';

const [carol, eve, liam] = [person('carol.johnson'), person('eve.thompson'), "Liam O'Brien"] as const;
const SOMEDAY = '2029-03-01';

describe.each(documentDatabases)('records of sales on %s', (_name, documents) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ documents, tools: Object.values(sales) });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });

  const ask = (tool: string, input: object, who = carol) => testRuntime.call(who, 'sales', tool, input);
  async function read(tool: string, input: object): Promise<Row> {
    const answer = await ask(tool, input);
    if (answer.status !== 'success') throw new Error(`${tool}: ${JSON.stringify(answer)}`);
    return answer.data as Row;
  }
  async function done(tool: string, input: object, who = carol): Promise<Row> {
    const asked = await ask(tool, input, who);
    if (asked.status !== 'pending_confirmation') throw new Error(`${tool}: ${JSON.stringify(asked)}`);
    const answer = await testRuntime.approve(who, asked.confirmationId);
    if (answer.status !== 'success') throw new Error(`${tool}: ${JSON.stringify(answer)}`);
    return answer.data as Row;
  }
  let made = 0;
  const newLead = (owner: string = liam) => {
    const n = (made += 1);
    return done('create_lead', {
      name: `Person ${n}`,
      company: `Company ${n}`,
      email: `person${n}@company${n}.example`,
      source: 'WEB',
      owner,
    });
  };
  const newCustomer = () => done('create_customer', { name: `Customer ${(made += 1)}`, industry: 'Testing', owner: liam });
  const newDeal = async (more: object = {}) =>
    done('create_opportunity', {
      customer_id: (await newCustomer())['_id'],
      deal_name: 'A deal',
      value: 1000,
      close_date: SOMEDAY,
      ...more,
    });

  test('a lead becomes a customer with a deal, which is negotiated, won, and counts in the forecast', async () => {
    const lead = await newLead();
    expect(lead).toMatchObject({ status: 'NEW', score: 50, owner_name: liam });
    const lead_id = lead['_id'];
    await done('update_lead', { lead_id, status: 'CONTACTED' });
    await done('update_lead', { lead_id, status: 'QUALIFIED', score: 90 });
    const before = await read('get_forecast', { owner: liam });
    const close_date = '2026-11-30';
    const converted = await done('convert_lead', { lead_id, value: 40_000.5, close_date, deal_name: 'First order' });
    const opportunity_id = (converted['opportunity'] as Row)['_id'];
    expect(converted).toMatchObject({
      lead: { status: 'CONVERTED', customer_id: converted['customer_id'], opportunity_id },
      customer: { name: lead['company'], contact_name: lead['name'], status: 'PROSPECT', account_owner_name: liam },
      opportunity: { deal_name: 'First order', stage: 'QUALIFICATION', value: 40_000.5, weighted_value: 8000.1, owner_name: liam },
    });
    expect(await read('get_customer', { customer_id: converted['customer_id'] })).toMatchObject({
      totals: { open_deals: 1, open_value: 40_000.5 },
    });
    const open = await read('get_forecast', { owner: liam });
    expect(Number(open['pipeline'])).toBeCloseTo(Number(before['pipeline']) + 40_000.5, 2);
    await done('update_opportunity', { opportunity_id, stage: 'NEGOTIATION', value: 50_000 });
    expect(await read('get_opportunity', { opportunity_id })).toMatchObject({
      stage: 'NEGOTIATION',
      probability: 75,
      weighted_value: 37_500,
    });
    await done('close_opportunity', { opportunity_id, outcome: 'won' });
    const after = await read('get_forecast', { owner: liam });
    expect(Number(after['closed'])).toBeCloseTo(Number(before['closed']) + 50_000, 2);
    expect(await read('get_customer', { customer_id: converted['customer_id'] })).toMatchObject({ status: 'ACTIVE' });
  });

  test('a lead is converted once, also by two approvals at the same time', async () => {
    const { _id: lead_id, company } = await newLead();
    const input = { lead_id, value: 10, close_date: SOMEDAY };
    const tickets = await Promise.all([ask('convert_lead', input), ask('convert_lead', { ...input, value: 20 })]);
    const answers = await Promise.all(
      tickets.map((ticket) => testRuntime.approve(carol, ticket.status === 'pending_confirmation' ? ticket.confirmationId : '')),
    );
    expect(answers.map(code).toSorted()).toEqual(['CHANGED_SINCE_APPROVAL', 'success']);
    const customers = await ask('list_customers', { name: company });
    expect(customers.status === 'success' && (customers.data as Row[])).toHaveLength(1);
    expect(code(await ask('convert_lead', input))).toBe('LEAD_NOT_OPEN');
    expect(code(await ask('update_lead', { lead_id, score: 1 }))).toBe('LEAD_CONVERTED');
  });

  test('a lead of an existing customer is converted into a deal of that customer', async () => {
    const lead = await newLead();
    const input = { lead_id: lead['_id'], value: 10, close_date: SOMEDAY };
    const { _id: customer_id } = await done('create_customer', {
      name: `${String(lead['company']).toUpperCase()}!`,
      industry: 'Testing',
      owner: liam,
    });
    expect(code(await ask('convert_lead', input))).toBe('CUSTOMER_EXISTS');
    const converted = await done('convert_lead', { ...input, customer_id });
    expect(converted).toMatchObject({ customer_id, opportunity: { customer_id } });
  });

  test('a stage moves forward freely, and backwards with a reason', async () => {
    const { _id: opportunity_id } = await newDeal({ stage: 'proposal' });
    expect(code(await ask('update_opportunity', { opportunity_id, stage: 'DISCOVERY' }))).toBe('REASON_REQUIRED');
    expect(code(await ask('update_opportunity', { opportunity_id, stage: 'DISCOVERY', reason: '  ' }))).toBe('REASON_REQUIRED');
    expect(await done('update_opportunity', { opportunity_id, stage: 'DISCOVERY', reason: 'Budget on hold' })).toMatchObject({
      stage: 'DISCOVERY',
      probability: 35,
    });
    expect(code(await ask('update_opportunity', { opportunity_id, stage: 'DISCOVERY' }))).toBe('NOTHING_TO_CHANGE');
    expect(code(await ask('update_opportunity', { opportunity_id, stage: 'CLOSED_WON' }))).toBe('VALIDATION_ERROR');
    await done('close_opportunity', { opportunity_id, outcome: 'lost', reason: 'Price' });
    expect(code(await ask('update_opportunity', { opportunity_id, value: 5 }))).toBe('OPPORTUNITY_ALREADY_CLOSED');
  });

  test('a deal keeps the rest when one value changes, and its name is found at once', async () => {
    const { _id: opportunity_id } = await newDeal({ notes: 'Met at the fair' });
    const changed = await done('update_opportunity', { opportunity_id, deal_name: 'Zebra Crossing', notes: 'Called' });
    expect(changed).toMatchObject({ deal_name: 'Zebra Crossing', value: 1000, notes: 'Met at the fair\nCalled', stage: 'PROSPECTING' });
    const found = await ask('list_opportunities', { name: 'zebra' });
    expect(found.status === 'success' && (found.data as Row[]).map((row) => row['_id'])).toEqual([opportunity_id]);
    expect(code(await ask('update_opportunity', { opportunity_id, close_date: '2020-01-01' }))).toBe('CLOSE_DATE_PAST');
  });

  test('a customer name exists once, whatever its case and accents', async () => {
    const { _id: customer_id } = await done('create_customer', { name: 'Café Müller', industry: 'Retail', owner: liam });
    expect(code(await ask('create_customer', { name: 'CAFE MULLER', industry: 'Retail', owner: liam }))).toBe('CUSTOMER_EXISTS');
    expect(await done('update_customer', { customer_id, name: 'Café Muller', email: 'Ann@Muller.example' })).toMatchObject({
      email: 'ann@muller.example',
    });
    const other = await newCustomer();
    expect(code(await ask('update_customer', { customer_id: other['_id'], name: 'cafe muller' }))).toBe('CUSTOMER_EXISTS');
    expect(code(await ask('update_customer', { customer_id, industry: 'Retail' }))).toBe('NOTHING_TO_CHANGE');
  });

  test('an owner is somebody who sells, and a caller who does not sell has to name one', async () => {
    expect(code(await ask('create_customer', { name: 'No Owner', industry: 'Testing' }, eve))).toBe('OWNER_NOT_FOUND');
    expect(code(await ask('create_lead', { name: 'A', company: 'B', email: 'a@b.example', source: 'WEB', owner: 'a' }))).toBe(
      'OWNER_AMBIGUOUS',
    );
    const { _id: lead_id } = await newLead();
    expect(await done('update_lead', { lead_id, owner: 'audrey.kendrick@tamshai.example' })).toMatchObject({
      owner_name: 'Audrey Kendrick',
    });
  });

  test('nobody without the role changes anything, and a lead needs a reason to end', async () => {
    for (const tool of Object.values(sales).filter(({ kind }) => kind === 'write'))
      expect([tool.name, code(await ask(tool.name, {}, person('marcus.johnson')))]).toEqual([tool.name, 'INSUFFICIENT_PERMISSIONS']);
    const { _id: lead_id } = await newLead();
    expect(code(await ask('update_lead', { lead_id, status: 'DISQUALIFIED' }))).toBe('REASON_REQUIRED');
    expect(await done('update_lead', { lead_id, status: 'DISQUALIFIED', reason: 'No budget' })).toMatchObject({ status: 'DISQUALIFIED' });
    expect(code(await ask('convert_lead', { lead_id, value: 1, close_date: SOMEDAY }))).toBe('LEAD_NOT_OPEN');
  });
});
