/** The built web app: reads its files once, and renders the page that loads them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { z } from 'zod';
import { html } from '../../identity/web/html.ts';
import { type Banners, page } from '../../identity/web/layout.ts';
import { approveAsset } from './approve.ts';

export interface WebFile {
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
  /** The compressed body, created at the first request. Compression discloses nothing, because the files contain no secrets. */
  packed(): Promise<Buffer>;
}
export interface WebPage {
  readonly csrf: string;
  readonly banners?: Banners | undefined;
}
export interface WebApp {
  readonly files: readonly WebFile[];
  page(options: WebPage): string;
}

const manifest = z.record(
  z.string(),
  z.looseObject({ file: z.string(), isEntry: z.boolean().optional(), css: z.array(z.string()).optional() }),
);
const TYPES: Readonly<Record<string, string>> = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' };
const squeeze = promisify(gzip);

function webFile(folder: string, name: string): WebFile {
  const body = readFileSync(join(folder, 'assets', name));
  let packed: Promise<Buffer> | undefined;
  return {
    path: `/assets/${name}`,
    type: TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
    body,
    packed: () => (packed ??= squeeze(body, { level: 9 })),
  };
}

/** Returns undefined if the web app has not been built; then the server sends plain pages. */
export function openWebApp(folder: string): WebApp | undefined {
  const list = join(folder, '.vite', 'manifest.json');
  if (!existsSync(list)) return undefined;
  const entry = Object.values(manifest.parse(JSON.parse(readFileSync(list, 'utf8')))).find(({ isEntry }) => isEntry);
  if (!entry) return undefined;
  const styles = (entry.css ?? []).map((file) => `/${file}`);
  return {
    files: readdirSync(join(folder, 'assets')).map((name) => webFile(folder, name)),
    page: ({ csrf, banners }) =>
      page({
        title: 'Tamshai',
        banners,
        styles,
        module: `/${entry.file}`,
        body: html`<div id="app" data-csrf="${csrf}" data-card-script="${approveAsset.path}"></div><noscript><p class="narrow">This page needs JavaScript. Turn it on and reload the page.</p></noscript>`,
      }),
  };
}
