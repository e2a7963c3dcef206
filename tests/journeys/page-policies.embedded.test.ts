/** Content security policies: no page runs a foreign or inline script or loads a foreign style. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer();
});
afterAll(() => testServer.close());

const auth = (change: Record<string, string> = {}) =>
  `/oidc/staff/auth?${new URLSearchParams({
    client_id: 'tamshai-cli',
    redirect_uri: 'http://127.0.0.1:50123/callback',
    response_type: 'code',
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'S256',
    ...change,
  })}`;

test('every page has a strict policy without unsafe sources, and contains only what the policy allows', async () => {
  const token = await testServer.token('alice.chen');
  const paths = [
    '/',
    '/signin',
    '/signin?realm=staff',
    '/signin?realm=customer',
    '/signout',
    '/docs',
    '/approve/x',
    '/approve/00000000-0000-4000-8000-000000000000',
  ];
  const more = [
    '/audit',
    '/approvals',
    '/ask',
    '/nothing',
    auth(),
    auth({ client_id: 'nobody' }),
    auth({ response_mode: 'form_post' }),
    '/oidc/customers/auth',
    '/callback',
  ];
  let pages = 0;
  for (const path of [...paths, ...more])
    for (const as of [undefined, token]) {
      const reply = await fetch(`${testServer.tamshai.base}${path}`, {
        headers: { accept: 'text/html', ...(as && { authorization: `Bearer ${as}` }) },
      });
      const text = await reply.text();
      const policy = reply.headers.get('content-security-policy') ?? '';
      expect(policy, path).not.toMatch(/unsafe-|\*|data:|http:(?!\/\/)/);
      if (!reply.headers.get('content-type')?.startsWith('text/html')) continue;
      pages++;
      expect(policy, path).toMatch(/default-src 'none'/);
      expect(policy, path).toMatch(/frame-ancestors 'none'/);
      expect(policy, path).toMatch(/base-uri 'none'/);
      // The policy allows inline styles by their digest, and no inline scripts.
      for (const [, content = ''] of text.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/g))
        expect(policy, path).toContain(`'sha256-${createHash('sha256').update(content).digest('base64')}'`);
      expect(text, path).not.toMatch(/ style="| on[a-z]+="|<script(?![^>]* src=)[^>]*>/);
      expect(text, path).toMatch(/<main[ >]/);
    }
  expect(pages).toBeGreaterThan(8);
});

test('pages load their scripts and styles from files that browsers may cache forever', async () => {
  const { base } = testServer.tamshai;
  const page = await (await fetch(`${base}/signin`, { headers: { accept: 'text/html' } })).text();
  const loaded = [...page.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
  expect(loaded.map((path) => path.replace(/-[\w-]{8,12}\./, '.'))).toEqual([
    '/assets/tamshai.svg',
    '/assets/page-style.css',
    '/assets/page.js',
  ]);
  for (const path of loaded) {
    const file = await fetch(base + path);
    expect(file.status, path).toBe(200);
    expect(file.headers.get('cache-control'), path).toBe('public, max-age=31536000, immutable');
    expect(file.headers.get('x-content-type-options'), path).toBe('nosniff');
    const type = { svg: 'image/svg+xml', css: 'text/css', js: 'text/javascript' }[path.split('.').at(-1) ?? ''];
    expect(file.headers.get('content-type'), path).toBe(`${type}; charset=utf-8`);
  }
});

test('no source file contains an unsafe policy', () => {
  const files = ['src', 'web'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|tsx|html)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  expect(files.filter((file) => /'unsafe-(inline|eval|hashes)'/.test(readFileSync(file, 'utf8')))).toEqual([]);
});
