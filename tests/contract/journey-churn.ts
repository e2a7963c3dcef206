/** Adds and removes journey records: changes files in a copy of the folder, and indexes the copy as a start does. */
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderOf, indexFolder } from '../../src/server/source-folder.ts';
import { openSearch } from '../../src/server/search.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { builtIn, readConfig } from '../registry.ts';

const copies = new WeakMap<TestServer, Promise<{ readonly folder: string; index(): Promise<unknown> }>>();

async function copy(testServer: TestServer) {
  const folder = await mkdtemp(join(tmpdir(), 'tamshai-churn-'));
  const config = readConfig(testServer.environment);
  const domains = builtIn.domains.filter(({ name }) => name === 'journey');
  const source = domains.flatMap((domain) => folderOf(domain, config) ?? [])[0];
  if (!source) throw new Error('no folder');
  await cp(source.path, folder, { recursive: true });
  const opened = await openSearch(config, domains);
  testServer.later(async () => {
    await opened.close();
    await rm(folder, { recursive: true, force: true });
  });
  const [backend] = opened.backends.values();
  if (!backend) throw new Error('no journey');
  return { folder, index: () => indexFolder({ ...source, path: folder }, backend) };
}

export async function journeyChurn(testServer: TestServer, n: number): Promise<void> {
  const made = copies.get(testServer) ?? copy(testServer);
  copies.set(testServer, made);
  const { folder, index } = await made;
  const kind = (['failure', 'lesson', 'adr'] as const)[n % 3] ?? 'adr';
  await writeFile(
    join(folder, `${kind}-${5000 + n}-churn.md`),
    `# ${['A', 'M', 'Z'][n % 3]} churn ${n}\n\nRecords come and go while somebody looks through them.\n`,
  );
  const old = (await readdir(folder)).filter((name) => name.startsWith(n % 2 === 0 ? 'failure-0' : 'pivot-')).toSorted();
  const gone = old[(n * 7) % Math.max(1, old.length)];
  if (gone !== undefined && old.length > 2) await rm(join(folder, gone));
  await index();
}
