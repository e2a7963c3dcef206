/** The domain in another process, as the gateway reaches it: by a signed identity, for reading and for following alike. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Caller } from '../../src/core/caller.ts';
import { remoteBackend, type ToolBackend } from '../../src/gateway/backends.ts';
import { link } from '../../src/gateway/link.ts';
import { openSite, type Site } from '../site.ts';

let site: Site;
let far: ToolBackend;
let marcus: Caller;
let customer: Caller;
beforeAll(async () => {
  site = await openSite();
  const { registry, clock, log, runtime, identity } = site.tamshai.wiring;
  const between = link({ server: 'knowledge', url: site.address('knowledge'), log, deadlineMs: 30_000 });
  site.later(() => between.close());
  const feed = registry.feeds.find(({ domain }) => domain.name === 'knowledge');
  const key = site.keys.gateway.current;
  far = remoteBackend({
    server: 'knowledge',
    title: 'What we know',
    link: between,
    registry,
    feed,
    key,
    clock,
    log,
    approvalUrl: runtime.approvalUrl,
  });
  const callerOf = async (user: string) => identity.verifier.verify(await site.token(user), [`${site.tamshai.base}/api`]);
  [marcus, customer] = [await callerOf('marcus.johnson'), await callerOf('jane.smith@acme.example')];
}, 600_000);
afterAll(() => site.close());

const read = (tool: string, input: object, caller = marcus) =>
  far.call({ server: 'knowledge', tool, input, caller, surface: 'mcp', requestId: 'far' });

test('a resource is read page by page, and refused in the same words', async () => {
  const first = await read('knowledge://entries', { limit: 2 });
  if (first.status !== 'success') throw new Error(JSON.stringify(first));
  const page = first.data as { items: unknown[]; next_cursor: string };
  expect(page).toMatchObject({ resource_uri: 'knowledge://entries', as_of_tx_id: expect.any(Number) });
  expect(page.items).toHaveLength(2);
  expect(await read('knowledge://entries', { cursor: page.next_cursor })).toMatchObject({ status: 'success' });
  expect(await read('knowledge://entries', { cursor: 'x' })).toMatchObject({ code: 'INVALID_CURSOR' });
  expect(await read('knowledge://entries', {}, customer)).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS' });
  expect(await read('knowledge://nothing', {})).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  expect(await read('prompts/retrieve-context#topic', { value: 'deploy' })).toMatchObject({ status: 'success' });
});

test('what the other server cannot even read is refused, and is no fault of that server', async () => {
  const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) });
  const bad: readonly (readonly [string, object, string])[] = [
    ['a NUL', { limit: '\0' }, 'VALIDATION_ERROR'],
    ['half a character', { limit: '\ud800' }, 'VALIDATION_ERROR'],
    ['much in each other', deep(32), 'VALIDATION_ERROR'],
    ['many keys', Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`k${n}`, 1])), 'VALIDATION_ERROR'],
    ['a lot', Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`k${n}`, 'x'.repeat(60_000)])), 'PAYLOAD_TOO_LARGE'],
  ];
  // More often than it takes to leave a server alone.
  for (let round = 0; round < 3; round++)
    for (const [what, input, code] of bad) {
      const answer = await read('knowledge://entries', input);
      expect([what, answer.status === 'error' && answer.code, far.available()]).toEqual([what, code, true]);
    }
  for (const name of ['x'.repeat(20_000), `${'é'.repeat(150)}\ud83d`, `${'x'.repeat(199)}😀`, '../../x', 'a\0b'])
    expect([name.slice(0, 20), await read(name, {}), far.available()]).toMatchObject([
      name.slice(0, 20),
      { status: 'error', code: 'TOOL_NOT_FOUND' },
      true,
    ]);
  expect(await read('knowledge://entries', { limit: 2 })).toMatchObject({ status: 'success' });
});

test('what changes is followed from there, by whoever may', async () => {
  const begun = await read('knowledge://entries#subscribe', {});
  if (begun.status !== 'success') throw new Error(JSON.stringify(begun));
  const after = begun.data as number;
  const next = far.changes({ caller: marcus, after });
  const { body } = await site.rest('sarah.kim', 'knowledge', 'store', { topic: 'far away', content: 'Told across.' });
  if (body.status !== 'success') throw new Error(JSON.stringify(body));
  const stored = body.data as { id: string; tx_id: number };
  expect(await next).toEqual([
    { resource_uri: 'knowledge://entries', tx_id: stored.tx_id, change_type: 'upsert', changed_ids: [stored.id] },
    { resource_uri: 'knowledge://history/transactions', tx_id: stored.tx_id, change_type: 'upsert', changed_ids: [String(stored.tx_id)] },
  ]);
  await expect(far.changes({ caller: customer, after })).rejects.toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS' });
  const { status } = await site.send('POST', '/changes', {
    server: 'knowledge',
    token: await site.token('marcus.johnson', { server: 'knowledge' }),
    body: { after: 0 },
  });
  expect(status).toBe(401);
});
