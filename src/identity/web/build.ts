/** Reads the files that Vite builds from web/ into dist/web, and serves them from memory. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import * as z from 'zod';

/** A file with a digest of its content in its name. Browsers may cache it forever. */
export interface WebFile {
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
  /** The compressed body, created at the first request. The files contain no secrets, so compression reveals nothing. */
  packed(): Promise<Buffer>;
}

/** A script or style sheet, with the style sheets that it imports. */
export interface BuiltEntry {
  readonly path: string;
  readonly styles: readonly string[];
}

export interface WebBuild {
  readonly files: readonly WebFile[];
  /** Finds the built file of a source in web/, such as `server-pages/page.ts`. */
  entry(source: string): BuiltEntry | undefined;
  /** The content of the built file of a source. */
  textOf(source: string): string | undefined;
}

const manifest = z.record(z.string(), z.looseObject({ file: z.string(), css: z.array(z.string()).optional() }));
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};
const compress = promisify(gzip);

export function createWebFile(name: string, body: Buffer): WebFile {
  let packed: Promise<Buffer> | undefined;
  return {
    path: `/assets/${name}`,
    type: TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    body,
    packed: () => (packed ??= compress(body, { level: 9 })),
  };
}

/**
 * Returns undefined if nothing was built. The server then has no web app, and its pages have no style and no script: people can sign in,
 * but not decide on an approval card.
 */
export function openWebBuild(folder: string): WebBuild | undefined {
  const list = join(folder, '.vite', 'manifest.json');
  if (!existsSync(list)) return undefined;
  const entries = manifest.parse(JSON.parse(readFileSync(list, 'utf8')));
  const files = readdirSync(join(folder, 'assets')).map((name) => createWebFile(name, readFileSync(join(folder, 'assets', name))));
  const entry = (source: string): BuiltEntry | undefined => {
    const { file, css = [] } = entries[source] ?? {};
    return file === undefined ? undefined : { path: `/${file}`, styles: css.map((style) => `/${style}`) };
  };
  return {
    files,
    entry,
    textOf(source) {
      const path = entry(source)?.path;
      return files.find((file) => file.path === path)?.body.toString();
    },
  };
}
