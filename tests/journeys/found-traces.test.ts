/** What was once left behind, or not left behind where it should have been. */
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { start } from '../../src/app/compose.ts';
import { readConfig } from '../../src/app/config.ts';
import { DOMAINS, openSite, SERVERS, settingsFor, type Site } from '../site.ts';
import { fillFolder } from '../template.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
}, 120_000);
afterAll(() => site.close());

it('nobody else on this machine can read what is kept, whoever made the data folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tamshai-open-'));
  await fillFolder(folder, DOMAINS);
  for (const path of [folder, join(folder, 'pg')]) await chmod(path, 0o755);
  const tamshai = await start(readConfig(settingsFor(folder)), { servers: SERVERS });
  const open: string[] = [];
  for (const name of await readdir(folder)) {
    const { mode } = await stat(join(folder, name));
    // The lock is empty: all that can be learnt from it is that there is one.
    if ((mode & 0o077) !== 0 && !name.startsWith('lock.db')) open.push(name);
  }
  await tamshai.close();
  await rm(folder, { recursive: true, force: true });
  expect(open).toEqual([]);
}, 60_000);

it.each(['gateway', 'hr'])('an MCP client that tries names of tools is recorded, once for each: %s', async (server) => {
  const token = await site.token('frank.davis', { mcp: true, ...(server === 'hr' && { server }) });
  const name = `probe_${server}`;
  const { error } = await site.rpc(token, 'tools/call', { name, arguments: {} }, server === 'hr' ? { server } : {});
  expect(error?.code).toBe(-32602);
  await expect.poll(async () => (await recorded(name)).length).toBe(1);
  expect((await recorded(name))[0]).toMatchObject({ username: 'frank.davis', server, decision: 'refused', code: 'TOOL_NOT_FOUND' });
});

async function recorded(tool: string) {
  const { body } = await site.send<{ data: { tool: string }[] }>('GET', '/api/audit', { token: await site.token('eve.thompson') });
  return body.data.filter((record) => record.tool === tool);
}
