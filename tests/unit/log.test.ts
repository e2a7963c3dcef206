/** Log lines: only allowed fields, no messages of drivers, no tokens and no control characters. */
import { expect, test } from 'vitest';
import { openLog } from '../../src/server/log.ts';

function lines(level = 'info') {
  const written: string[] = [];
  return { log: openLog(level, { write: (line: string) => void written.push(line) }), written };
}

test('a line is one JSON object with the time, the level and the request id', () => {
  const { log, written } = lines();
  log.warn({ requestId: 'abc-1', server: 'hr', ms: 1.5 }, 'slow');
  expect(written).toHaveLength(1);
  expect(JSON.parse(written[0] ?? '')).toEqual({
    level: 40,
    time: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    requestId: 'abc-1',
    server: 'hr',
    ms: 1.5,
    msg: 'slow',
  });
});

test('only the listed fields are logged', () => {
  const { log, written } = lines();
  log.error(
    {
      requestId: 'a',
      query: 'canary',
      input: { ssn: 'canary' },
      authorization: 'Bearer canary',
      body: 'canary',
      __proto__: { tool: 'canary' },
    },
    'x',
  );
  expect(written.join('')).not.toContain('canary');
});

test('an error is logged by its class and location, without its message and without driver details', () => {
  const { log, written } = lines();
  const driver = Object.assign(new Error('duplicate key (ssn)=(123-45-6789) canary'), {
    code: '23505',
    detail: 'Key (email)=(canary@x) exists',
    where: 'canary',
  });
  log.error({ requestId: 'a', error: driver }, 'broke');
  const line = JSON.parse(written[0] ?? '') as { error: string; code: string; at: string[] };
  expect(line).toMatchObject({ error: 'Error', code: '23505' });
  expect(line.at.join()).toContain('log.test.ts');
  expect(written[0]).not.toContain('canary');
  expect(written[0]).not.toContain('123-45');
});

test('an allowed field contains no objects, line feeds, escape sequences or tokens', () => {
  const { log, written } = lines();
  const token = `eyJhbGciOiJFZERTQSJ9.${'a'.repeat(40)}.${'b'.repeat(40)}`;
  log.info(
    {
      tool: `x\n{"level":60}\u001b[31m\u202e`,
      reason: `bad ${token}`,
      server: { input: 'canary' },
      code: 'y'.repeat(5_000),
      at: [{ input: 'canary' }, 'ok'],
    },
    'x',
  );
  expect(written).toHaveLength(1);
  const line = JSON.parse(written[0] ?? '') as Record<string, unknown>;
  expect(line['tool']).toBe('x {"level":60} [31m ');
  expect(line['at']).toEqual(['ok']);
  expect(String(line['code'])).toHaveLength(200);
  expect(line['server']).toBeUndefined();
  expect(written[0]).not.toMatch(/canary|eyJhbGciOiJ|\u202e/);
});

test('messages below the level are not written', () => {
  const { log, written } = lines('warn');
  log.info({ requestId: 'a' }, 'x');
  expect(written).toEqual([]);
});
