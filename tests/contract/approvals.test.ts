/** Every write needs an approval: no effect before it, exactly one after it, and none when a row that the card showed has changed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { packageFolder } from '../../src/server/package.ts';
import { type AnyDomain, effectOf } from '../../src/declare/tool.ts';
import { persona } from '../../domains/sample-company/people.ts';
import type { Reply } from '../../src/testing/test-client.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import { codeOf, concurrently, ToolCaller, leakIn } from '../../src/testing/tool-caller.ts';
import { STAFF } from './calls.ts';
import type { VersionedRow } from '../../src/testing/raw-store.ts';
import { snapshot } from './restore.ts';
import { type Asked, askFor, effectsOf, fingerprint, isShown, rowsAround, touch, writes } from './writes.ts';

let testServer: TestServer;
let restore: (domain: AnyDomain) => Promise<void>;
beforeAll(async () => {
  testServer = await openTestServer();
  restore = await snapshot(testServer);
}, 120_000);
afterAll(async () => {
  expect(testServer?.logged.filter((entry) => entry.includes('"level":"error"'))).toEqual([]);
  await testServer?.close();
});

interface View {
  readonly data: { readonly state: string; readonly result?: unknown; readonly error?: { readonly code: string } };
}
const view = async (as: string, id: string) =>
  (await testServer.send<View>('GET', `/api/confirmations/${id}`, { token: await testServer.token(as) })).body.data;
const waiting = async (as: string) => {
  const { body } = await testServer.send<{ data: { confirmationId: string }[] }>('GET', '/api/confirmations', {
    token: await testServer.token(as),
  });
  return body.data.map(({ confirmationId }) => confirmationId);
};
const schemas = new AjvJsonSchemaValidator();

/** Other people try each ticket in turns of this many: the ticket store compares principals, whatever the tool. */
const TURNS = 4;

describe.each(writes)('%s', (name, tool) => {
  const turn = writes.findIndex(([each]) => each === name) % TURNS;
  beforeEach(async () => {
    await restore(tool.domain);
    // Lets the tickets of earlier tests expire.
    testServer.clock.pass(301);
  });
  const NONE = { effects: 0, records: 0 };
  const ONE = { effects: 1, records: 1 };
  const decide = ({ as, ticket }: Asked, approved: boolean) => testServer.decide(as, ticket.confirmationId, approved);
  const outcome = ({ ticket }: Asked) => effectsOf(testServer, tool, ticket.confirmationId);

  it('returns the same pending ticket for a repeated request, and writes nothing', async () => {
    const before = await fingerprint(testServer, tool);
    const asked = await askFor(testServer, tool);
    const toolCaller = new ToolCaller(testServer);
    for (const endpoint of ['rest', 'mcp', 'direct', 'direct-mcp'] as const) {
      const { answer } = await toolCaller.call(endpoint, asked.as, tool, asked.input);
      expect(answer).toEqual(asked.ticket);
    }
    const { confirmationData: card, confirmationId, message } = asked.ticket;
    expect(card).toMatchObject({
      action: tool.name,
      mcpServer: tool.domain.name,
      userId: persona(asked.as).employeeId ?? persona(asked.as).sub,
      destructive: effectOf(tool) === 'removes',
    });
    expect(card.approvalUrl).toBe(`${testServer.tamshai.base}/approve/${confirmationId}`);
    expect(Date.parse(card.expiresAt) - card.timestamp).toBe(300_000);
    expect(message).toContain(card.summary);
    expect(card.changes.length).toBeGreaterThan(0);
    expect(await waiting(asked.as)).toEqual([confirmationId]);
    expect(await view(asked.as, confirmationId)).toMatchObject({ state: 'waiting', confirmationId, confirmationData: card });
    expect([await fingerprint(testServer, tool), await outcome(asked)]).toEqual([before, NONE]);
  });

  it('takes effect once, however often it is approved, and every approval returns the same result', async () => {
    const before = await fingerprint(testServer, tool);
    const asked = await askFor(testServer, tool);
    const replies = await Promise.all(Array.from({ length: 20 }, () => decide(asked, true)));
    const [first] = replies;
    for (const { status, text } of replies) expect([status, text]).toEqual([200, first?.text]);
    expect(first?.body.status).toBe('success');
    expect(await outcome(asked)).toEqual(ONE);
    const after = await fingerprint(testServer, tool);
    expect(after).not.toBe(before);

    const { afterApproval } = JSON.parse(
      readFileSync(join(packageFolder, 'contracts', 'tools', tool.domain.name, `${tool.name}.json`), 'utf8'),
    ) as { afterApproval: Parameters<typeof schemas.getValidator>[0] };
    expect(schemas.getValidator(afterApproval)(first?.body).errorMessage).toBeUndefined();
    expect(leakIn(first?.text ?? '')).toBeUndefined();
    // A retry after a lost response, and a later status request.
    expect((await decide(asked, true)).text).toBe(first?.text);
    expect(await view(asked.as, asked.ticket.confirmationId)).toMatchObject({ state: 'done', result: first?.body });
    const late = await decide(asked, false);
    expect([late.status, codeOf(late.body)]).toEqual([409, 'ALREADY_DECIDED']);
    expect(await waiting(asked.as)).toEqual([]);
    expect([await fingerprint(testServer, tool), await outcome(asked)]).toEqual([after, ONE]);
  });

  it('has no effect after a denial, and the same request is refused after two denials', async () => {
    const before = await fingerprint(testServer, tool);
    const asked = await askFor(testServer, tool);
    const denied = await decide(asked, false);
    expect([denied.status, denied.body]).toMatchObject([
      200,
      { status: 'cancelled', confirmationId: asked.ticket.confirmationId, message: expect.stringContaining('Action cancelled by user') },
    ]);
    expect((await decide(asked, false)).text).toBe(denied.text);
    const late = await decide(asked, true);
    expect([late.status, codeOf(late.body)]).toEqual([409, 'ALREADY_DECIDED']);
    expect(await view(asked.as, asked.ticket.confirmationId)).toMatchObject({ state: 'denied' });

    const ask = () => testServer.rest(asked.as, tool.domain.name, tool.name, asked.input);
    const again = (await ask()).body;
    if (again.status !== 'pending_confirmation') throw new Error(JSON.stringify(again));
    expect(again.confirmationId).not.toBe(asked.ticket.confirmationId);
    await testServer.decide(asked.as, again.confirmationId, false);
    const third = await ask();
    expect([third.status, codeOf(third.body), third.headers['retry-after']]).toEqual([429, 'RATE_LIMITED', expect.stringMatching(/^\d+$/)]);
    expect(await waiting(asked.as)).toEqual([]);
    expect([await fingerprint(testServer, tool), await outcome(asked)]).toEqual([before, NONE]);
  });

  it('expires after five minutes', async () => {
    const before = await fingerprint(testServer, tool);
    const asked = await askFor(testServer, tool);
    testServer.clock.pass(299);
    expect((await view(asked.as, asked.ticket.confirmationId)).state).toBe('waiting');
    testServer.clock.pass(2);
    for (const approved of [true, false]) {
      const { status, body } = await decide(asked, approved);
      expect([status, body]).toMatchObject([
        404,
        { code: 'CONFIRMATION_NOT_FOUND', message: expect.stringContaining('Confirmation not found or expired') },
      ]);
    }
    expect((await view(asked.as, asked.ticket.confirmationId)).state).toBe('expired');
    expect(await waiting(asked.as)).toEqual([]);
    expect([await fingerprint(testServer, tool), await outcome(asked)]).toEqual([before, NONE]);
  });

  it('has one outcome when it is approved and denied at the same time', async () => {
    const asked = await askFor(testServer, tool);
    const replies: Reply<{ status: string }>[] = await Promise.all(Array.from({ length: 12 }, (_, n) => decide(asked, n % 2 === 0)));
    const codes = (approved: boolean) => new Set(replies.filter((_, n) => (n % 2 === 0) === approved).map(({ body }) => codeOf(body)));
    const { effects } = await outcome(asked);
    expect([codes(true), codes(false)]).toEqual(
      effects === 1 ? [new Set(['success']), new Set(['ALREADY_DECIDED'])] : [new Set(['ALREADY_DECIDED']), new Set(['cancelled'])],
    );
    expect(await outcome(asked)).toEqual(effects === 1 ? ONE : NONE);
  });

  it('can be neither decided nor read by another person', async () => {
    const asked = await askFor(testServer, tool);
    // The write may end the employment of the person that it is about; that person would then be refused for another reason.
    const others = STAFF.filter((_, n) => n % TURNS === turn).filter(
      (username) => username !== asked.as && persona(username).employeeId !== asked.ticket.confirmationData.subject.id,
    );
    expect(others.length).toBeGreaterThan(0);
    const messages = new Set<string>();
    const outsiders = () =>
      concurrently(others, async (other) => {
        for (const approved of [true, false]) {
          const { status, body, text } = await testServer.decide(other, asked.ticket.confirmationId, approved);
          expect([other, status, codeOf(body)]).toEqual([other, 403, 'USER_MISMATCH']);
          messages.add(text);
        }
        const look = await testServer.send('GET', `/api/confirmations/${asked.ticket.confirmationId}`, {
          token: await testServer.token(other),
        });
        expect([look.status, codeOf(look.body)]).toEqual([403, 'USER_MISMATCH']);
        expect(await waiting(other)).not.toContain(asked.ticket.confirmationId);
      });
    await outsiders();
    expect((await decide(asked, true)).body.status).toBe('success');
    await outsiders();
    // Before and after the decision, every other person gets the same message.
    expect(messages.size).toBe(1);
    expect([...messages][0]).not.toContain(asked.ticket.confirmationData.subject.label);
  });

  it('is not executed when the requester has lost the role', async () => {
    const { accounts } = testServer.tamshai.modules.identity;
    const asked = await askFor(testServer, tool);
    const before = await fingerprint(testServer, tool);
    const token = await testServer.token(asked.as, { approve: true });
    // One call first, so that the account is cached with its old roles.
    await testServer.send('GET', '/api/user/info', { token });
    try {
      await accounts.setRoles(
        asked.as,
        persona(asked.as).roles.filter(
          (role) => !tool.roles.some((needed) => role === needed || role === needed.replace('-read', '-write')),
        ),
      );
      const approve = () => testServer.send('POST', `/api/confirm/${asked.ticket.confirmationId}`, { token, body: { approved: true } });
      const { status, body } = await approve();
      expect([status, codeOf(body)]).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
    } finally {
      await accounts.setRoles(asked.as, persona(asked.as).roles);
    }
    // The ticket is used up: regaining the old roles does not revive it.
    const again = await decide(asked, true);
    expect([again.status, codeOf(again.body)]).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
    expect([await fingerprint(testServer, tool), await outcome(asked)]).toEqual([before, NONE]);
  });

  it('is not executed when the requester has left', async () => {
    const asked = await askFor(testServer, tool);
    // A customer has no employment that could end.
    if (persona(asked.as).realm === 'customer') return;
    const token = await testServer.token(asked.as, { approve: true });
    await testServer.send('GET', '/api/user/info', { token });
    await testServer.owner('update hr.employees set active = false, terminated_at = clock_timestamp() where employee_id = $1', [
      persona(asked.as).employeeId,
    ]);
    const before = await fingerprint(testServer, tool);
    const { status, body } = await testServer.send('POST', `/api/confirm/${asked.ticket.confirmationId}`, {
      token,
      body: { approved: true },
    });
    expect([status, codeOf(body)]).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
    expect([await fingerprint(testServer, tool), await outcome(asked)]).toEqual([before, NONE]);
  });

  it('is not executed when any row on the card has changed', async () => {
    const asked = await askFor(testServer, tool);
    const rows = await rowsAround(testServer, tool, asked);
    const shown = rows.filter((row) => isShown(row, asked));
    // Changes all rows of one table that belong to the ticket, for each table, and then each row on the card alone.
    const attempts = [...new Set(rows.map(({ table }) => table)), ...shown].map((each) =>
      typeof each === 'string' ? rows.filter(({ table }) => table === each) : [each],
    );
    let guarded = 0;
    for (const touched of attempts) {
      const { stopped } = await changedMeanwhile(touched);
      const mustStop = touched.some((row) => shown.includes(row));
      expect([touched[0]?.table, touched[0]?.key, stopped || !mustStop]).toEqual([touched[0]?.table, touched[0]?.key, true]);
      if (stopped) guarded++;
      else await restore(tool.domain);
    }
    // A new record may show no row.
    if (shown.length > 0 || effectOf(tool) !== 'adds') expect(guarded, 'no row guards this change').toBeGreaterThan(0);
  }, 90_000);

  async function changedMeanwhile(rows: readonly VersionedRow[]): Promise<{ stopped: boolean }> {
    testServer.clock.pass(301);
    const asked = await askFor(testServer, tool);
    for (const row of rows) await touch(testServer, tool, row);
    const before = await fingerprint(testServer, tool);
    const { status, body } = await decide(asked, true);
    if (body.status === 'success') {
      expect(await outcome(asked)).toEqual(ONE);
      return { stopped: false };
    }
    expect([status, codeOf(body)]).toEqual([409, 'CHANGED_SINCE_APPROVAL']);
    expect([await fingerprint(testServer, tool), await outcome(asked)]).toEqual([before, NONE]);
    expect(await view(asked.as, asked.ticket.confirmationId)).toMatchObject({ state: 'failed', error: { code: 'CHANGED_SINCE_APPROVAL' } });
    // The ticket is used up: a new request shows the current values.
    expect(codeOf((await decide(asked, true)).body)).toBe('CHANGED_SINCE_APPROVAL');
    expect((await testServer.ask(asked.as, tool.domain.name, tool.name, asked.input)).confirmationId).not.toBe(asked.ticket.confirmationId);
    return { stopped: true };
  }
});
