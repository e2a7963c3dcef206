/** Calls over the rate limit leave a bounded number of audit records, which count every call. */
import { expect, test } from 'vitest';
import type { AuditRecord } from '../../src/engine/ports.ts';
import { boundRateLimited } from '../../src/storage/audit/rate-limited.ts';
import { example } from '../ports/audit-test-store.ts';

function opened() {
  const records: AuditRecord[] = [];
  let now = Date.UTC(2026, 0, 1);
  const clock = { now: () => new Date(now) };
  const log = boundRateLimited({ append: async (record) => void records.push(record) }, clock);
  const over = (principal: string): AuditRecord => ({ ...example(1), principal, decision: 'failed', code: 'RATE_LIMITED' });
  return { log, records, over, pass: (seconds: number) => void (now += seconds * 1000) };
}

test('the first twenty such calls of a person in a minute get a record each, the others one record with their number', async () => {
  const { log, records, over } = opened();
  for (let n = 0; n < 500; n++) await log.append(over('a'));
  await log.append(over('b'));
  await log.append(example(2));
  expect(records.filter(({ principal }) => principal === 'a')).toHaveLength(20);
  expect(records.slice(20).map(({ principal, code }) => [principal, code])).toEqual([
    ['b', 'RATE_LIMITED'],
    [example(2).principal, null],
  ]);
  await log.close();
  expect(records.at(-1)).toMatchObject({ principal: 'a', code: 'RATE_LIMITED', server: 'several', input: '{"calls":480}' });
  expect(records).toHaveLength(23);
});

test('the first such call of a new minute writes the record with the number of the previous minute', async () => {
  const { log, records, over, pass } = opened();
  for (let n = 0; n < 25; n++) await log.append(over('a'));
  pass(61);
  await log.append(over('a'));
  expect(records).toHaveLength(22);
  expect(records.slice(20).map(({ input }) => input)).toEqual(['{"calls":5}', example(1).input]);
  await log.close();
  expect(records).toHaveLength(22);
});
