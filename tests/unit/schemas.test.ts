/** The SQL files of a domain lie beside its declaration. */
import { pathToFileURL } from 'node:url';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { migrationsOf } from '../../src/server/schemas.ts';
import { builtIn } from '../registry.ts';

test('a SQL domain without a folder sql/ is refused, and the message names the domain', () => {
  const [domain] = builtIn.domains;
  if (domain === undefined) throw new Error('no domain');
  const elsewhere = { ...domain, name: 'rooms', home: pathToFileURL(join(tmpdir(), 'no-such-folder', 'domain.ts')).href };
  expect(() => migrationsOf({ domains: [elsewhere] }, ['rooms'])).toThrow(
    'The domain rooms is on SQL, but has no folder sql/ beside its declaration.',
  );
});

test('the files of each domain follow those that all domains share, and its policies come last', () => {
  const names = migrationsOf(builtIn, ['tasks']).map(({ name }) => name);
  expect(names[0]).toBe('platform/000_platform.sql');
  expect(names.slice(-5)).toEqual(['tasks/platform', 'tasks/owner', 'tasks/audit_keys', 'tasks/001_tables.sql', 'tasks/policies.sql']);
});
