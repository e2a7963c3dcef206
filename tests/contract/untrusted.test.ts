/** Which text of which answers was written by people is said where the answer is declared: a new field is one or the other, never neither. */
import { describe, expect, test } from 'vitest';
import { allTools } from '../../src/app/registry.ts';
import { holdsUntrustedText } from '../../src/assistant/untrusted-text.ts';
import { jsonSchema } from '../../src/core/derive/answers.ts';
import type { Tool } from '../../src/core/tool.ts';

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Names, codes, places and periods: what a thing is called, not what somebody says. */
const LABELS = new Set(
  `account_last4 account_owner_name adr_id after agency agent agent_name approved_by_name assigned_to_name author author_name bank_name before business_name by
  by_component changed_by city closed_by_name code company components confirmation_number contact_name country created_by_name currency customer_name day deal_name department
  ein_last4 employee_name filing_status first_name form home_address id industry invited_by job_title jurisdiction last_name location manager_name month name opened_by
  owner_name paid_by_name period phone plan_name prepared_by quarter receipt record_id recorded_by region reimbursed_by_name rejected_by_name related_topics resolved_by_name
  routing_last4 service ssn state state_name status street submitted_by_name tags tax_number_last4 title topics type_name uri user_name vendor_id vendor_name versions when zip`.split(
    /\s+/,
  ),
);
/** Words of ours, or of the asker's own. */
const OURS = new Set([
  'get_payroll_summary.note',
  'get_pay_stub.description',
  'list_tasks.description',
  // How customers name the tickets of their own organisation.
  'customer_list_tickets.subject',
  'customer_list_tickets.highlights',
  'customer_get_ticket.subject',
]);

function freeText(tool: Tool): string[] {
  const found = new Set<string>();
  const walk = (schema: unknown, name: string): void => {
    if (!isSchema(schema) || schema['untrusted'] === true) return;
    const inner = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (Array.isArray(schema[key]) ? (schema[key] as unknown[]) : []));
    for (const each of inner) walk(each, name);
    for (const [key, each] of Object.entries(isSchema(schema['properties']) ? schema['properties'] : {})) walk(each, key);
    for (const each of Object.values(isSchema(schema['$defs']) ? schema['$defs'] : {})) walk(each, name);
    walk(schema['items'], name);
    walk(schema['additionalProperties'], name);
    const told = ['enum', 'const', 'format', '$ref', 'anyOf', 'oneOf', 'allOf'].some((key) => key in schema);
    if (!told && (schema['type'] === undefined || [schema['type']].flat().includes('string'))) found.add(name);
  };
  walk(jsonSchema(tool.output, 'output'), 'whole');
  return [...found].filter((name) => !LABELS.has(name) && !OURS.has(`${tool.name}.${name}`));
}

const reading = allTools().tools.filter(({ kind }) => kind === 'read' || kind === 'list');

test.each(reading.map((tool) => [`${tool.domain.name}.${tool.name}`, tool] as const))(
  '%s says of each text whether people wrote it',
  (_, tool) => {
    // A text that people write takes `untrusted` of core/fields.ts; a name or a code joins the list above.
    expect(freeText(tool)).toEqual([]);
  },
);

describe('an answer', () => {
  const find = (server: string, name: string) => allTools().find(server, name) ?? expect.fail(name);
  const success = (data: unknown) => ({ status: 'success' as const, data });

  test('holds untrusted text where such a field has any', () => {
    const tickets = find('support', 'search_tickets');
    expect(holdsUntrustedText(tickets, success([{ ticket_id: 'x', subject: 'Urgent' }]))).toBe(true);
    expect(holdsUntrustedText(tickets, success([]))).toBe(false);
    expect(holdsUntrustedText(find('support', 'customer_get_ticket'), success({ subject: 'a', comments: [{ body: 'b' }] }))).toBe(true);
    expect(holdsUntrustedText(find('finance', 'list_invoices'), success([{ description: 'x' }]))).toBe(true);
    expect(holdsUntrustedText(find('hr', 'list_team_time_off_requests'), success([{ notes: null, approver_notes: null }]))).toBe(false);
    expect(holdsUntrustedText(find('hr', 'list_team_time_off_requests'), success([{ notes: 'please' }]))).toBe(true);
  });

  test('does not where it is a name, a look-up, a refusal or what the person just said', () => {
    expect(holdsUntrustedText(find('hr', 'find_employees'), success([{ name: 'Sarah Kim' }]))).toBe(false);
    expect(
      holdsUntrustedText(find('support', 'customer_list_tickets'), success([{ subject: 'SSO', highlights: { subject: ['SSO'] } }])),
    ).toBe(false);
    expect(holdsUntrustedText(find('tasks', 'list_tasks'), success([{ title: 'mine', description: 'mine' }]))).toBe(false);
    expect(holdsUntrustedText(find('support', 'customer_add_comment'), success({ subject: 'x', comment: { body: 'mine' } }))).toBe(false);
    expect(holdsUntrustedText(undefined, success('x'))).toBe(false);
  });
});
