/** Error texts for MCP clients name the required roles, and tools that the endpoint has. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createQualifier } from '../../src/derive/qualify.ts';
import { toolFailure } from '../../src/declare/errors.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import { builtIn } from '../registry.ts';

let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer();
}, 120_000);
afterAll(() => testServer.close());

async function textOf(user: string, server: string, tool: string, { input = {}, direct = false }: { input?: object; direct?: boolean }) {
  const token = await testServer.token(user, { mcp: true, ...(direct && { server }) });
  const params = { name: direct ? tool : `${server}_${tool}`, arguments: input };
  const { result } = await testServer.rpc(token, 'tools/call', params, direct ? { server } : {});
  return { text: result?.content[0]?.text ?? '', answer: result?.structuredContent };
}

describe('the text of an error', () => {
  it('names the roles that may call a tool', async () => {
    const { text } = await textOf('marcus.johnson', 'sales', 'list_leads', {});
    expect(text).not.toContain('details');
    for (const role of builtIn.find('sales', 'list_leads')?.roles ?? []) expect(text).toContain(role);
    expect(text).toMatch(
      /^You do not have permission to use sales_list_leads\. Your roles: [a-z, -]+\. Ask someone who holds one of these roles: /,
    );
  });

  it('ends the message with a full stop before the hint', async () => {
    const { text } = await textOf('marcus.johnson', 'tasks', 'complete_task', { input: { task_id: 999_999 } });
    expect(text).toBe('Task not found. Find the id of one of your tasks with tasks_list_tasks.');
  });

  it('names tools as the caller has to call them: with the server at the gateway, without it at a domain server', async () => {
    const input = { employee_id: randomUUID() };
    const gateway = await textOf('alice.chen', 'hr', 'get_employee', { input });
    expect(gateway.text).toContain('with hr_find_employees or hr_list_employees.');
    expect(gateway.answer).toMatchObject({ suggestedAction: expect.stringContaining('hr_find_employees') as string });
    const direct = await textOf('alice.chen', 'hr', 'get_employee', { input, direct: true });
    expect(direct.text).toContain('with find_employees or list_employees.');
    const rest = await testServer.rest('alice.chen', 'hr', 'get_employee', input);
    expect(rest.body).toMatchObject({ suggestedAction: expect.stringContaining('with find_employees') as string });
  });

  it('uses the same tool names as the descriptions in tools/list', async () => {
    const token = await testServer.token('alice.chen', { mcp: true });
    const listed = await testServer.rpc<{ tools: { name: string; inputSchema: unknown }[] }>(token, 'tools/list');
    const schema = listed.result?.tools.find(({ name }) => name === 'hr_get_employee')?.inputSchema;
    expect(JSON.stringify(schema)).toContain('hr_find_employees');
  });
});

const registry = builtIn;
const names = new Set(registry.tools.map(({ name }) => name));
const hints = registry.tools.flatMap((tool) =>
  Object.keys(tool.errors).map((code) => ({ tool, ...toolFailure(code, tool.errors).answer() })),
);
it.each(hints)('the hint of $tool.domain.name $tool.name $code names each tool with its server', ({ tool, suggestedAction }) => {
  const qualified = createQualifier(registry).text(suggestedAction, tool.domain.name);
  for (const [name] of qualified.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)) expect(names).not.toContain(name);
  expect(qualified).toMatch(/[.!?]$/);
  expect(qualified).not.toMatch(/\bwith (?:query|store|delete|history|relate|undo)\b/);
});
