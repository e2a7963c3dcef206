/** `tamshai migrate`: updates the schemas of all databases of this installation. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openKeys } from '../../identity/keys.ts';
import { migrate as apply } from '../../storage/sql/migrate.ts';
import { openPglite } from '../../storage/sql/pglite.ts';
import { migrateServer } from '../../storage/sql/server.ts';
import { openDocuments } from '../../server/documents.ts';
import { openFolder } from '../../server/folder.ts';
import { openSearch } from '../../server/search.ts';
import { passwordFor } from '../../server/stores.ts';
import { openConsole } from './console.ts';
import { shownPath } from './person.ts';
import { addressOf, mongoAddressOf } from './server-address.ts';
import { EXIT } from './stop.ts';
import { ownDatabases, ownOf } from './audit-chains.ts';
import { loadConfig, type ProjectOptions } from '../registry.ts';
import { migrationsOf } from '../../server/schemas.ts';

export async function migrate(options: ProjectOptions & { json?: boolean }): Promise<number> {
  const console = openConsole(options.json);
  const config = await loadConfig(options);
  const { embedded, engineEmbedded, servers } = ownDatabases(config);
  const done: { place: string; applied: readonly string[] }[] = [];
  // Every start migrates the embedded database, so this command does not create it for the engine's own store alone.
  const isEmbedded = embedded.length > 0 || (engineEmbedded && existsSync(join(config.dataFolder, 'pg', 'PG_VERSION')));
  const folder = isEmbedded ? openFolder(config.dataFolder) : undefined;
  try {
    const keys = openKeys(config.dataFolder, { masterKey: config.masterKey, gatewayKey: config.gatewayKey });
    if (folder !== undefined) {
      mkdirSync(join(folder.path, 'pg'), { recursive: true });
      const database = await openPglite(join(folder.path, 'pg'), config.company);
      try {
        done.push({
          place: shownPath(folder.path),
          applied: await apply(database.owner, migrationsOf(config.registry, embedded), { repair: true }),
        });
      } finally {
        await database.close();
      }
    }
    for (const [url, domains] of servers) {
      const applied = await migrateServer({
        url,
        domains,
        files: migrationsOf(config.registry, domains),
        password: passwordFor(keys),
        company: config.company,
      });
      done.push({ place: addressOf(url), applied });
    }
    const onMongo = ownOf(config, 'documents').filter(({ name }) => config.mongodbUrl(name) !== undefined);
    await (await openDocuments(config, onMongo)).close();
    done.push(
      ...onMongo.map(({ name }) => ({ place: `MongoDB at ${mongoAddressOf(config.mongodbUrl(name) ?? '')} (${name})`, applied: [] })),
    );
    const onSearch = ownOf(config, 'search').filter(({ name }) => config.searchUrl(name) !== undefined);
    const search = await openSearch(config, onSearch);
    done.push(...[...search.backends].map(([{ name }, { product }]) => ({ place: `${product} (${name})`, applied: [] })));
    await search.close();
  } finally {
    folder?.close();
  }
  if (console.json) console.value(done);
  for (const { place, applied } of console.json ? [] : done) {
    console.out(
      applied.length === 0 ? `${place} is up to date.` : `${place} is up to date now:`,
      ...applied.map((name) => `  applied  ${name}`),
    );
  }
  return EXIT.ok;
}
