/** Makes the audit log of a domain refuse every append, on each kind of store. */
import { join } from 'node:path';
import Database from 'libsql';
import type { AnyDomain } from '../../src/declare/tool.ts';
import type { TestServer } from '../../src/testing/test-server.ts';

/** The returned function repairs the audit log. */
export async function makeUnrecordable(testServer: TestServer, domain: AnyDomain): Promise<() => Promise<void>> {
  const { name } = domain;
  if (domain.store === 'sql') {
    await testServer.owner(`alter table ${name}.audit add constraint nothing check (n < 0) not valid`);
    return async () => void (await testServer.owner(`alter table ${name}.audit drop constraint nothing`));
  }
  const { ELASTICSEARCH_URL: server, TAMSHAI_INDEX_PREFIX: prefix, MONGODB_URL: mongo } = testServer.environment;
  if (domain.store === 'search' && server !== undefined) {
    const blocked = async (write: boolean) =>
      void (await fetch(`${server}/${prefix}-${name}.audit/_settings`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ 'index.blocks.write': write }),
      }));
    await blocked(true);
    return () => blocked(false);
  }
  if (domain.store === 'documents' && mongo !== undefined) throw new Error('not known for MongoDB');
  const file = new Database(join(testServer.folder, domain.store === 'documents' ? 'documents.db' : 'search.db'));
  const table = domain.store === 'documents' ? 'records' : `${name}__audit`;
  file.exec(`ALTER TABLE ${table} RENAME TO away`);
  return async () => {
    file.exec(`ALTER TABLE away RENAME TO ${table}`);
    file.close();
  };
}
