/** Finds the one place in the sources that a mutant breaks. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const sources = (root) =>
  ['src', 'domains', 'sql'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((name) => /\.(ts|sql)$/.test(name))
      .map((name) => join(folder, name)),
  );

/** Throws if the text is in no file, or in several places: then the mutant no longer says what it breaks. */
export function locate(root, find) {
  const pattern = find
    .split(/\s+/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('\\s+');
  const found = sources(root).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(new RegExp(pattern, 'g'))].map((match) => ({
      file,
      start: match.index,
      end: match.index + match[0].length,
    })),
  );
  if (found.length !== 1) throw new Error(`${found.length} places in src, domains and sql contain: ${find}`);
  return found[0];
}
