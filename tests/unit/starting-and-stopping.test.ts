/** Readiness of a process, and requests that it receives during its start. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { type Listener, listen } from '../../src/server/listen.ts';
import { createReadiness } from '../../src/server/readiness.ts';
import type { ToolBackend } from '../../src/gateway/backends.ts';

describe('a process', () => {
  const never = () => new Promise<void>(() => {});
  const well = async () => {};
  const gone = async () => Promise.reject(new Error('gone'));
  const made = (silentMs = 60_000) => {
    const now = { store: well as () => Promise<void>, hr: well as () => Promise<void> };
    const hr = { remote: false, ping: () => now.hr() } as ToolBackend;
    const { ready } = createReadiness({ shared: [{ ping: () => now.store() }], backends: [hr], deadlineMs: 20, silentMs });
    const isReady = () =>
      ready().then(
        () => true,
        () => false,
      );
    return { now, isReady };
  };

  it.each(['store', 'hr'] as const)('is not ready while %s refuses, and is ready again afterwards', async (what) => {
    const { now, isReady } = made();
    expect(await isReady()).toBe(true);
    now[what] = gone;
    expect(await isReady()).toBe(false);
    // After a refusal, a check that does not answer counts as failed, not as slow.
    now[what] = never;
    expect(await isReady()).toBe(false);
    now[what] = well;
    expect(await isReady()).toBe(true);
  });

  it.each(['store', 'hr'] as const)('stays ready while %s is slow, up to a limit', async (what) => {
    const patient = made();
    const impatient = made(0);
    for (const { isReady } of [patient, impatient]) expect(await isReady()).toBe(true);
    for (const { now } of [patient, impatient]) now[what] = never;
    expect([await patient.isReady(), await impatient.isReady()]).toEqual([true, false]);
  });

  it('is not ready before the first answer of a check, even if the answer comes late', async () => {
    const { now, isReady } = made();
    let answer = () => {};
    now.hr = () => new Promise((resolve) => (answer = resolve));
    expect(await isReady()).toBe(false);
    answer();
    now.hr = never;
    await expect.poll(isReady).toBe(true);
  });
});

describe('a starting process', () => {
  let listener: Listener | undefined;
  afterEach(() => listener?.close());

  it('holds early requests until it can answer them, and answers probes at once', async () => {
    const started = await listen('hr', { hosts: ['127.0.0.1'], port: 0 });
    listener = started;
    const at = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${started.port}${path}`, init);
    let over = 0;
    const early = Array.from({ length: 3 }, async (_, n) => {
      const answer = await at('/tools/x', { method: 'POST', body: `body ${n}` });
      over++;
      return [answer.status, await answer.text()];
    });
    const leaving = new AbortController();
    const left = at('/tools/left', { signal: leaving.signal }).catch(() => 'left');
    for (const look of ['/ready', '/health']) expect((await at(look)).status).toBe(503);
    leaving.abort();
    expect([await left, over]).toEqual(['left', 0]);

    started.serve((req, res) => void req.pipe(res));
    expect(await Promise.all(early)).toEqual([0, 1, 2].map((n) => [200, `body ${n}`]));
    expect((await at('/ready')).status).toBe(200);
  });

  it('answers held requests with a retry hint when the start fails', async () => {
    const started = await listen('hr', { hosts: ['127.0.0.1'], port: 0 });
    const waiting = request({ port: started.port, host: '127.0.0.1', method: 'POST', path: '/tools/x' });
    const answered = once(waiting, 'response') as Promise<[IncomingMessage]>;
    waiting.end('{}');
    await once(waiting, 'finish');
    // The answer to a later request proves that the server has received the held request.
    await fetch(`http://127.0.0.1:${started.port}/ready`);
    await started.close();
    const [answer] = await answered;
    expect([answer.statusCode, await json(answer)]).toMatchObject([503, { code: 'SERVICE_UNAVAILABLE', retryable: true }]);
  });
});
