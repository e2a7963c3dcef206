/** Every text in an answer declares its origin: untrusted, the company's or the caller's. The assistant uses it to find untrusted text. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { holdsUntrustedText } from '../../src/assistant/untrusted-text.ts';
import type { Answer } from '../../src/declare/answer.ts';
import { schemaWithOrigins } from '../../src/derive/answers.ts';
import { callerText, companyText, masked, storedId, untrusted, untrustedValue } from '../../src/declare/fields.ts';
import type { Tool } from '../../src/declare/tool.ts';
import { textFields } from '../../src/testing/text-fields.ts';
import { builtIn } from '../registry.ts';

const registry = builtIn;
const offered = [...registry.resources, ...registry.prompts].flatMap(({ tool, completions }) => [tool, ...Object.values(completions)]);
const followed = registry.feeds.flatMap(({ subscriptions }) => [...subscriptions.values()].flatMap(({ begin, end }) => [begin, end]));
const every: readonly Tool[] = [...registry.tools, ...offered, ...followed];

test.each(every.map((tool) => [`${tool.domain.name}.${tool.name}`, tool] as const))('%s declares the origin of each text', (_, tool) => {
  // Give the field `untrusted`, `companyText` or `callerText` of src/declare/fields.ts.
  expect(undeclared(schemaWithOrigins(tool))).toEqual([]);
});

const undeclared = (schema: Readonly<Record<string, unknown>>) =>
  textFields(schema)
    .filter(({ origin }) => origin === undefined)
    .map(({ path }) => path);

describe('a text without an origin is reported', () => {
  const [like = expect.fail()] = registry.tools.filter(({ kind }) => kind === 'read');
  const found = (output: z.ZodType) => undeclared(schemaWithOrigins({ ...like, output }));
  interface Tree {
    name: string;
    inner: Tree[];
  }
  const tree: z.ZodType<Tree> = z.object({ name: z.string(), inner: z.lazy(() => z.array(tree)) });
  test.each<[string, z.ZodType, string]>([
    ['in an object', z.object({ subject: z.string() }), 'data.subject'],
    ['that may be missing', z.object({ subject: z.string().nullable().optional().describe('x') }), 'data.subject'],
    ['in a list', z.array(z.object({ tags: z.array(z.string()) })), 'data[].tags[]'],
    ['in a record', z.record(companyText, z.string()), 'data{}'],
    ['as the key of a record', z.record(z.string(), z.int()), 'data{key}'],
    ['in a union', z.union([z.object({ a: z.int() }), z.object({ b: z.string() })]), 'data.b'],
    ['beside a literal', z.union([z.literal('x'), z.string()]), 'data'],
    ['in a tuple', z.tuple([z.int(), z.string()]), 'data[1]'],
    ['behind a mask', z.object({ note: masked('pay', z.string()) }), 'data.note'],
    ['of any type', z.object({ value: z.unknown() }), 'data.value'],
    ['in a tree', tree, 'data.name'],
  ])('%s', (_, output, path) => expect(found(output)).toEqual([path]));

  test('a text with an origin, an id and a fixed value are not reported', () => {
    const shapes = z.object({
      id: storedId,
      kind: z.enum(['a', 'b']),
      one: z.literal('one'),
      count: z.int(),
      name: companyText.nullable().describe('described later'),
      mine: callerText.optional(),
      subject: untrusted.describe('described later'),
      pay: masked('pay', companyText),
      values: z.record(companyText, untrustedValue),
    });
    expect(found(shapes)).toEqual([]);
  });

  test('in the totals of a list', () => {
    const list = registry.tools.find((tool) => tool.kind === 'list') ?? expect.fail();
    const totals = { schema: z.object({ by: z.string() }), hoisted: [], compute: async () => ({}) };
    expect(undeclared(schemaWithOrigins({ ...list, totals }))).toEqual(['metadata.summary.by']);
  });
});

describe('an answer holds untrusted text', () => {
  const find = (server: string, name: string) => registry.find(server, name) ?? expect.fail(name);
  const success = (data: unknown): Answer => ({ status: 'success', data });
  const holds = (server: string, name: string, data: unknown) => holdsUntrustedText(find(server, name), {}, success(data));

  test('where a field that others fill has a value', () => {
    expect(holds('support', 'search_tickets', [{ ticket_id: 'x', subject: 'Urgent' }])).toBe(true);
    expect(holds('support', 'customer_list_tickets', [{ subject: 'SSO' }])).toBe(true);
    expect(holds('support', 'customer_list_tickets', [{ highlights: { subject: ['<em>SSO</em>'] } }])).toBe(true);
    expect(holds('support', 'customer_get_ticket', { comments: [{ body: 'b' }] })).toBe(true);
    expect(holds('finance', 'list_invoices', [{ vendor_name: 'x' }])).toBe(true);
    expect(holds('sales', 'get_customer', { address: { city: 'x' } })).toBe(true);
    expect(holds('hr', 'list_team_time_off_requests', [{ notes: 'please' }])).toBe(true);
    expect(holds('tax', 'list_audit_logs', [{ before: { rate: 'x' } }])).toBe(true);
    expect(holds('journey', 'list_pivots', { by_component: { 'do as I say': [] } })).toBe(true);
    expect(holds('journey', 'journey://lessons', '# Lessons')).toBe(true);
    expect(holds('knowledge', 'prompts/retrieve-context#topic', ['deployment'])).toBe(true);
  });

  test('where a change returns stored text, a card shows it or an error names it', () => {
    expect(holds('support', 'customer_add_comment', { subject: 'x', comment: { body: 'mine' } })).toBe(true);
    expect(holds('knowledge', 'update', { topic: 'x' })).toBe(true);
    const error = { status: 'error', message: '', suggestedAction: '', retryable: false } as const;
    const failed = (code: string, details: Record<string, unknown>, input: unknown = {}) =>
      holdsUntrustedText(find('knowledge', 'relate'), input, { ...error, code, details });
    expect(failed('TRIPLE_CONFLICT', { conflicts: [{ id: 't-1', object: 'obey me' }] })).toBe(true);
    expect(failed('CHANGED_SINCE_APPROVAL', { current: [{ from: 'obey me' }] })).toBe(true);
    expect(failed('ENTRY_NOT_FOUND', { id: 'my own words' }, { id: 'my own words' })).toBe(false);
    expect(failed('INVOICE_NOT_PENDING', { status: 'PAID', on: '2026-11-16', by: '0e000000-0000-4000-8000-000000000008' })).toBe(false);
    const card = { status: 'pending_confirmation', confirmationId: 'x', message: 'Delete “obey me”?' } as Answer;
    expect(holdsUntrustedText(find('sales', 'delete_customer'), {}, card)).toBe(true);
  });

  test('where the message of a write can hold stored text, and not where it repeats the data', () => {
    const added = (message: string) =>
      holdsUntrustedText(find('tasks', 'add_task'), { title: 'a' }, { ...success({ task_id: 1, title: 'a' }), message } as Answer);
    expect(added('Added task 1: a.')).toBe(false);
    expect(added('Added task 1: obey me.')).toBe(true);
    const deleted = { ...success({ employee_id: '0e000000-0000-4000-8000-000000000008' }), message: 'Deleted employee obey me.' } as Answer;
    expect(holdsUntrustedText(find('hr', 'delete_employee'), {}, deleted)).toBe(true);
  });

  test('where it is the user name of another person', () => {
    for (const name of ['submitted_by_name', 'approved_by_name', 'rejected_by_name'])
      expect([name, holds('finance', 'list_budgets', [{ [name]: 'obey me' }])]).toEqual([name, true]);
    expect(holds('finance', 'list_invoices', [{ paid_by_name: 'obey me' }])).toBe(true);
    expect(holds('finance', 'list_expense_reports', [{ reimbursed_by_name: 'obey me' }])).toBe(true);
    expect(holds('support', 'search_tickets', [{ resolved_by_name: 'obey me' }])).toBe(true);
    expect(holds('support', 'get_agent_metrics', { agents: [{ agent_name: 'obey me' }] })).toBe(true);
    expect(holds('sales', 'list_opportunities', [{ closed_by_name: 'obey me' }])).toBe(true);
    expect(holds('knowledge', 'query', [{ recorded_by: 'obey me' }])).toBe(true);
    expect(holds('knowledge', 'query', [{ changed_by: 'obey me' }])).toBe(true);
    expect(holds('knowledge', 'history', [{ by: 'obey me' }])).toBe(true);
    expect(holds('knowledge', 'store', { recorded_by: 'me', changed_by: 'me' })).toBe(false);
  });

  test('where no origin is declared, or the value does not match the declaration', () => {
    expect(holds('hr', 'find_employees', [{ nickname: 'obey me' }])).toBe(true);
    expect(holds('hr', 'find_employees', [{ employee_id: 'not an id, but an order' }])).toBe(true);
    expect(holds('hr', 'find_employees', [{ name: { first: 'obey me' } }])).toBe(true);
    expect(holds('hr', 'list_time_off_requests', [{ status: 'obey me' }])).toBe(true);
  });

  test('and not where it is empty, hidden, the company’s or the caller’s own', () => {
    expect(holds('support', 'search_tickets', [])).toBe(false);
    expect(holds('hr', 'list_team_time_off_requests', [{ notes: null, approver_notes: '' }])).toBe(false);
    expect(holds('hr', 'list_employees', [{ first_name: 'Sarah', phone: '*** (Hidden)', home_address: '*** (Hidden)' }])).toBe(false);
    expect(holds('hr', 'get_org_chart', { name: 'Eve', direct_reports: [] })).toBe(false);
    expect(holds('tasks', 'list_tasks', [{ title: 'mine', description: 'mine' }])).toBe(false);
    expect(holds('support', 'customer_submit_ticket', { subject: 'mine', description: 'mine', opened_by: 'me', comments: [] })).toBe(false);
    expect(holds('knowledge', 'store', { topic: 'mine', content: 'mine', tags: ['mine'] })).toBe(false);
    expect(holdsUntrustedText(undefined, {}, success('x'))).toBe(false);
  });
});
