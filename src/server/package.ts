/** The folder and the version of this package. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns this folder or the nearest parent that has a package.json. */
export function packageAbove(folder: string): string {
  const above = dirname(folder);
  return above === folder || existsSync(join(folder, 'package.json')) ? folder : packageAbove(above);
}

export const packageFolder = packageAbove(dirname(fileURLToPath(import.meta.url)));
export const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string };
