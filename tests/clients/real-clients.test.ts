/** Third-party MCP clients against the whole product: the Python SDK and the MCP Inspector (tests/unit covers the TypeScript SDKs). */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../src/declare/answer.ts';
import { inspector, pythonSdk } from '../services/clients.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

const run = promisify(execFile);
let testServer: TestServer;
let expected: string[];
beforeAll(async () => {
  // The first run downloads the clients, hence the long timeout.
  pythonSdk();
  inspector();
  testServer = await openTestServer();
  const listed = await testServer.rpc<{ tools: { name: string }[] }>(await testServer.token('frank.davis', { mcp: true }), 'tools/list');
  expected = listed.result?.tools.map(({ name }) => name) ?? [];
}, 900_000);
afterAll(() => testServer.close());

const token = () => testServer.token('frank.davis', { mcp: true });
const address = () => `${testServer.address()}/mcp`;

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { type: string; text?: string }[];
  readonly structuredContent: Answer;
}
const rowsOf = ({ structuredContent }: Result) => (structuredContent.status === 'success' ? (structuredContent.data as unknown[]) : []);

describe('the Python SDK', () => {
  const script = fileURLToPath(new URL('./session.py', import.meta.url));
  test.each([
    ['modern', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ])('as a %s client it speaks %s, sees the same tools, gets rows and understands a refusal', async (era, version) => {
    const { stdout } = await run('python3', [script, address(), await token(), era], { env: { ...process.env, ...pythonSdk() } });
    const said = JSON.parse(stdout) as { version: string; tools: string[]; found: Result; refused: Result };
    expect(said.version).toBe(version);
    expect(said.tools).toEqual(expected);
    expect(rowsOf(said.found)).toHaveLength(2);
    expect(said.refused).toMatchObject({ isError: true, structuredContent: { status: 'error', code: 'VALIDATION_ERROR' } });
  });
});

describe('the MCP Inspector on the command line', () => {
  const inspect = async (...args: string[]) => {
    const [node, program] = inspector();
    const { stdout } = await run(
      node,
      [program, '--cli', address(), '--transport', 'http', '--header', `Authorization: Bearer ${await token()}`, ...args],
      { maxBuffer: 1 << 24 },
    );
    return JSON.parse(stdout) as unknown;
  };

  test('lists the same tools as tools/list', async () => {
    const { tools } = (await inspect('--method', 'tools/list')) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(expected);
  });

  test('calls a tool and gets its rows', async () => {
    const found = (await inspect('--method', 'tools/call', '--tool-name', 'hr_find_employees', '--tool-arg', 'limit=2')) as Result;
    expect(rowsOf(found)).toHaveLength(2);
    expect(found.content.map(({ type }) => type)).toEqual(['text', 'resource']);
  });
});
