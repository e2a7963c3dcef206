/** Several domains on one MongoDB server: each domain needs its own database. */
import { describe, expect, test } from 'vitest';
import { checkSeparateDatabases } from '../../src/server/documents.ts';
import { readConfig } from '../registry.ts';

const domains = [
  { name: 'sales', store: 'documents' },
  { name: 'support', store: 'search' },
] as const;
const check = (settings: Record<string, string>) => () => checkSeparateDatabases(readConfig(settings), domains);

describe('domains on one MongoDB', () => {
  test('have separate databases if the addresses name different ones or none', () => {
    expect(
      check({
        MONGODB_URL: 'mongodb://db.example:27017/?replicaSet=rs0',
        SUPPORT_MONGODB_URL: 'mongodb://db.example:27017/?replicaSet=rs0',
      }),
    ).not.toThrow();
    expect(check({ MONGODB_URL: 'mongodb://db.example/one', SUPPORT_MONGODB_URL: 'mongodb://db.example/two' })).not.toThrow();
    expect(check({ MONGODB_URL: 'mongodb://db.example/one' })).not.toThrow();
  });
  test('cannot share a database, even with different logins', () => {
    const shared = check({
      MONGODB_URL: 'mongodb://a:p@ss@db.example/one',
      SUPPORT_MONGODB_URL: 'mongodb://b:word@db.example/one?replicaSet=rs0',
    });
    expect(shared).toThrow(
      'sales and support cannot share the MongoDB database one: ' +
        'set SUPPORT_MONGODB_URL to a URL with another database name, or without one.',
    );
    expect(shared).not.toThrow(/ss@|word/);
  });
});
