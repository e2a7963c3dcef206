/** The official MCP conformance suite: its server scenarios of every protocol revision, against the product's own transport. */
import { execFile } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mcpTool } from '../../src/derive/mcp.ts';
import { conformance } from '../services/clients.ts';
import { type Profile, startProfile } from './profile.ts';
import { builtIn } from '../registry.ts';

let profile: Profile;
beforeAll(async () => {
  // The first run downloads the suite, hence the long timeout.
  conformance();
  profile = await startProfile(true);
}, 900_000);
afterAll(() => profile.close());

/** This scenario is about tools that map arguments to headers (`x-mcp-header`). No tool of the product does so. */
const NOT_OURS = new Set(['http-custom-header-server-validation']);
test('no tool maps an argument to a header', () => {
  expect(builtIn.tools.filter((tool) => JSON.stringify(mcpTool(tool, true)).includes('x-mcp-header'))).toEqual([]);
});

/** Ignores the exit code, which is 1 when any scenario failed: the output names the failed ones. */
const run = (version: string) =>
  new Promise<string>((resolve) => {
    const [node, program] = conformance();
    execFile(
      node,
      [program, 'server', '--url', profile.url, '--suite', 'all', '--spec-version', version],
      { maxBuffer: 1 << 26 },
      (_error, stdout, stderr) => resolve(stdout + stderr),
    );
  });

test.each([
  ['2026-07-28', 39],
  ['2025-11-25', 33],
  ['2025-06-18', 25],
  ['2025-03-26', 1],
])('revision %s passes every scenario of the suite', async (version, least) => {
  const lines = [...(await run(version)).matchAll(/^([✓✗]) ([\w-]+): \d+ passed, \d+ failed/gm)].map(([, mark = '', name = '']) => ({
    mark,
    name,
  }));
  const tried = lines.filter(({ name }) => !NOT_OURS.has(name));
  expect(tried.filter(({ mark }) => mark !== '✓').map(({ name }) => name)).toEqual([]);
  expect(tried.length).toBeGreaterThanOrEqual(least);
});
