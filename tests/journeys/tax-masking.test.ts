/** Tax, account and registration numbers: nobody sees more than four digits, and the database stores no more. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SuccessAnswer } from '../../src/declare/answer.ts';
import * as tax from '../../domains/tax/index.ts';
import { databases, openTestRuntime, type TestRuntime } from '../test-runtime.ts';

const SSN = ['931', '47', '8265'] as const;
const EIN = ['83', '4719625'] as const;
const ACCOUNT = '407193628514';
/** The sequences of five digits of these numbers that the text contains, with or without separators. */
const leaks = (text: string): string[] => {
  const plain = text.replace(/[-\u2010-\u2015\u2212 ./]/g, '');
  return [SSN.join(''), EIN.join(''), ACCOUNT].flatMap((number) =>
    Array.from({ length: number.length - 4 }, (_, at) => number.slice(at, at + 5)).filter((five) => plain.includes(five)),
  );
};

const CANARIES: readonly object[] = [
  { ssn: SSN.join('-') },
  { ssn: SSN.join('') },
  { ssn: Number(SSN.join('')) },
  { responsiblePartySsn: SSN.join(' ') },
  { officer: { name: 'Someone', social_security_number: SSN.join('.') } },
  { officers: [{ SSN: SSN.join('-') }, [{ deep: { ITIN: SSN.join('-') } }]] },
  { ein: EIN.join('-'), FEIN: EIN.join(''), federalEin: Number(EIN.join('')) },
  { tax_id: EIN.join('-'), taxId: EIN.join('-'), taxpayer_id: SSN.join(''), tin: EIN.join('') },
  {
    account_number: ACCOUNT,
    accountNo: ACCOUNT,
    bank_account: ACCOUNT,
    'Account-Number': Number(ACCOUNT),
    routing: ACCOUNT,
    IBAN: `DE${ACCOUNT}`,
  },
  { registration_number: `SR-${ACCOUNT}`, permitNumber: ACCOUNT, account: { number: ACCOUNT, id: Number(ACCOUNT) } },
  { bank: [ACCOUNT, Number(ACCOUNT)] },
  // Numbers under keys that do not suggest a number.
  { comment: `Number is ${SSN.join('-')}, was ${EIN.join('-')}; pay to ${ACCOUNT}.` },
  { comment: `${SSN.join('\u2011')} ${SSN.join('\u2013')} ${EIN.join('\u2212')} ${SSN.join(' ')} ${EIN.join(' ')}` },
  { reference: SSN.join(''), value: Number(SSN.join('')), list: [Number(EIN.join('')), ACCOUNT] },
  { [SSN.join('-')]: 'as a name', nested: { [ACCOUNT]: true } },
];
const NOTES = [
  `Caller gave ${SSN.join('-')}`,
  `EIN ${EIN.join('-')} and account ${ACCOUNT}`,
  SSN.join(' '),
  `a${ACCOUNT}b\n${SSN.join('/')}`,
];

describe.each(databases)('numbers in the tax records on %s', (_name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools: Object.values(tax) });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });
  const insert = (before: unknown, after: unknown, notes: string | null) =>
    testRuntime.owner(
      `insert into tax.audit_logs (at, action, entity_type, entity_id, user_id, user_name, before, after, notes)
       values ('2026-11-16T08:59:00Z', 'update', 'annual_filing', '0e000000-0000-4000-8000-000000000011', gen_random_uuid(), 'Canary',
       $1::jsonb, $2::jsonb, $3) returning log_id`,
      [before === null ? null : JSON.stringify(before), after === null ? null : JSON.stringify(after), notes],
    );
  const masked = async (value: unknown) =>
    (await testRuntime.owner('select tax.masked($1::jsonb) as value', [JSON.stringify(value)]))[0]?.['value'];

  test('full numbers in before, after and notes are shown to nobody, and are not stored', async () => {
    for (const [n, canary] of CANARIES.entries()) {
      await insert(canary, null, NOTES[n % NOTES.length] ?? null);
      await insert(null, canary, null);
    }
    for (const who of ['tom.becker', 'bob.martinez', 'eve.thompson']) {
      const answer = (await testRuntime.call(who, 'tax', 'list_audit_logs', { user: 'Canary' })) as SuccessAnswer;
      expect((answer.data as unknown[]).length).toBe(CANARIES.length * 2);
      for (const row of answer.data as object[])
        expect([row, leaks(JSON.stringify(row).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, ''))]).toEqual([row, []]);
      expect(JSON.stringify(answer)).toContain('***8265');
      for (const tool of Object.values(tax))
        expect(
          leaks(JSON.stringify(await testRuntime.call(who, 'tax', tool.name)).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '')),
        ).toEqual([]);
    }
    const kept = await testRuntime.owner(
      "select before::text || coalesce(after::text, '') || coalesce(notes, '') as text from tax.audit_logs " +
        "where user_name = 'Canary' and before is not null",
    );
    for (const row of kept) expect([row, leaks(String(row['text']))]).toEqual([row, []]);
  });

  test('an update truncates numbers, and a constraint refuses them if the trigger is disabled', async () => {
    const [row] = await insert({ status: 'draft' }, null, null);
    await testRuntime.owner('update tax.audit_logs set before = $2::jsonb, notes = $3 where log_id = $1', [
      row?.['log_id'],
      JSON.stringify({ ssn: SSN.join('-') }),
      SSN.join('-'),
    ]);
    expect(await testRuntime.owner('select before, notes from tax.audit_logs where log_id = $1', [row?.['log_id']])).toEqual([
      { before: { ssn: '***8265' }, notes: '***8265' },
    ]);
    await testRuntime.owner('alter table tax.audit_logs disable trigger mask_log');
    try {
      for (const [before, after, notes] of [
        [CANARIES[0], null, null],
        [null, CANARIES[11], null],
        [null, null, NOTES[0]],
      ] as const)
        await expect(insert(before ?? null, after ?? null, notes ?? null)).rejects.toThrow(/masked/);
    } finally {
      await testRuntime.owner('alter table tax.audit_logs enable trigger mask_log');
    }
    for (const text of [
      "update tax.state_registrations set account_last4 = '12345'",
      "update tax.state_registrations set account_last4 = '407193628514'",
      "update tax.annual_filings set ein_last4 = '83-4719625'",
    ])
      await expect(testRuntime.owner(text)).rejects.toThrow();
  });

  test('the last four digits and all other values stay', async () => {
    expect(
      await masked({ ssn: SSN.join('-'), ein: EIN.join('-'), account_number: ACCOUNT, ein_last4: '9625', account: 'Acme Corporation' }),
    ).toEqual({
      ssn: '***8265',
      ein: '***9625',
      account_number: '***8514',
      ein_last4: '9625',
      account: 'Acme Corporation',
    });
    const harmless = {
      estimated_amount: 145000.5,
      paid_amount: 1234567,
      total_tax: 1234567890.12,
      note: 'Paid $1,234,567.89 on 2026-10-01 at 09:15, filed 2026-10-01T09:15:00.123456Z, form 05-158',
      period: '2026-Q4',
      range: '2026-10-01..2026-10-31',
      entity: '0e000000-0000-4000-8000-000000000011',
      digits: '10000000-0000-4000-8000-000000000007',
      text: 'see 1a300000-0000-4000-8000-000000000021, version 12345678',
      registration_id: '1a400000-0000-4000-8000-000000000001',
      reinstated: true,
      nothing: null,
      account_opened_on: '2026-10-01',
      rate: 8.875,
      count: 99999999,
      list: [1, 'two', { three: 3 }],
      empty: {},
      none: [],
    };
    expect(await masked(harmless)).toEqual(harmless);
  });

  test('numbers are truncated in any text, and masking a record twice changes nothing more', { timeout: 120_000 }, async () => {
    const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`));
    const words = fc.string({ unit: fc.constantFrom('a', 'f', 'x', ' ', '-', '.', ':', ',', '1', '9', '#', '\n', 'é'), maxLength: 12 });
    const number = fc.oneof(
      fc.tuple(digits(3), digits(2), digits(4)).map((parts) => parts.join('-')),
      fc.tuple(digits(2), digits(7)).map((parts) => parts.join('-')),
      fc.integer({ min: 9, max: 17 }).chain(digits),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(words, number, words), { minLength: 20, maxLength: 40 }), async (cases) => {
        const texts = cases.map(([before, hidden, after]) => `${before}${hidden}${after}`);
        const rows = await testRuntime.owner(
          'select tax.masked_text(text) as once, tax.masked_text(tax.masked_text(text)) as twice ' +
            'from unnest($1::text[]) with ordinality as t (text, n) order by n',
          [texts],
        );
        for (const [at, row] of rows.entries()) {
          const [, hidden = ''] = cases[at] ?? [];
          expect([texts[at], String(row['once']).includes(hidden)]).toEqual([texts[at], false]);
          expect(String(row['once'])).not.toMatch(/\d(-?\d){8}/);
          expect(row['twice']).toBe(row['once']);
        }
      }),
      { numRuns: 15 },
    );
    const record = fc.dictionary(
      fc.oneof(fc.constantFrom('ssn', 'ein', 'account_number', 'amount', 'x'), fc.string({ unit: 'grapheme-ascii', maxLength: 6 })),
      fc.jsonValue({ maxDepth: 3, stringUnit: 'grapheme-ascii' }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 5, maxLength: 20 }), async (records) => {
        const rows = await testRuntime.owner(
          'select value from unnest($1::jsonb[]) r cross join lateral (select tax.masked(r) as value) m ' +
            'where tax.masked(value) is distinct from value',
          [records.map((each) => JSON.stringify(each))],
        );
        expect(rows).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  test('the numbers in the sample audit log are truncated', async () => {
    const rows = await testRuntime.owner(
      "select coalesce(before, after)::text as text, notes from tax.audit_logs where user_name <> 'Canary'",
    );
    expect(rows.filter((row) => String(row['text']).includes('***')).length).toBeGreaterThan(20);
    for (const row of rows) expect(`${row['text']} ${row['notes']}`).not.toMatch(/\d{3}-\d{2}-\d{4}|\b\d{2}-\d{7}\b|\b\d{9,}\b/);
  });
});
