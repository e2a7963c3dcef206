/** Results of the support tools on the sample tickets: examples, roles, search, pages and filters. */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, SuccessAnswer } from '../../src/declare/answer.ts';
import { jsonSchema } from '../../src/derive/answers.ts';
import * as support from '../../domains/support/index.ts';
import { code, type Data, openTestRuntime, person, SAMPLE_DAY, type TestRuntime } from '../test-runtime.ts';
import { searchStores } from '../test-runtime-search.ts';
import { STAFF_ROLES, CUSTOMER_ROLES } from '../registry.ts';

const [eve, dan] = ['eve.thompson', 'dan.williams'] as const;
const TODAY = SAMPLE_DAY.toISOString().slice(0, 10);

describe.each(searchStores)('the support tools on %s', (_name, search) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ search, tools: Object.values(support) });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  type Who = Parameters<TestRuntime['call']>[0];
  const list = async (who: Who, tool: string, input: object = {}) => {
    const answer = (await testRuntime.call(who, 'support', tool, input)) as SuccessAnswer;
    if (answer.status !== 'success') throw new Error(JSON.stringify(answer));
    return { rows: answer.data as Data, metadata: answer.metadata };
  };
  async function pages(who: Who, tool: string, input: object = {}): Promise<Data> {
    const rows: Record<string, unknown>[] = [];
    for (let cursor: string | undefined, first = true; first || cursor; first = false) {
      const { rows: page, metadata } = await list(who, tool, { ...input, ...(cursor && { cursor }) });
      rows.push(...page);
      cursor = metadata?.nextCursor;
    }
    return rows as Data;
  }

  test('every example gives its declared answer, and a repeated change gives the same card', async () => {
    const shown = (answer: Answer) => (answer.status === 'pending_confirmation' ? answer.confirmationData : answer);
    expect(Object.keys(support).length).toBe(15);
    for (const tool of Object.values(support)) {
      expect(tool.examples.length, tool.name).toBeGreaterThanOrEqual(3);
      expect(() => jsonSchema(tool.output, 'output')).not.toThrow();
      for (const { question, as, input, expects } of tool.examples) {
        const answer = await testRuntime.call(as, 'support', tool.name, input(TODAY));
        expect([tool.name, question, code(answer)]).toEqual([
          tool.name,
          question,
          expects ?? (tool.kind === 'write' ? 'pending_confirmation' : 'success'),
        ]);
        if (answer.status === 'pending_confirmation')
          expect(isDeepStrictEqual(shown(await testRuntime.call(as, 'support', tool.name, input(TODAY))), shown(answer))).toBe(true);
        if (answer.status === 'success' && tool.kind === 'list') expect((answer.data as Data).length, question).toBeGreaterThan(0);
      }
    }
  });

  test('the roles are those of the specification', () => {
    const opensTo = Object.fromEntries(Object.values(support).map(({ name, roles }) => [name, [...roles].sort().join(' ')]));
    const [readers, writers, customers] = ['executive support-read', 'executive support-write', 'basic-customer lead-customer'];
    expect(opensTo).toEqual({
      search_tickets: readers,
      search_knowledge_base: readers,
      get_knowledge_article: readers,
      get_sla_summary: readers,
      get_sla_tickets: readers,
      get_agent_metrics: readers,
      close_ticket: writers,
      customer_list_tickets: customers,
      customer_get_ticket: customers,
      customer_submit_ticket: customers,
      customer_add_comment: customers,
      customer_search_kb: customers,
      customer_list_contacts: 'lead-customer',
      customer_invite_contact: 'lead-customer',
      customer_transfer_lead: 'lead-customer',
    });
  });

  test('every tool refuses every role that does not open it', async () => {
    for (const tool of Object.values(support)) {
      const opens = new Set<string>(tool.roles);
      const input = tool.examples[0]?.input(TODAY) ?? {};
      for (const role of [...STAFF_ROLES, ...CUSTOMER_ROLES]) {
        if (opens.has(role) || (role === 'support-write' && opens.has('support-read'))) continue;
        const who = (CUSTOMER_ROLES as readonly string[]).includes(role)
          ? person('jane.smith@acme.example', { roles: [role] })
          : person('frank.davis', { roles: [role] });
        expect([tool.name, role, code(await testRuntime.call(who, 'support', tool.name, input))]).toEqual([
          tool.name,
          role,
          'INSUFFICIENT_PERMISSIONS',
        ]);
      }
    }
  });

  test('a search finds words, even with typos, and the best match comes first', async () => {
    const first = async (query: string) => (await list(dan, 'search_tickets', { query })).rows[0]?.['subject'];
    for (const subject of [
      'Dashboard export to CSV times out',
      'SSO certificate expired',
      'API returns 429 during nightly sync',
      'Invoice shows wrong billing address',
      'Webhook deliveries delayed',
      'Urgent: read me first',
      'Please forward to the assistant',
    ])
      expect(await first(subject)).toBe(subject);
    expect(await first('dashbord exprot csv timeout')).toBe('Dashboard export to CSV times out');
    expect(await first('certificat expired')).toBe('SSO certificate expired');
    const { rows } = await list(dan, 'search_tickets', { query: 'login' });
    expect(rows.length).toBeGreaterThan(5);
    expect(JSON.stringify(rows[0]?.['highlights'])).toMatch(/<em>log.?in/i);
    const scores = rows.map((row) => Number(row['_score']));
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect((await list(dan, 'search_tickets', { query: 'qqqqzzzz' })).rows).toEqual([]);
    const article = async (query: string) => (await list(dan, 'search_knowledge_base', { query })).rows[0]?.['title'];
    expect(await article('single sign-on')).toBe('Setting up single sign-on (SSO)');
    expect(await article('API rate limits')).toBe('API rate limits');
    expect(await article('reset your pasword')).toBe('How to reset your password');
  });

  test('search words are never interpreted as query syntax of a store', async () => {
    const hostile = [
      'internal_notes:*',
      '_exists_:ticket_id',
      '/(.*a){20}/',
      '*',
      '"',
      '") OR 1=1 --',
      'a AND NOT (',
      'NEAR(a b)',
      '{"match_all":{}}',
      'x'.repeat(500),
      'a '.repeat(240),
    ];
    for (const query of hostile)
      expect([query, code(await testRuntime.call(dan, 'support', 'search_tickets', { query }))]).toEqual([query, 'success']);
    expect(code(await testRuntime.call(dan, 'support', 'search_tickets', { query: 'x'.repeat(501) }))).toBe('VALIDATION_ERROR');
    expect(code(await testRuntime.call(dan, 'support', 'search_tickets', { query: { match_all: {} } }))).toBe('VALIDATION_ERROR');
    expect(code(await testRuntime.call(dan, 'support', 'search_tickets', { customer_id: 'Globex' }))).toBe('VALIDATION_ERROR');
  });

  test('without words the newest ticket comes first, and the pages contain every ticket once', async () => {
    const all = await pages(dan, 'search_tickets');
    expect(all.length).toBeGreaterThanOrEqual(1000);
    expect(new Set(all.map((row) => row['ticket_id'])).size).toBe(all.length);
    const times = all.map((row) => String(row['created_at']));
    expect(times).toEqual(times.toSorted().toReversed());
    const { rows, metadata } = await list(dan, 'search_tickets', { query: ' ', limit: 3 });
    expect(rows.map((row) => row['ticket_id'])).toEqual(all.slice(0, 3).map((row) => row['ticket_id']));
    expect(metadata).toMatchObject({ hasMore: true, returnedCount: 3, truncated: true, totalCount: '3+' });
  });

  test('pages of a search contain each match once', async () => {
    for (const query of ['export', 'login problems', 'Globex']) {
      const all = await pages(dan, 'search_tickets', { query, limit: 7 });
      expect(new Set(all.map((row) => row['ticket_id'])).size).toBe(all.length);
      expect(all.length).toBeGreaterThan(7);
      const whole = await pages(dan, 'search_tickets', { query, limit: 50 });
      expect(all.map((row) => row['ticket_id'])).toEqual(whole.map((row) => row['ticket_id']));
    }
  });

  test('filters return only matching tickets, alone and combined', async () => {
    for (const status of ['open', 'in_progress', 'pending', 'resolved', 'closed'] as const)
      expect(new Set((await list(dan, 'search_tickets', { status })).rows.map((row) => row['status']))).toEqual(new Set([status]));
    const critical = await pages(dan, 'search_tickets', { status: 'Open', priority: 'CRITICAL' });
    expect(critical.length).toBeGreaterThan(0);
    for (const row of critical) expect([row['status'], row['priority']]).toEqual(['open', 'critical']);
    const globex = await pages(dan, 'search_tickets', { customer_id: '0a000000-0000-4000-8000-000000000002', query: 'certificate' });
    for (const row of globex) expect(row['customer_name']).toBe('Globex Industries');
    expect((await list(dan, 'search_tickets', { customer_id: '0a0fffff-0000-4000-8000-000000000002' })).rows).toEqual([]);
  });

  test('the knowledge base lists published articles, and returns any article by its id', async () => {
    const all = await pages(eve, 'search_knowledge_base');
    expect(all.length).toBe(95);
    expect(new Set(all.map((row) => row['status']))).toEqual(new Set(['published']));
    const billing = await pages(dan, 'search_knowledge_base', { category: 'billing' });
    expect(billing.length).toBeGreaterThan(5);
    expect(new Set(billing.map((row) => row['category']))).toEqual(new Set(['billing']));
    const draft = await testRuntime.data(dan, 'support', 'get_knowledge_article', { article_id: '0b100000-0000-4000-8000-000000000096' });
    expect(draft).toMatchObject({ status: 'draft', title: 'Exporting to Parquet' });
    expect(String(draft['content']).length).toBeGreaterThan(20);
    expect(all.some((row) => row['article_id'] === draft['article_id'])).toBe(false);
  });
});
