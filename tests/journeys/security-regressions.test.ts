/** Regression tests for files that other users could read, unrecorded calls, and slots of abandoned calls. */
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { start } from '../../src/server/compose.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { DOMAINS, openTestServer, SERVERS, settingsFor } from '../test-server.ts';
import { onServers } from '../stores.ts';
import { fillTables } from '../template.ts';
import { readConfig } from '../registry.ts';

let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer();
}, 120_000);
afterAll(() => testServer.close());

it('other users of the machine cannot read the data, even in a data folder that was readable before', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tamshai-open-'));
  await fillTables(folder, DOMAINS);
  for (const path of [folder, join(folder, 'pg')]) await chmod(path, 0o755);
  const tamshai = await start(readConfig(settingsFor(folder)), { servers: SERVERS });
  const open: string[] = [];
  for (const name of await readdir(folder)) {
    const { mode } = await stat(join(folder, name));
    // The lock file contains no data, so it may be readable.
    if ((mode & 0o077) !== 0 && !name.startsWith('lock.db')) open.push(name);
  }
  await tamshai.close();
  await rm(folder, { recursive: true, force: true });
  expect(open).toEqual([]);
}, 180_000);

it.each(['gateway', 'hr'])('a call of an unknown tool by an MCP client is recorded once: %s', async (server) => {
  const token = await testServer.token('frank.davis', { mcp: true, ...(server === 'hr' && { server }) });
  const name = `probe_${server}`;
  const { error } = await testServer.rpc(token, 'tools/call', { name, arguments: {} }, server === 'hr' ? { server } : {});
  expect(error?.code).toBe(-32602);
  await expect.poll(async () => (await recorded(name)).length).toBe(1);
  expect((await recorded(name))[0]).toMatchObject({ username: 'frank.davis', server, decision: 'refused', code: 'TOOL_NOT_FOUND' });
});

it('a call keeps its concurrency slot after the caller disconnects, until its work ends', async () => {
  const few = await openTestServer({ TAMSHAI_CONCURRENT_CALLS: '2' });
  const token = await few.token('nina.patel', { mcp: true });
  // The token is verified and cached first, so that later only the tool waits for the database.
  await few.tamshai.modules.identity.verifier.verify(token, [`${few.tamshai.base}/mcp`]);
  const message = (signal: AbortSignal) =>
    fetch(`${few.address()}/mcp`, {
      method: 'POST',
      signal,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'hr_find_employees',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'hr_find_employees',
          arguments: {},
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    }).then((response) => response.text());
  // A first call succeeds, so that later only the tool waits for the database.
  expect(await message(AbortSignal.timeout(10_000))).toContain('"success"');
  const release = await hold(few);
  for (let n = 0; n < 2; n++) await message(AbortSignal.timeout(1_500)).catch(() => undefined);
  expect(await message(AbortSignal.timeout(5_000))).toContain('More than 2 calls at once.');
  await release();
  await expect.poll(() => message(AbortSignal.timeout(5_000))).toContain('"success"');
  await few.close();
}, 180_000);

/** Blocks reads of employees: on a server with a table lock, in the embedded database by occupying its only session. */
async function hold({ owner, tamshai }: TestServer): Promise<() => Promise<void>> {
  if (onServers) {
    await owner('begin');
    await owner('lock table hr.employees in access exclusive mode');
    return async () => void (await owner('rollback'));
  }
  let release = () => {};
  const busy = tamshai.embedded?.transaction(
    'hr_self_write',
    { text: 'select 1', values: [] },
    () => new Promise<void>((resolve) => (release = resolve)),
  );
  return async () => {
    release();
    await busy;
  };
}

async function recorded(tool: string) {
  const { body } = await testServer.send<{ data: { tool: string }[] }>('GET', '/api/audit', {
    token: await testServer.token('eve.thompson'),
  });
  return body.data.filter((record) => record.tool === tool);
}
