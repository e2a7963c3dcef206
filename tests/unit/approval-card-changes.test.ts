/** Which values an approval card shows as changes, and how it words lower amounts and states. */
import { expect, test } from 'vitest';
import type { CardChange } from '../../src/declare/answer.ts';
import { card } from '../../src/gateway/pages/card.ts';
import type { ConfirmationState } from '../../src/gateway/pages/state.ts';

const NOW = new Date('2026-11-16T10:00:00Z');
const change = (field: string, from: unknown, to: unknown, format: CardChange['format'] = 'text'): CardChange => ({
  field,
  label: field,
  from,
  to,
  format,
  ...(format === 'money' && { currency: 'USD' }),
});
const drawn = (changes: readonly CardChange[], state: ConfirmationState['state'] = 'waiting') => {
  const confirmation = {
    state,
    confirmationId: 'c',
    message: 'Done',
    confirmationData: {
      action: 'approve_expense_report',
      mcpServer: 'finance',
      userId: 'u',
      timestamp: NOW.getTime(),
      expiresAt: '2026-11-16T10:05:00Z',
      approvalUrl: '',
      summary: 'Approve the report',
      subject: { label: 'EXP-1', id: '1' },
      changes,
      reason: null,
      destructive: false,
      origin: 'web',
    },
  } as unknown as ConfirmationState;
  return card(confirmation, { person: 'Bob', now: NOW }).markup;
};
const rows = (page: string) => page.match(/<table class="diff">.*?<\/table>/s)?.[0] ?? '';
const text = (page: string) => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

test('a value that stays is no change, but the person reads it', () => {
  const page = drawn([change('amount', 533.85, 533.85, 'money'), change('status', 'SUBMITTED', 'APPROVED')]);
  expect(text(rows(page))).not.toContain('533.85');
  expect(text(page)).toContain('amount $533.85');
});
test('states read as words, and other codes stay as they are', () => {
  const page = drawn([change('status', 'PENDING_APPROVAL', 'APPROVED'), change('vendor', 'ACME', 'IBM')]);
  expect(text(rows(page))).toMatch(/Pending approval Approved/);
  expect(text(rows(page))).toContain('ACME IBM');
  expect(text(drawn([change('amount', 5, 5, 'money'), change('status', 'SUBMITTED', 'APPROVED')], 'done'))).toContain(
    'status of EXP-1 is now Approved . It was Submitted .',
  );
});
test('a lower amount is said to be lower, and a higher one is not', () => {
  expect(text(rows(drawn([change('salary', 120_000, 110_000, 'money')])))).toContain('−$10,000, 8.3% lower');
  expect(text(rows(drawn([change('salary', 110_000, 120_000, 'money')])))).not.toContain('lower');
});
