/** Results of the sales tools and who may call them. Changes are in sales-moves, sums in sales-sums. */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, SuccessAnswer } from '../../src/declare/answer.ts';
import { jsonSchema } from '../../src/derive/answers.ts';
import { spelledPlainly } from '../../src/declare/spelling.ts';
import * as sales from '../../domains/sales/index.ts';
import { daysOf, monthFrom, monthTo, period, quarter } from '../../domains/sales/periods.ts';
import { DEFAULT_COMPANY } from '../../src/declare/company.ts';
import { quarterAt } from '../../src/declare/fiscal.ts';
import { openStages } from '../../domains/sales/schemas.ts';
import { personas } from '../../domains/sample-company/people.ts';
import { code, type Data, openTestRuntime, person, SAMPLE_DAY, type TestRuntime } from '../test-runtime.ts';
import { documentDatabases } from '../test-runtime-documents.ts';

const [eve, carol, dan] = ['eve.thompson', 'carol.johnson', 'dan.williams'] as const;
const reader = person('tom.becker', { roles: ['employee', 'sales-read'] });
const TODAY = SAMPLE_DAY.toISOString().slice(0, 10);
const NOBODY = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const GLOBEX = '0a000000-0000-4000-8000-000000000002';

test('quarters and years are accepted as people write them', () => {
  const read = (text: string) => {
    const { data } = period.safeParse(text);
    return data && daysOf(data, DEFAULT_COMPANY);
  };
  for (const text of ['2026-Q4', 'Q4 2026', 'q4 2026', '2026Q4', '2026 q4', 'Q4-2026', ' 2026-Q4 ', 'FY2026-Q4'])
    expect([text, read(text)]).toEqual([text, { label: '2026-Q4', from: '2026-10-01', to: '2026-12-31', quarters: ['2026-Q4'] }]);
  expect(read('2028-Q1')?.to).toBe('2028-03-31');
  expect(read('2026')).toMatchObject({ from: '2026-01-01', to: '2026-12-31', quarters: ['2026-Q1', '2026-Q2', '2026-Q3', '2026-Q4'] });
  for (const text of [
    '2026-Q5',
    '2026-Q0',
    'Q5 2026',
    'Q4',
    '',
    'next',
    '1999-Q4',
    '26-Q4',
    '2026-Q44',
    '2026-10',
    'Q４ 2026',
    `${'Q4 '.repeat(9)}`,
  ])
    expect([text, read(text)]).toEqual([text, undefined]);
  expect(quarter.safeParse('2026').success).toBe(false);
  expect(quarter.safeParse('2026-Q5').error?.issues[0]?.message).toMatch(/no quarter Q5.+Q1 to Q4/);
  expect([0, 1, -1].map((shift) => quarterAt('2026-11-16', DEFAULT_COMPANY, shift).label)).toEqual(['2026-Q4', '2027-Q1', '2026-Q3']);
  expect([monthFrom('2028-02-10'), monthTo('2028-02-10'), quarterAt('2026-01-01', DEFAULT_COMPANY, -1).label]).toEqual([
    '2028-02-01',
    '2028-02-29',
    '2025-Q4',
  ]);
});

test('names are matched as people type them', () => {
  expect(spelledPlainly("Liam O'Brien")).toBe('liam obrien');
  expect(spelledPlainly('Jürgen  Weiß-Ørsted')).toBe('jurgen weiss orsted');
  expect(spelledPlainly('Łukasz Dvořák')).toBe('lukasz dvorak');
  expect(spelledPlainly('Food & Beverage')).toBe('food beverage');
  expect(spelledPlainly('%_*.$')).toBe('');
});

describe.each(documentDatabases)('the sales tools on %s', (_name, documents) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ documents, tools: Object.values(sales) });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  type Who = Parameters<TestRuntime['call']>[0];
  const ask = async (who: Who, tool: string, input: object = {}) => code(await testRuntime.call(who, 'sales', tool, input));
  const list = async (tool: string, input: object = {}, who: Who = carol) => {
    const answer = (await testRuntime.call(who, 'sales', tool, input)) as SuccessAnswer;
    if (answer.status !== 'success') throw new Error(JSON.stringify(answer));
    return { rows: answer.data as Data, summary: answer.metadata?.summary as Record<string, unknown>, metadata: answer.metadata };
  };
  async function pages(tool: string, input: object = {}): Promise<Data> {
    const rows: Record<string, unknown>[] = [];
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const { rows: page, metadata } = await list(tool, { ...input, ...(cursor && { cursor }) });
      rows.push(...page);
      cursor = metadata?.nextCursor;
    }
    return rows as Data;
  }
  const stored = (collection: string) => testRuntime.documents('sales').find(collection, {}, { sort: { _id: 1 }, limit: 5000, hide: [] });

  test('every example gives its declared answer, and a repeated change gives the same card', async () => {
    const shown = (answer: Answer) => (answer.status === 'pending_confirmation' ? answer.confirmationData : answer);
    expect(Object.keys(sales).length).toBe(17);
    for (const tool of Object.values(sales)) {
      expect(tool.examples.length, tool.name).toBeGreaterThanOrEqual(3);
      for (const { question, as, input, expects } of tool.examples) {
        const answer = await testRuntime.call(as, 'sales', tool.name, input(TODAY));
        expect([tool.name, question, code(answer)]).toEqual([
          tool.name,
          question,
          expects ?? (tool.kind === 'write' ? 'pending_confirmation' : 'success'),
        ]);
        if (answer.status === 'pending_confirmation')
          expect(isDeepStrictEqual(shown(await testRuntime.call(as, 'sales', tool.name, input(TODAY))), shown(answer))).toBe(true);
        if (answer.status === 'success' && tool.kind === 'list') expect((answer.data as Data).length, question).toBeGreaterThan(0);
      }
    }
  });

  test('published schemas and answers contain no internal fields', async () => {
    for (const tool of Object.values(sales)) {
      const published = jsonSchema(tool.output, 'output');
      expect(JSON.stringify(published)).not.toContain('_search');
      expect(published['type']).toBe(tool.kind === 'list' ? 'array' : 'object');
    }
    const [deal] = (await list('list_opportunities', { limit: 1 })).rows;
    for (const hidden of ['search', 'owner_search', 'row_version', 'removed', 'held']) expect(deal).not.toHaveProperty(hidden);
    expect(typeof deal?.['value']).toBe('number');
  });

  test('the roles are those of the specification, and everyone else is refused', async () => {
    const readers = ['carol.johnson', 'eve.thompson'];
    const valid: Record<string, object> = {
      get_customer: { customer_id: GLOBEX },
      get_opportunity: { opportunity_id: '0d000000-0000-4000-8000-000000000001' },
      close_opportunity: { opportunity_id: NOBODY, outcome: 'won' },
      delete_opportunity: { opportunity_id: NOBODY },
      delete_customer: { customer_id: NOBODY },
    };
    for (const tool of Object.values(sales)) {
      expect([...tool.roles].toSorted()).toEqual(tool.kind === 'write' ? ['executive', 'sales-write'] : ['executive', 'sales-read']);
      for (const { username } of personas) {
        const answer = await ask(username, tool.name, valid[tool.name] ?? {});
        expect([tool.name, username, answer === 'INSUFFICIENT_PERMISSIONS']).toEqual([tool.name, username, !readers.includes(username)]);
      }
      expect([tool.name, await ask(reader, tool.name, valid[tool.name] ?? {})]).toEqual([
        tool.name,
        tool.kind === 'write' ? 'INSUFFICIENT_PERMISSIONS' : 'success',
      ]);
    }
    // The roles of other domains open no tool of sales.
    const others = person(dan, {
      roles: ['employee', 'manager', 'hr-write', 'finance-write', 'support-write', 'payroll-write', 'tax-write'],
    });
    expect(await ask(others, 'list_opportunities')).toBe('INSUFFICIENT_PERMISSIONS');
    expect(await ask(person(carol, { employeeId: undefined }), 'list_opportunities')).toBe('success');
  });

  test('aliases of tools and keys are the same as the current names', async () => {
    const top = { limit: 3, minValue: 100_000 };
    expect((await list('list_deals', top)).rows).toEqual((await list('list_opportunities', { limit: 3, min_value: 100_000 })).rows);
    const deal = '0d000000-0000-4000-8000-000000000004';
    const old = await testRuntime.ask(carol, 'sales', 'close_deal', { deal_id: deal, outcome: 'lost', loss_reason: 'Price' });
    expect(old.confirmationData).toMatchObject({ action: 'close_opportunity', reason: 'Price', subject: { id: deal } });
    expect(
      (await testRuntime.ask(carol, 'sales', 'close_opportunity', { opportunityId: deal, outcome: 'lost', reason: 'Price' }))
        .confirmationId,
    ).toBe(old.confirmationId);
    expect(await ask(carol, 'delete_opportunity', { dealId: deal })).toBe('pending_confirmation');
    expect(await ask(carol, 'close_deal', { deal_id: deal, opportunity_id: deal, outcome: 'won' })).toBe('VALIDATION_ERROR');
    expect(await ask(carol, 'close_deal', { deal_id: deal, outcome: 'lost', reason: 'a', loss_reason: 'b' })).toBe('VALIDATION_ERROR');
    for (const tool of Object.values(sales)) expect(Object.keys(tool.input.shape)).not.toContain('deal_id');
  });

  describe('lists', () => {
    test('the top five deals closing this month come in one call', async () => {
      const input = { limit: 5, closing_from: '2026-11-01', closing_to: '2026-11-30', sort: 'value', stage: 'OPEN' };
      const { rows, metadata, summary } = await list('list_opportunities', input);
      const all = (await stored('opportunities'))
        .filter((row) => (openStages as readonly unknown[]).includes(row['stage']) && String(row['close_date']).startsWith('2026-11'))
        .toSorted((a, b) => Number(b['value']) - Number(a['value']) || (String(a['_id']) < String(b['_id']) ? 1 : -1));
      expect(rows.map((row) => row['_id'])).toEqual(all.slice(0, 5).map((row) => row['_id']));
      expect(rows.length).toBe(5);
      expect(metadata).toMatchObject({
        hasMore: true,
        totalCount: '5+',
        returnedCount: 5,
        warning: expect.stringMatching(/^TRUNCATION WARNING/),
      });
      expect(summary['count']).toBe(all.length);
      // Without a stage and an order, the largest values come first too.
      const plain = await list('list_opportunities', { limit: 5, closing_from: '2026-11-01', closing_to: '2026-11-30' });
      expect(plain.rows.map((row) => Number(row['value']))).toEqual(
        plain.rows.map((row) => Number(row['value'])).toSorted((a, b) => b - a),
      );
    });

    test('pages contain each row once, in every order', async () => {
      const all = await stored('opportunities');
      for (const [sort, key, direction] of [
        ['value', 'value', -1],
        ['close_date', 'close_date', 1],
        ['newest', 'created_at', -1],
      ] as const) {
        const rows = await pages('list_opportunities', { sort, limit: 37 });
        expect(rows.length).toBe(all.length);
        expect(new Set(rows.map((row) => row['_id'])).size).toBe(all.length);
        for (const [n, row] of rows.slice(1).entries()) {
          const before = rows[n]?.[key] as number | string;
          const now = row[key] as number | string;
          expect(direction === 1 ? before <= now : before >= now, `${sort} ${n}`).toBe(true);
        }
      }
      expect((await pages('list_customers', { limit: 13 })).length).toBe((await stored('customers')).length);
      expect((await pages('list_leads', { limit: 50 })).length).toBe((await stored('leads')).length);
    });

    test('each filter returns exactly the matching rows, alone and combined', async () => {
      const deals = await stored('opportunities');
      const found = async (input: object, which: (row: Record<string, unknown>) => boolean, tool = 'list_opportunities', from = deals) => {
        const [rows, wanted] = [await pages(tool, input), from.filter(which)];
        expect([input, rows.map((row) => String(row['_id'])).toSorted()]).toEqual([
          input,
          wanted.map((row) => String(row['_id'])).toSorted(),
        ]);
        const { summary } = await list(tool, { ...input, limit: 1 });
        expect([input, summary['count']]).toEqual([input, wanted.length]);
        return rows.length;
      };
      const open = (row: Record<string, unknown>) => (openStages as readonly unknown[]).includes(row['stage']);
      for (const stage of [...openStages, 'CLOSED_WON', 'CLOSED_LOST'])
        expect(await found({ stage }, (row) => row['stage'] === stage)).toBeGreaterThan(0);
      await found({ stage: 'open' }, open);
      await found({ stage: 'closed won' }, (row) => row['stage'] === 'CLOSED_WON');
      await found({ stage: 'CLOSED' }, (row) => !open(row));
      await found({ min_value: 54_999.99, max_value: 54_999.99 }, (row) => row['value'] === 54_999.99);
      await found({ min_value: 100_000, stage: 'NEGOTIATION' }, (row) => row['stage'] === 'NEGOTIATION' && Number(row['value']) >= 100_000);
      await found({ max_value: 20_000 }, (row) => Number(row['value']) <= 20_000);
      await found({ closing_from: TODAY }, (row) => String(row['close_date']) >= TODAY);
      await found({ closing_to: '2025-06-30' }, (row) => String(row['close_date']) <= '2025-06-30');
      const liams = (row: Record<string, unknown>) => row['owner'] === 'liam.obrien@tamshai.example';
      const liam = deals.find(liams)?.['owner_id'];
      for (const owner of [
        "Liam O'Brien",
        'liam obrien',
        'LIAM',
        "o'brien liam",
        'Liam.OBrien@tamshai.example',
        String(liam).toUpperCase(),
      ])
        expect(await found({ owner }, liams)).toBeGreaterThan(5);
      await found({ owner: 'Liam', stage: 'OPEN', min_value: 50_000 }, (row) => liams(row) && open(row) && Number(row['value']) >= 50_000);
      for (const owner of ['%', '.*', '_', '@', 'liam.obrien@elsewhere.example', NOBODY, 'Santa'])
        expect(await found({ owner }, () => false)).toBe(0);
      await found({ name: 'globex' }, (row) => row['customer_id'] === GLOBEX);
      expect(await found({ name: 'rollout GLOBEX analytics' }, (row) => row['deal_name'] === 'Globex Analytics Rollout')).toBe(1);

      const customers = await stored('customers');
      const among = (input: object, which: (row: Record<string, unknown>) => boolean) => found(input, which, 'list_customers', customers);
      for (const industry of ['healthcare', 'Health', 'HEALTH'])
        expect(await among({ industry }, (row) => row['industry'] === 'Healthcare')).toBeGreaterThan(3);
      expect(await among({ industry: 'food & bev' }, (row) => row['industry'] === 'Food & Beverage')).toBeGreaterThan(1);
      for (const status of ['PROSPECT', 'active', 'Churned'])
        expect(await among({ status }, (row) => row['status'] === status.toUpperCase())).toBeGreaterThan(3);
      await among({ min_revenue: 50_000_000 }, (row) => Number(row['annual_revenue']) >= 50_000_000);
      await among(
        { min_revenue: 1_000_000, max_revenue: 5_000_000, status: 'ACTIVE' },
        (row) => row['status'] === 'ACTIVE' && Number(row['annual_revenue']) >= 1e6 && Number(row['annual_revenue']) <= 5e6,
      );
      expect(await among({ name: 'soylent' }, (row) => row['name'] === 'Soylent Foods')).toBe(1);
      expect(await among({ name: 'a' }, (row) => spelledPlainly(String(row['company'])).includes('a'))).toBeGreaterThan(50);

      const leads = await stored('leads');
      const promising = (input: object, which: (row: Record<string, unknown>) => boolean) => found(input, which, 'list_leads', leads);
      expect(await promising({ min_score: 80 }, (row) => Number(row['score']) >= 80)).toBeGreaterThan(10);
      for (const status of ['NEW', 'contacted', 'QUALIFIED', 'CONVERTED', 'DISQUALIFIED'])
        expect(await promising({ status }, (row) => row['status'] === status.toUpperCase())).toBeGreaterThan(0);
      expect(
        await promising({ source: 'trade show', owner: 'liam' }, (row) => row['source'] === 'TRADE_SHOW' && liams(row)),
      ).toBeGreaterThanOrEqual(0);
      expect(await promising({ source: 'web' }, (row) => row['source'] === 'WEB')).toBeGreaterThan(10);
      expect((await list('list_leads', { limit: 3 })).rows.map((row) => row['score'])).toEqual(
        leads
          .map((row) => Number(row['score']))
          .toSorted((a, b) => b - a)
          .slice(0, 3),
      );
    }, 60_000);

    test('a cursor is refused with other filters or another order, by another tool, or from another person', async () => {
      const { metadata } = await list('list_opportunities', { limit: 2 });
      const cursor = metadata?.nextCursor;
      expect(await ask(carol, 'list_opportunities', { limit: 2, cursor })).toBe('success');
      expect(await ask(carol, 'list_opportunities', { cursor, sort: 'newest' })).toBe('INVALID_CURSOR');
      expect(await ask(carol, 'list_opportunities', { cursor, stage: 'OPEN' })).toBe('INVALID_CURSOR');
      expect(await ask(eve, 'list_opportunities', { cursor })).toBe('INVALID_CURSOR');
      expect(await ask(carol, 'list_leads', { cursor })).toBe('INVALID_CURSOR');
    });
  });

  test('a malformed period is a validation error', async () => {
    for (const [tool, key] of [
      ['get_forecast', 'period'],
      ['get_pipeline', 'quarter'],
    ] as const) {
      for (const wrong of ['2026-Q5', 'Q0 2026', 'Q4', '2026-13', '', ' ', 'x'.repeat(5000), '2026-Q4\u0000', '{"$gt":""}'])
        expect([tool, wrong.slice(0, 20), await ask(carol, tool, { [key]: wrong })]).toEqual([
          tool,
          wrong.slice(0, 20),
          'VALIDATION_ERROR',
        ]);
      const answer = await testRuntime.call(carol, 'sales', tool, { [key]: '2026-Q5' });
      expect(answer).toMatchObject({ message: 'There is no quarter Q5: quarters are Q1 to Q4, as in 2026-Q4.', retryable: false });
      expect(await ask(carol, tool, { [key]: '2031-Q1' })).toBe('success');
    }
    expect(await ask(carol, 'get_pipeline', { quarter: '2026' })).toBe('VALIDATION_ERROR');
  });

  test('hostile input is refused or matched as plain text', async () => {
    const inputs: unknown[] = [
      null,
      {},
      [],
      { $ne: null },
      { $gt: '' },
      ['x'],
      true,
      5,
      { $where: 'sleep(1000)' },
      '',
      'x'.repeat(100_000),
      '\u202e',
      'a\u0000b',
    ];
    for (const tool of Object.values(sales)) {
      // tests/contract/list-filters.test.ts covers the filters that follow from the fields.
      const declared = Object.entries(tool.input.shape).filter(([, schema]) => schema.meta()?.['filter'] === undefined);
      for (const [key] of declared) {
        const valid = {
          ...(/^(close|delete|get)_opportunity$/.test(tool.name) && { opportunity_id: NOBODY }),
          ...(tool.name === 'close_opportunity' && { outcome: 'won' }),
        };
        for (const thing of inputs) {
          const isNumber = typeof thing === 'number' && /value|revenue|limit|score/.test(key);
          if (isNumber) continue;
          // Reasons and notes may be empty; an address is an object.
          if (thing === '' && /reason|notes/.test(key)) continue;
          const answer = await testRuntime.call(carol, 'sales', tool.name, { ...valid, [key]: thing });
          expect([tool.name, key, JSON.stringify(thing).slice(0, 30), code(answer)]).toEqual([
            tool.name,
            key,
            JSON.stringify(thing).slice(0, 30),
            key === 'cursor' && typeof thing === 'string'
              ? expect.stringMatching(/^(VALIDATION_ERROR|INVALID_CURSOR)$/)
              : 'VALIDATION_ERROR',
          ]);
        }
      }
      for (const extra of [{ $where: '1' }, { __proto__x: 1 }, { filter: {} }, { user_id: 'x' }, { 'stage.$ne': 'x' }])
        expect(await ask(carol, tool.name, extra)).toBe('VALIDATION_ERROR');
    }
    const texts = [
      '$where',
      '.*',
      '^A',
      '(a+)+$',
      '%',
      '_',
      "' or 1=1 --",
      '{"$ne":1}',
      '\\',
      '[',
      '*',
      '$',
      'constructor',
      '__proto__',
      'a'.repeat(100),
    ];
    for (const text of texts) {
      for (const [tool, key] of [
        ['list_opportunities', 'name'],
        ['list_opportunities', 'owner'],
        ['list_customers', 'name'],
        ['list_customers', 'industry'],
        ['list_leads', 'owner'],
        ['list_leads', 'name'],
      ] as const) {
        const { rows } = await list(tool, { [key]: text, limit: 50 });
        // Text without letters and digits finds nothing.
        const plain = key === 'industry' ? text.toLowerCase() : spelledPlainly(text);
        if (plain === '') expect([tool, key, text, rows.length]).toEqual([tool, key, text, 0]);
        for (const row of rows) {
          const whole = spelledPlainly(JSON.stringify(row));
          for (const word of plain.split(' ')) expect(whole).toContain(word);
        }
      }
    }
    for (const [from, to] of [
      ['2026-02-30', undefined],
      ['2026-12-01', '2026-11-01'],
      ['0000-01-01', undefined],
    ])
      expect(await ask(carol, 'list_opportunities', { closing_from: from, ...(to && { closing_to: to }) })).toBe('VALIDATION_ERROR');
    for (const input of [
      { min_value: -1 },
      { min_value: 10.001 },
      { min_value: 5, max_value: 4 },
      { max_value: 1e300 },
      { min_value: Infinity },
    ])
      expect([input, await ask(carol, 'list_opportunities', input)]).toEqual([input, 'VALIDATION_ERROR']);
    for (const input of [{ min_score: 101 }, { min_score: -1 }, { min_score: 80.5 }])
      expect(await ask(carol, 'list_leads', input)).toBe('VALIDATION_ERROR');
  }, 60_000);

  test('an unknown id is not found, with a hint to the list tool', async () => {
    for (const [tool, input, wanted] of [
      ['get_customer', { customer_id: NOBODY }, 'CUSTOMER_NOT_FOUND'],
      ['delete_customer', { customer_id: NOBODY }, 'CUSTOMER_NOT_FOUND'],
      ['close_opportunity', { opportunity_id: NOBODY, outcome: 'won' }, 'OPPORTUNITY_NOT_FOUND'],
      ['delete_opportunity', { opportunity_id: NOBODY }, 'OPPORTUNITY_NOT_FOUND'],
      // The id of a deal is not the id of a customer.
      ['get_customer', { customer_id: '0d000000-0000-4000-8000-000000000001' }, 'CUSTOMER_NOT_FOUND'],
      ['close_opportunity', { opportunity_id: GLOBEX, outcome: 'won' }, 'OPPORTUNITY_NOT_FOUND'],
    ] as const) {
      const answer = await testRuntime.call(carol, 'sales', tool, input);
      expect([tool, code(answer)]).toEqual([tool, wanted]);
      expect(answer).toMatchObject({ suggestedAction: expect.stringMatching(/list_(customers|opportunities)/), retryable: false });
    }
    expect(await ask(carol, 'get_customer', { customer_id: 'Globex' })).toBe('VALIDATION_ERROR');
    expect((await testRuntime.data(carol, 'sales', 'get_customer', { customer_id: GLOBEX.toUpperCase() }))['name']).toBe(
      'Globex Industries',
    );
  });
});
