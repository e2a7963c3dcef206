/** Every tool with every set of roles at every endpoint behaves as contracts/roles.md says. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFolder } from '../../src/server/package.ts';
import type { Realm } from '../../src/declare/people.ts';
import { qualifiedName } from '../../src/engine/registry.ts';
import type { Tool } from '../../src/declare/tool.ts';
import { personas } from '../../domains/sample-company/people.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { DOMAINS, openTestServer } from '../test-server.ts';
import type { Ready } from './arrange.ts';
import { codeOf, concurrently, ToolCaller, SURFACES } from '../../src/testing/tool-caller.ts';
import { ready, tools } from './calls.ts';
import { CUSTOMER_ROLES, rolesIn, STAFF_ROLES } from '../registry.ts';

let testServer: TestServer;
let toolCaller: ToolCaller;
const valid = new Map<Tool, Ready>();
beforeAll(async () => {
  testServer = await openTestServer();
  toolCaller = new ToolCaller(testServer);
  for (const tool of tools) valid.set(tool, await ready(testServer, tool));
}, 120_000);
afterAll(() => testServer?.close());

const KINDS = new Set(tools.map(({ kind }): string => kind));
/** Qualified tool name → the roles that may call it, as in the committed page. */
const matrix = new Map<string, Set<string>>();
{
  let server = '';
  for (const row of readFileSync(join(packageFolder, 'contracts', 'roles.md'), 'utf8').split('\n')) {
    server = /^## (\w+):/.exec(row)?.[1] ?? server;
    const [, tool = '', kind = '', role = ''] = row.split('|').map((cell) => cell.trim());
    if (!KINDS.has(kind)) continue;
    const key = `${server}_${tool}`;
    matrix.set(key, (matrix.get(key) ?? new Set()).add(role));
  }
}

/** The roles that a refusal names: those of the tool, of the list that an analysis is about, or of the tool that shows a record. */
function rolesFor(tool: Tool, { of, type }: Readonly<Record<string, unknown>>): string[] {
  const list = tool.kind === 'analyze' ? tool.lists.find(({ name }) => name === of) : undefined;
  const shown = tool.kind === 'history' ? tool.records.find((each) => each.type === type)?.shownBy[0] : undefined;
  return [...(list ?? shown ?? tool).roles];
}

const staff = ['employee'] as const;
const SETS: [Realm, readonly string[]][] = [
  ['staff', []],
  ...STAFF_ROLES.map((role): [Realm, string[]] => ['staff', [role]]),
  ...STAFF_ROLES.filter((role) => role !== 'employee').map((role): [Realm, string[]] => ['staff', [...staff, role]]),
  ...personas.filter(({ realm }) => realm === 'staff').map(({ roles }): [Realm, readonly string[]] => ['staff', roles]),
  ['staff', ['employee', 'manager', 'hr-read']],
  ['staff', ['user']],
  ['staff', ['Executive', 'admin', 'hr-write ', '*']],
  ['staff', ['lead-customer', 'basic-customer']],
  ...CUSTOMER_ROLES.map((role): [Realm, string[]] => ['customer', [role]]),
  ['customer', []],
  ['customer', ['employee', 'executive', 'hr-write']],
];
/** Each set of roles once, in whatever order the roles are named. */
const sets = [...new Map(SETS.map(([realm, roles]) => [`${realm}: ${roles.toSorted().join(', ') || 'none'}`, { realm, roles }]))];
const ACCOUNT: Record<Realm, string> = { staff: 'eve.thompson', customer: 'jane.smith@acme.example' };

it('the committed page names every tool, and at least 18 sets of roles are tried', () => {
  expect([...matrix.keys()].toSorted()).toEqual(tools.map(qualifiedName).toSorted());
  expect(sets.length).toBeGreaterThanOrEqual(18);
});

describe.each(sets)('%s', (_name, { realm, roles }) => {
  const user = ACCOUNT[realm];
  const who = { user, roles };
  const held = rolesIn(realm, roles);
  const opened = (tool: Tool) => [...(matrix.get(qualifiedName(tool)) ?? [])].some((role) => held.has(role as never));
  beforeAll(async () => {
    await testServer.tamshai.modules.identity.accounts.setRoles(user, roles);
    toolCaller.forget();
  });

  it('is allowed or refused at every endpoint alike, by every name, and every refusal is audited', async () => {
    const found: string[] = [];
    const expected: string[] = [];
    const refused = new Map<string, string>();
    const calls = tools.flatMap((tool) =>
      [tool.name, ...tool.aliases].flatMap((name) => SURFACES.map((endpoint) => ({ tool, name, endpoint }))),
    );
    await concurrently(calls, async ({ tool, name, endpoint }) => {
      // Permitted callers send an undeclared key, so they get a validation error and nothing is executed. Others send a valid input.
      const input = opened(tool) ? { no_such_input: 1 } : (valid.get(tool)?.input ?? {});
      const { status, answer, result, requestId, error } = await toolCaller.call(endpoint, who, tool, input, { name });
      const over = endpoint.endsWith('mcp') ? (result?.isError === true ? 'isError' : `not isError ${JSON.stringify(error)}`) : status;
      found.push(`${qualifiedName(tool)} (${name}) by ${endpoint}: ${over} ${codeOf(answer)}`);
      const wanted = opened(tool) ? [400, 'VALIDATION_ERROR'] : [403, 'INSUFFICIENT_PERMISSIONS'];
      expected.push(`${qualifiedName(tool)} (${name}) by ${endpoint}: ${endpoint.endsWith('mcp') ? 'isError' : wanted[0]} ${wanted[1]}`);
      if (opened(tool)) return;
      refused.set(requestId, `${tool.name} INSUFFICIENT_PERMISSIONS refused`);
      expect(answer).toMatchObject({ status: 'error', retryable: false, details: { requiredRoles: rolesFor(tool, input) } });
      expect(Object.keys(answer).toSorted()).toEqual(['code', 'details', 'message', 'retryable', 'status', 'suggestedAction']);
    });
    expect(found).toEqual(expected);
    const auditLog = new Map(
      (await recorded(refused.size + tools.length * 8)).map((each) => [
        each['requestId'],
        `${each['tool']} ${each['code']} ${each['decision']}`,
      ]),
    );
    for (const [requestId, wanted] of refused) expect(auditLog.get(requestId)).toBe(wanted);
  });

  it('lists exactly the allowed tools, on the gateway and on each server', async () => {
    const open = tools.filter(opened);
    expect(await toolCaller.listed(who)).toEqual(open.map(qualifiedName).toSorted());
    const { body } = await testServer.send<{ data: { servers: { name: string; tools: { name: string }[] }[] } }>(
      'GET',
      '/api/user/mcp-tools',
      {
        token: await toolCaller.token(who),
      },
    );
    const listed = body.data.servers.flatMap(({ name, tools: own }) => own.map((tool) => `${name}_${tool.name}`));
    expect(listed.toSorted()).toEqual(open.map(qualifiedName).toSorted());
    for (const server of DOMAINS) {
      const own = open.filter(({ domain }) => domain.name === server);
      expect(await toolCaller.listed(who, server)).toEqual(own.map(({ name }) => name).toSorted());
      expect(await toolCaller.listed(who, undefined, `?servers=${server}`)).toEqual(own.map(qualifiedName).toSorted());
    }
    expect(await toolCaller.listed(who, undefined, `?servers=${DOMAINS.join(',')}`)).toEqual(open.map(qualifiedName).toSorted());
  });
});

/** The newest records of all chains, as stored. */
async function recorded(limit: number): Promise<Record<string, unknown>[]> {
  const found = await Promise.all(testServer.tamshai.modules.audit.sources.map((source) => source.newest({ limit })));
  return found.flat().map(({ body }) => JSON.parse(body) as Record<string, unknown>);
}

describe('?servers=', () => {
  const eve = { user: ACCOUNT.staff };
  beforeAll(async () => {
    const { accounts } = testServer.tamshai.modules.identity;
    await accounts.setRoles(eve.user, accounts.find(eve.user)?.roles ?? []);
    toolCaller.forget();
  });
  it('restricts calls as well as lists', async () => {
    for (const tool of tools) {
      const other = DOMAINS.find((server) => server !== tool.domain.name);
      const input = { no_such_input: 1 };
      const outside = await toolCaller.call('mcp', eve, tool, input, { query: `?servers=${other}` });
      expect([tool.name, outside.result, outside.error?.code]).toEqual([tool.name, undefined, -32602]);
      expect((await toolCaller.call('mcp', eve, tool, input, { query: `?servers=${tool.domain.name}` })).result).toBeDefined();
    }
  });
  it.each([
    '?servers=',
    '?servers=nothing',
    `?servers=${DOMAINS[0]},nothing`,
    `?servers=${DOMAINS[0]}&servers=nothing`,
    `?servers=${DOMAINS[0]},`,
    '?servers=*',
    `?servers=${DOMAINS[0]?.toUpperCase()}`,
  ])('%s is refused with 400, and does not select all servers', async (query) => {
    const token = await toolCaller.token(eve, { mcp: true });
    for (const method of ['tools/list', 'tools/call']) {
      const { status, text } = await testServer.rpc(
        token,
        method,
        method === 'tools/call' ? { name: qualifiedName(tools[0] as Tool), arguments: {} } : {},
        { query },
      );
      expect([status, JSON.parse(text)]).toMatchObject([400, { code: 'VALIDATION_ERROR' }]);
    }
  });
  it.each(DOMAINS)('%s serves no tool of another domain', async (server) => {
    const other = DOMAINS.find((name) => name !== server) ?? '';
    const token = await toolCaller.token(eve, { mcp: true, server });
    expect((await testServer.rpc(token, 'tools/list', {}, { server, query: `?servers=${other}` })).status).toBe(400);
    const foreign = tools.find(({ domain }) => domain.name === other);
    for (const name of [foreign?.name, `${other}_${foreign?.name}`]) {
      expect((await testServer.rpc(token, 'tools/call', { name, arguments: {} }, { server })).error?.code).toBe(-32602);
    }
    const direct = await testServer.send('POST', `/tools/${foreign?.name}`, {
      token: await toolCaller.token(eve, { server }),
      body: {},
      server,
    });
    expect([direct.status, codeOf(direct.body)]).toEqual([404, 'TOOL_NOT_FOUND']);
  });
});
