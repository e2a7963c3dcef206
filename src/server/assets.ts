/** Finds the folders beside a domain's declaration: sql/, phrases/, sample/. */
import { statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AnyDomain } from '../declare/tool.ts';
import { packageFolder } from './package.ts';

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** The folder with the source of the declaration and the files beside it. */
export function homeFolder({ home }: Pick<AnyDomain, 'home'>): string {
  const folder = dirname(fileURLToPath(home));
  // dist/ has only JavaScript; the package ships the other files beside the source.
  const compiled = relative(join(packageFolder, 'dist'), folder);
  return compiled.startsWith('..') ? folder : join(packageFolder, compiled);
}

/** Undefined if the domain has no such folder. */
export const assetFolder = (domain: Pick<AnyDomain, 'home'>, name: string): string | undefined =>
  [dirname(fileURLToPath(domain.home)), homeFolder(domain)].map((folder) => join(folder, name)).find(isFolder);
