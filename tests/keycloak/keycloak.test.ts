/** Sign-in with a real Keycloak and the realm files in deploy/keycloak: roles, MCP clients, approvals and back-channel logout. */
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { persona } from '../../domains/sample-company/people.ts';
import { freePort } from '../services/server-process.ts';
import { type Keycloak, startKeycloak } from '../services/keycloak.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import { codeFlow, Person } from './pages.ts';
import { clientSettings, openToClients, PASSWORD, type Realm, realmOf } from './realms.ts';

let keycloak: Keycloak;
let testServer: TestServer;
let base: string;

beforeAll(async () => {
  const port = await freePort();
  base = `http://localhost:${port}`;
  const outsider = {
    username: 'mallory',
    firstName: 'Mallory',
    lastName: 'M',
    email: 'mallory@elsewhere.example',
    enabled: true,
    emailVerified: true,
    credentials: [{ type: 'password', value: PASSWORD, temporary: false }],
    realmRoles: ['executive'],
    attributes: { organization_id: [persona('jane.smith@acme.example').organizationId], employee_id: [persona('eve.thompson').employeeId] },
  };
  const customers = realmOf(base, 'tamshai-customers', ['jane.smith@acme.example'], [outsider]) as Realm & {
    roles: { realm: { name: string }[] };
  };
  customers.roles.realm.push({ name: 'executive' });
  const started = performance.now();
  keycloak = await startKeycloak([realmOf(base, 'tamshai-staff', ['alice.chen', 'nina.patel', 'sarah.kim', 'eve.thompson']), customers]);
  console.log(`${keycloak.version} after ${Math.round((performance.now() - started) / 1000)} s`);
  for (const realm of ['tamshai-staff', 'tamshai-customers']) await openToClients(keycloak, base, realm);
  testServer = await openTestServer({
    GATEWAY_PORT: String(port),
    TAMSHAI_SCRIPTED_APPROVALS: '0',
    ...clientSettings(keycloak),
  });
}, 600_000);
afterAll(async () => {
  await testServer?.close();
  await keycloak?.stop();
});

const someone = (username: string) => new Person(username, PASSWORD);
async function signIn(username: string, realm: 'staff' | 'customer' = 'staff'): Promise<Person> {
  const person = someone(username);
  const at = await person.walk(`${base}/signin?realm=${realm}&to=/approvals`, `${base}/`);
  // Customers land in the customer portal.
  expect([at.status, new URL(at.url).pathname]).toEqual([200, realm === 'staff' ? '/approvals' : '/portal']);
  return person;
}
const info = async (person: Person) => {
  const answer = await person.go(`${base}/api/user/info`);
  return {
    status: answer.status,
    body: (await answer.json()) as {
      data?: { username: string; roles: string[]; employee_id: string | null; organization_id: string | null };
    },
  };
};
async function tokens(person: Person, page: string) {
  const body = await (await person.go(page)).text();
  const find = (name: string) => new RegExp(`data-${name}="([^"]+)"`).exec(body)?.[1] ?? '';
  return { origin: base, 'content-type': 'application/json', 'x-tamshai-csrf': find('csrf'), 'x-tamshai-card': find('card') };
}
const decide = async (person: Person, id: string) => {
  const headers = await tokens(person, `${base}/approve/${id}`);
  const answer = await person.go(`${base}/api/confirm/${id}`, { method: 'POST', headers, body: '{"approved":true}' });
  return { status: answer.status, body: (await answer.json()) as { status: string; code?: string } };
};

/** Discovers the authorization server as an MCP client does, from the address of the MCP endpoint alone. */
async function discovered(): Promise<{
  resource: string;
  metadata: Parameters<typeof codeFlow>[1]['metadata'] & { registration_endpoint: string };
}> {
  const refused = await fetch(`${base}/mcp`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  expect(refused.status).toBe(401);
  const found = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1] ?? '';
  const { resource, authorization_servers: issuers } = (await (await fetch(found)).json()) as {
    resource: string;
    authorization_servers: string[];
  };
  const issuer = new URL(issuers[0] ?? '');
  const metadata = (await (await fetch(`${issuer.origin}/.well-known/oauth-authorization-server${issuer.pathname}`)).json()) as {
    registration_endpoint: string;
  };
  return { resource, metadata: metadata as never };
}
const REDIRECT = 'http://localhost:33418/callback';
async function mcpToken(username: string, clientId?: string): Promise<string> {
  const { resource, metadata } = await discovered();
  const registered = {
    client_name: 'Some editor',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(registered) };
  const own = clientId ?? ((await (await fetch(metadata.registration_endpoint, post)).json()) as { client_id: string }).client_id;
  const { access_token: token, ...rest } = await codeFlow(someone(username), { metadata, clientId: own, redirectUri: REDIRECT, resource });
  if (typeof token !== 'string') throw new Error(JSON.stringify(rest));
  return token;
}

it('staff sign in by code and PKCE, with the roles of their realm and their own employee record', async () => {
  const alice = await signIn('alice.chen');
  const { status, body } = await info(alice);
  expect(status).toBe(200);
  expect(body.data).toMatchObject({ username: 'alice.chen', employee_id: persona('alice.chen').employeeId, organization_id: null });
  expect(body.data?.roles).toEqual(['employee', 'hr-read', 'hr-write', 'manager']);
});

it('customers sign in at their own realm, where a role with the name of a staff role gives no rights', async () => {
  const jane = await info(await signIn('jane.smith@acme.example', 'customer'));
  expect(jane.body.data).toMatchObject({
    roles: ['lead-customer'],
    organization_id: persona('jane.smith@acme.example').organizationId,
    employee_id: null,
  });
  const mallory = await info(await signIn('mallory', 'customer'));
  expect(mallory.body.data).toMatchObject({ roles: [], employee_id: null });
});

it.each([
  ['that registers itself', undefined],
  ['that is configured in the realm', 'tamshai-mcp'],
])('an MCP client %s needs only the address, and its token is valid for /mcp only and approves nothing', async (_name, clientId) => {
  const token = await mcpToken('nina.patel', clientId);
  expect([decodeJwt(token).aud].flat()).toContain(`${base}/mcp`);
  const { result } = await testServer.rpc<{ tools: { name: string }[] }>(token, 'tools/list');
  const names = result?.tools.map(({ name }) => name) ?? [];
  expect(names).toContain('hr_list_employees');
  expect(names).not.toContain('hr_update_salary');
  const own = await testServer.rpc(token, 'tools/call', { name: 'hr_get_time_off_balances', arguments: {} });
  expect(own.result?.structuredContent).toMatchObject({ status: 'success' });
  expect((await testServer.send('GET', '/api/user/info', { token })).status).toBe(401);
});

it('a change requested by an MCP client is approved in the browser, but not by a person who lost the role', async () => {
  const token = await mcpToken('alice.chen', 'tamshai-mcp');
  const ask = async (amount: number) => {
    const { result } = await testServer.rpc(token, 'tools/call', {
      name: 'hr_update_salary',
      arguments: { employee_id: persona('sarah.kim').employeeId, new_salary: amount },
    });
    return (result?.structuredContent as { confirmationId: string } | undefined)?.confirmationId ?? '';
  };
  const alice = await signIn('alice.chen');
  expect(await decide(alice, await ask(123_000))).toMatchObject({ status: 200, body: { status: 'success' } });

  const second = await ask(124_000);
  const [role] = [await keycloak.admin<object>('GET', '/tamshai-staff/roles/hr-write')];
  const mappings = `/tamshai-staff/users/${persona('alice.chen').sub}/role-mappings/realm`;
  await keycloak.admin('DELETE', mappings, [role]);
  try {
    // After this time the gateway has to ask Keycloak again before it accepts her decision, and learns that the role was removed.
    await new Promise((resolve) => setTimeout(resolve, 46_000));
    expect(await decide(alice, second)).toMatchObject({ status: 403 });
    const [paid] = await testServer.owner('select salary from hr.pay where employee_id = $1', [persona('sarah.kim').employeeId]);
    expect(Number(paid?.['salary'])).toBe(123_000);
  } finally {
    await keycloak.admin('POST', mappings, [role]);
  }
}, 240_000);

it('a sign-out at Keycloak ends the session of the web app', async () => {
  const eve = await signIn('eve.thompson');
  expect((await info(eve)).status).toBe(200);
  await keycloak.admin('POST', `/tamshai-staff/users/${persona('eve.thompson').sub}/logout`);
  await expect.poll(async () => (await info(eve)).status, { timeout: 15_000, interval: 1_000 }).toBe(401);
}, 60_000);

it('a logout token that Keycloak did not sign ends no session', async () => {
  const nina = await signIn('nina.patel');
  for (const body of [new URLSearchParams({ logout_token: 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.' }), new URLSearchParams()])
    expect((await fetch(`${base}/signin/logout`, { method: 'POST', body })).status).toBe(400);
  expect((await info(nina)).status).toBe(200);
});
