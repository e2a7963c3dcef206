/** The official suite's scenarios for servers, each revision that it knows, against the product's own transport. */
import { execFile } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conformance } from '../services/clients.ts';
import { type Profile, startProfile } from './profile.ts';

let profile: Profile;
beforeAll(async () => {
  // The first time it is fetched, which takes as long as it takes.
  conformance();
  profile = await startProfile(true);
}, 900_000);
afterAll(() => profile.close());

/** Scenarios whose fixture tools the profile does not have yet: they ask in several rounds, or read headers of a tool's own. */
const WITHOUT_FIXTURES = /^(input-required-result-|server-stateless$|http-custom-header-server-validation$)/;

/** The suite ends with 1 when anything failed; what it printed says what. */
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
  ['2026-07-28', 24],
  ['2025-11-25', 33],
  ['2025-06-18', 25],
  ['2025-03-26', 1],
])('revision %s', async (version, least) => {
  const lines = [...(await run(version)).matchAll(/^([✓✗]) ([\w-]+): \d+ passed, \d+ failed/gm)].map(([, mark = '', name = '']) => ({
    mark,
    name,
  }));
  const tried = lines.filter(({ name }) => !WITHOUT_FIXTURES.test(name));
  expect(tried.filter(({ mark }) => mark !== '✓').map(({ name }) => name)).toEqual([]);
  expect(tried.length).toBeGreaterThanOrEqual(least);
});
