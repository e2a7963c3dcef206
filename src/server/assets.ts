/** Finds the folders beside a domain's declaration: sql/, phrases/, sample/. */
import { statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AnyDomain } from '../declare/tool.ts';
import { packageFolder } from './package.ts';

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Undefined if the domain has no such folder. */
export function assetFolder({ home }: Pick<AnyDomain, 'home'>, name: string): string | undefined {
  const folder = dirname(fileURLToPath(home));
  // The compiler writes only JavaScript to dist/; other files stay beside the source, which the package ships.
  const compiled = relative(join(packageFolder, 'dist'), folder);
  const source = compiled.startsWith('..') ? folder : join(packageFolder, compiled);
  return [folder, source].map((each) => join(each, name)).find(isFolder);
}
