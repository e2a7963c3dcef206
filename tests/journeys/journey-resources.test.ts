/** The resources of the journey, read by MCP clients of both generations at the gateway and at the journey server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import { type AnyClient, CLIENTS } from './resource-clients.ts';

const PATTERNS = [
  'journey://failures/{topic}',
  'journey://decisions/{adr-id}',
  'journey://evolution/{component}',
  'journey://phoenix/{version}',
];
const READ: readonly (readonly [string, RegExp])[] = [
  ['journey://failures/sqlite', /^# Failures: sqlite\n/],
  ['journey://failures/row-level-security', /an update without a condition passed the row policy/],
  ['journey://failures/row%20level%20security', /an update without a condition passed the row policy/],
  ['journey://decisions/3', /^# ADR 3: /],
  ['journey://decisions/ADR-0004', /^# ADR 4: /],
  ['journey://evolution/storage', /^# Evolution: storage\n/],
  ['journey://lessons', /^# Lessons\n/],
  ['journey://phoenix/latest', /^# Recovery: latest\n/],
  ['journey://phoenix/0.1.0', /after a kill/],
];
const HOSTILE = [
  'journey://decisions/../../keys',
  'journey://decisions/%2e%2e',
  'journey://decisions/%2e%2e%2f%2e%2e%2fkeys.json',
  'journey://decisions/..%5c..%5ckeys',
  'journey://decisions/%252e%252e%252fkeys',
  'journey://decisions/adr-0003-prepare-runs-twice/../../package.json',
  'journey://decisions//3',
  'journey://decisions/',
  'journey://decisions',
  'journey://decisions/%00',
  'journey://decisions/%ff',
  'journey://decisions/9999',
  'journey://decisions/3?path=/etc/passwd',
  'journey://decisions/3#x',
  'journey://user@decisions/3',
  'JOURNEY://decisions/3',
  'journey://failures/etc/passwd',
  'journey://failures/zeppelin',
  'journey://evolution/__proto__',
  'journey://phoenix/99',
  `journey://failures/${'x'.repeat(5_000)}`,
  'file:///etc/passwd',
  'file:///srv/docs/journey/adr-0001-declare-once.md',
];

let testServer: TestServer;
beforeAll(async () => {
  testServer = await openTestServer();
}, 120_000);
afterAll(() => testServer?.close());

describe.each(['gateway', 'journey'])('at %s', (server) => {
  const open = async (connect: (typeof CLIENTS)[number][1], user: string) =>
    connect(`${testServer.address(server)}/mcp`, await testServer.token(user, { mcp: true, ...(server !== 'gateway' && { server }) }));

  describe.each(CLIENTS)('%s', (_name, connect) => {
    let client: AnyClient;
    beforeAll(async () => {
      client = await open(connect, 'marcus.johnson');
    });
    afterAll(() => client?.close());

    test('lists four templates and one resource, as Markdown', async () => {
      const templates = (await client.templates()).filter(({ uriTemplate }) => String(uriTemplate).startsWith('journey:'));
      expect(templates.map(({ uriTemplate }) => String(uriTemplate)).toSorted()).toEqual(PATTERNS.toSorted());
      const [lessons] = (await client.resources()).filter(({ uri }) => String(uri).startsWith('journey:'));
      expect(lessons).toMatchObject({ uri: 'journey://lessons', name: 'lessons', mimeType: 'text/markdown' });
      for (const each of templates) expect(each).toMatchObject({ mimeType: 'text/markdown', description: expect.stringMatching(/./) });
    });

    test.each(READ)('reads %s', async (uri, expected) => {
      const found = await client.read(uri);
      expect([found.uri, found.mimeType]).toEqual([uri, 'text/markdown']);
      expect(found.text).toMatch(expected);
    });

    test('completes a partial argument', async () => {
      const of = (uri: string, name: string, value: string) => client.complete({ type: 'ref/resource', uri }, name, value);
      expect(await of('journey://decisions/{adr-id}', 'adr-id', 'ADR-001')).toContain('ADR-0010');
      expect(await of('journey://evolution/{component}', 'component', 'stor')).toEqual(['storage']);
      expect(await of('journey://phoenix/{version}', 'version', 'la')).toEqual(['latest']);
      expect(await of('journey://failures/{topic}', 'topic', 'row')).toEqual(['row-level-security']);
    });

    test('refuses hostile and unknown URIs without revealing anything', async () => {
      for (const uri of HOSTILE) {
        const refused = await client.read(uri).then(
          ({ text }) => text,
          (error: Error) => error,
        );
        expect([uri, refused]).toEqual([uri, expect.any(Error)]);
        // The error may repeat the URI, but contains nothing of the file system or the store.
        expect((refused as Error).message.replace(uri, '')).not.toMatch(/ENOENT|EISDIR|no such file|sqlite|node:|\/srv|\/etc\/shadow/i);
      }
    });
  });

  test.each(['jane.smith@acme.example', 'tim.tech@initech.example'])(
    '%s, a customer, neither sees nor reads a resource of the journey',
    async (user) => {
      const [, connect] = CLIENTS[0] ?? expect.fail('no client');
      const client = await open(connect, user);
      try {
        const shown = [...(await client.resources().catch(() => [])), ...(await client.templates().catch(() => []))];
        expect(JSON.stringify(shown)).not.toContain('journey:');
        for (const [uri] of READ) await expect(client.read(uri)).rejects.toThrow(/permission/);
        await expect(client.complete({ type: 'ref/resource', uri: 'journey://decisions/{adr-id}' }, 'adr-id', '')).rejects.toThrow(
          /permission/,
        );
      } finally {
        await client.close();
      }
    },
  );
});

test('reads are recorded in the audit log, refused ones too', async () => {
  const { body } = await testServer.send<{ data: { server: string; tool: string; decision: string; username: string }[] }>(
    'GET',
    '/api/audit?limit=50',
    {
      token: await testServer.token('eve.thompson'),
    },
  );
  const mine = body.data.filter(({ tool }) => tool.includes('journey://'));
  expect(mine.map(({ decision }) => decision)).toEqual(expect.arrayContaining(['refused']));
  expect(mine.map(({ username }) => username)).toContain('tim.tech@initech.example');
});
