import { z } from 'zod';
import { companyText, day, line, storedId, storedTime, untrusted, untrustedValue } from '../../../src/declare/fields.ts';
import { desc } from '../../../src/declare/order.ts';
import { anywhere } from '../../../src/declare/sql.ts';
import { tax } from '../domain.ts';
import { type Days, readDays, yearOf } from '../periods.ts';
import { type Refuse, readers } from '../schemas.ts';

const action = z.enum(['create', 'update', 'delete', 'submit', 'approve', 'reject']);
const entityType = z.enum(['sales_tax_rate', 'quarterly_estimate', 'annual_filing', 'state_registration']);
const RANGE = 'Give date_range as 2026-10-01..2026-10-31, as 2026-10, 2026-Q4 or 2026, or as {"from": "2026-10-01", "to": "2026-10-31"}.';
const range = z.union(
  [
    line(40).min(1),
    z.strictObject({
      from: day.optional().describe('First day'),
      to: day.optional().describe('Last day'),
      start: day.optional().describe('The same as from'),
      end: day.optional().describe('The same as to'),
    }),
  ],
  RANGE,
);
interface Asked {
  readonly date_from?: string | undefined;
  readonly date_to?: string | undefined;
  readonly date_range?: z.output<typeof range> | undefined;
}

/** A caller gives either date_range, or date_from and date_to. Both together are an error. */
function daysOf({ date_from, date_to, date_range }: Asked, fail: Refuse): Days {
  const refuse = (message: string) => fail('VALIDATION_ERROR', { message });
  if (date_range !== undefined && (date_from ?? date_to) !== undefined)
    return refuse('Give either date_range, or date_from and date_to, not both.');
  const days = date_range === undefined ? { from: date_from, to: date_to } : (rangeOf(date_range) ?? refuse(RANGE));
  if (days.from !== undefined && days.to !== undefined && days.from > days.to) return refuse('The first day comes after the last one.');
  return days;
}
function rangeOf(given: z.output<typeof range>): Days | undefined {
  if (typeof given === 'string') return readDays(given);
  const { from, to, start, end } = given;
  const one = (from ?? to) !== undefined;
  const other = (start ?? end) !== undefined;
  return one === other ? undefined : { from: from ?? start, to: to ?? end };
}

const thisMonth = (today: string) => `${today.slice(0, 7)}-01`;

export const listAuditLogs = tax.list({
  name: 'list_audit_logs',
  title: 'Tax audit log',
  description:
    'Who created, changed, deleted, submitted, approved or rejected which tax record, with the values before and after, the latest ' +
    'first. Tax and account numbers show only their last four digits. The range includes its first and last day.',
  plural: 'audit log entries',
  roles: readers,
  input: z.object({
    date_from: day.optional().describe('Only entries of this day or later'),
    date_to: day.optional().describe('Only entries of this day or earlier'),
    date_range: range
      .optional()
      .describe(
        'In place of date_from and date_to: 2026-10-01..2026-10-31, a month 2026-10, a quarter 2026-Q4, a year 2026, or from and to',
      ),
    event_type: action.optional().describe('What was done'),
    entity_type: entityType.optional().describe('Only entries about this kind of record'),
    user: line(100).min(1).optional().describe('Any part of the name of the person who did it'),
  }),
  item: z.object({
    log_id: storedId,
    at: storedTime,
    action,
    entity_type: entityType,
    entity_id: storedId,
    user_id: storedId,
    user_name: companyText,
    before: z.record(companyText, untrustedValue).nullable(),
    after: z.record(companyText, untrustedValue).nullable(),
    notes: untrusted.nullable(),
  }),
  order: desc('at', 'log_id'),
  examples: [
    { question: 'What changed in the tax records this month?', as: 'tom.becker', input: (today) => ({ date_from: thisMonth(today) }) },
    { question: 'Show the tax audit log', as: 'eve.thompson', input: {} },
    { question: 'Which tax records did Tom Becker update?', as: 'bob.martinez', input: { event_type: 'update', user: 'Tom Becker' } },
    {
      question: 'Who approved tax filings last year?',
      as: 'eve.thompson',
      input: (today) => ({ date_range: String(yearOf(today) - 1), event_type: 'approve' as const, entity_type: 'annual_filing' as const }),
    },
    {
      question: 'Were any tax records deleted this year?',
      as: 'tom.becker',
      input: (today) => ({ date_from: `${yearOf(today)}-01-01`, date_to: today, event_type: 'delete' as const }),
    },
    {
      question: 'Changes to tax records today, and all of this month',
      as: 'tom.becker',
      input: (today) => ({ date_from: today, date_range: today.slice(0, 7) }),
      expects: 'VALIDATION_ERROR',
    },
  ],

  find({ date_from, date_to, date_range, event_type, entity_type, user }, { sql, fail }) {
    const { from, to } = daysOf({ date_from, date_to, date_range }, fail);
    // "tom.becker" finds Tom Becker.
    const name = user?.replace(/(?<=\p{L})\.(?=\p{L})/gu, ' ') ?? '';
    return sql`
      select * from tax.audit_logs where true ${sql.given({ action: event_type, entity_type })}
      ${sql.when(from, () => sql`at >= ${from}::date`)}
      ${sql.when(to, () => sql`at < ${to}::date + 1`)}
      ${sql.when(user, () => sql`user_name ilike ${anywhere(name)}`)}`;
  },
});
