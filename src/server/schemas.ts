/** Finds the SQL files of the domains and lists their migrations. */
import { join } from 'node:path';
import type { AnyDomain } from '../declare/tool.ts';
import type { Registry } from '../engine/registry.ts';
import { type Migration, migrations } from '../storage/sql/migrate.ts';
import { assetFolder } from './assets.ts';
import { ConfigProblem } from './config.ts';
import { packageFolder } from './package.ts';

/** The files for all domains: roles, audit chain, records of migrations. */
export const platformFolder = join(packageFolder, 'sql');

export function schemaFolder(domain: Pick<AnyDomain, 'name' | 'home'>): string {
  const folder = assetFolder(domain, 'sql');
  if (folder === undefined) throw new ConfigProblem(`The domain ${domain.name} is on SQL, but has no folder sql/ beside its declaration.`);
  return folder;
}

/** The migrations of these domains, in the given order. */
export function migrationsOf(registry: Pick<Registry, 'domains'>, names: readonly string[]): Migration[] {
  const sources = names.flatMap((name) => registry.domains.filter((domain) => domain.name === name));
  return migrations(
    platformFolder,
    sources.map((domain) => ({ name: domain.name, folder: schemaFolder(domain) })),
  );
}
