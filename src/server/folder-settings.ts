/** The settings of domains that index a folder. */
import type { z } from 'zod';
import { type FolderSource, folderSetting } from '../declare/folder.ts';
import type { AnyDomain } from '../declare/tool.ts';

interface WithFolder {
  readonly name: string;
  readonly folder: FolderSource;
}
type Domains = readonly Pick<AnyDomain, 'name' | 'folder'>[];

const withFolders = (domains: Domains): WithFolder[] =>
  domains.flatMap(({ name, folder }) => (folder === undefined ? [] : [{ name, folder }]));

/** `TAMSHAI_<DOMAIN>_FOLDER` for each such domain. */
export const forFolders = (domains: Domains, setting: (domain: WithFolder) => z.ZodType): Record<string, z.ZodType> =>
  Object.fromEntries(withFolders(domains).map((domain) => [folderSetting(domain.name), setting(domain)]));

/** The text about these settings for docs/settings.md. */
export const aboutFolders = (domains: Domains): string[] =>
  withFolders(domains).map(
    ({ name, folder: { help } }) =>
      `In \`${folderSetting(name)}\`, ${help === undefined ? 'only' : `${help} Only`} regular \`.md\` files of up ` +
      'to one megabyte are indexed.',
  );
