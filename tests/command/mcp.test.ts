/** `tamshai mcp`: desktop clients start the command and use MCP over standard input and output. */
import { spawn } from 'node:child_process';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { persona } from '../../domains/sample-company/people.ts';
import {
  bin,
  build,
  environment,
  DEADLINE_MS,
  prepared,
  removeFolders,
  ROOT,
  type Settings,
  type TestServer,
  testServer,
  tamshai,
} from './command-support.ts';

vi.setConfig({ testTimeout: DEADLINE_MS, hookTimeout: 3 * DEADLINE_MS });
let running: TestServer;
beforeAll(async () => {
  build();
  running = await testServer(await prepared());
});
afterAll(async () => {
  await running?.stop();
  removeFolders();
});

const command = (args: readonly string[], settings: Settings = running.settings) => ({
  command: process.execPath,
  args: [bin(), 'mcp', ...args],
  env: environment(settings) as Record<string, string>,
  cwd: ROOT,
  stderr: 'pipe' as const,
});
const clientInfo = { name: 'Desk', version: '1' };
const salary = { employee_id: persona('sarah.kim').employeeId, new_salary: 119_000 };

describe.each(['2026-07-28', '2025-11-25'])('a current client that speaks %s', (version) => {
  test('lists and calls tools as the person it was started for', async () => {
    const client = new Client(clientInfo, { versionNegotiation: { mode: version === '2026-07-28' ? 'auto' : 'legacy' } });
    await client.connect(new StdioClientTransport(command(['--as', 'alice.chen'])));
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getServerVersion()).toMatchObject({ name: 'tamshai' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['hr_update_salary', 'tasks_list_tasks']));
    const found = await client.callTool({ name: 'hr_find_employees', arguments: { name: 'Sarah Kim' } });
    expect(found.structuredContent).toMatchObject({ status: 'success', data: [{ email: 'sarah.kim@tamshai.example' }] });
    const many = await Promise.all(Array.from({ length: 6 }, () => client.callTool({ name: 'tasks_list_tasks', arguments: {} })));
    expect(many.every(({ structuredContent }) => (structuredContent as { status: string }).status === 'success')).toBe(true);
    await expect(client.callTool({ name: 'hr_no_such_tool', arguments: {} })).rejects.toThrow(/Unknown tool/);
    await client.close();
  });

  test('gets the card of a change, never its effect, and the card names the client', async () => {
    const client = new Client(clientInfo, { versionNegotiation: { mode: version === '2026-07-28' ? 'auto' : 'legacy' } });
    await client.connect(new StdioClientTransport(command(['--as', 'alice.chen'])));
    const { structuredContent } = await client.callTool({
      name: 'hr_update_salary',
      arguments: { ...salary, new_salary: version === '2026-07-28' ? 119_000 : 119_001 },
    });
    expect(structuredContent).toMatchObject({ status: 'pending_confirmation', confirmationData: { origin: 'Desk' } });
    await client.close();
  });
});

test('a client of the previous SDK generation works too', async () => {
  const client = new OlderClient(clientInfo);
  await client.connect(new OlderTransport(command(['--as', 'frank.davis'])));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain('hr_update_salary');
  const { structuredContent } = await client.callTool({ name: 'tasks_list_tasks', arguments: {} });
  expect(structuredContent).toMatchObject({ status: 'success' });
  await client.close();
});

test('--servers restricts the tools', async () => {
  const client = new Client(clientInfo, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StdioClientTransport(command(['--as', 'marcus.johnson', '--servers', 'tasks'])));
  const { tools } = await client.listTools();
  expect(tools.length).toBeGreaterThan(0);
  expect(tools.every(({ name }) => name.startsWith('tasks_'))).toBe(true);
  await client.close();
});

test('an older client survives a restart of Tamshai, and gets an error meanwhile', async () => {
  const own = await prepared();
  const first = await testServer(own);
  const client = new OlderClient(clientInfo);
  await client.connect(new OlderTransport(command(['--as', 'nina.patel'], own)));
  const call = () => client.callTool({ name: 'tasks_list_tasks', arguments: {} });
  expect(await call()).toMatchObject({ structuredContent: { status: 'success' } });
  await first.stop();
  await expect(call()).rejects.toThrow(/Tamshai does not answer at http:\/\/localhost:\d+; start it with npm start\./);
  const second = await testServer(own);
  const answers = await Promise.all([call(), call(), call()]);
  for (const answer of answers) expect(answer).toMatchObject({ structuredContent: { status: 'success' } });
  await client.close();
  await second.stop();
});

test('ends when its client disconnects, and writes only messages to standard output', async () => {
  const asked = [
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
  ];
  const result = await tamshai(['mcp', '--as', 'nina.patel'], {
    settings: running.settings,
    input: asked.map((each) => `${JSON.stringify(each)}\n`).join(''),
  });
  // The input contains all messages at once and then ends; the command still answers all of them, in order.
  expect(result.code).toBe(0);
  const answers = result.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; result?: { tools?: unknown[] } });
  expect(answers.map(({ id }) => id)).toEqual([1, 2]);
  expect(answers[1]?.result?.tools?.length).toBeGreaterThan(5);
  const ended = await tamshai(['mcp', '--as', 'nina.patel'], { settings: running.settings, input: '' });
  expect(ended).toMatchObject({ code: 0, out: '' });
  expect(ended.err).toMatch(/^tamshai mcp: Nina Patel \(nina\.patel\) at http:\/\/localhost:\d+\n$/);
  const child = spawn(process.execPath, [bin(), 'mcp', '--as', 'nina.patel'], {
    cwd: ROOT,
    env: environment(running.settings),
    stdio: 'pipe',
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
  };
  child.stdin.write(`${JSON.stringify(initialize)}\nnot JSON at all\n`);
  while (!out.includes('\n')) await new Promise((resolve) => setTimeout(resolve, 50));
  child.stdin.end();
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
  for (const line of out.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({ id: 1, result: { protocolVersion: '2025-06-18' } });
});
