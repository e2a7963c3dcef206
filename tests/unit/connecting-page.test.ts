/** The commands in docs/connecting.md use the version of the MCP Inspector that the tests use. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { INSPECTOR } from '../services/clients.ts';

const page = readFileSync(new URL('../../docs/connecting.md', import.meta.url), 'utf8');

test('every Inspector command names the tested version, and one of them runs it with Node 24', () => {
  const calls = [...page.matchAll(/^npx .*@modelcontextprotocol\/inspector(\S*) .*$/gm)];
  expect(calls.length).toBeGreaterThan(1);
  for (const [, version] of calls) expect(version).toBe(`@${INSPECTOR}`);
  expect(calls.some(([line]) => line.includes('-p node@24 '))).toBe(true);
});
