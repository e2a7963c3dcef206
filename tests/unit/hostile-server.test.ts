/** A remote server that hangs, sends wrong answers or is down: callers get an error in time, and no wrong answer is passed on. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../../src/declare/answer.ts';
import type { Ticket } from '../../src/engine/approvals/tickets.ts';
import type { Caller } from '../../src/engine/caller.ts';
import { Failure } from '../../src/declare/errors.ts';
import { createRemoteBackend, type ToolBackend } from '../../src/gateway/backends.ts';
import { ANSWERS_HEADER, answersTo, type UpstreamClient, createUpstreamClient } from '../../src/gateway/upstream-client.ts';
import { openKeys } from '../../src/identity/keys.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtIn } from '../registry.ts';

const registry = builtIn;
const folder = mkdtempSync(join(tmpdir(), 'tamshai-hostile-'));
const { gateway } = openKeys(folder);
rmSync(folder, { recursive: true });
const DEADLINE_MS = 600;

const caller: Caller = {
  person: {
    principal: 'staff:a',
    sub: 'a',
    realm: 'staff',
    username: 'a',
    name: 'A',
    email: 'a@x',
    employeeId: undefined,
    organizationId: undefined,
    roles: new Set(['employee']),
  },
  token: { id: 't', client: 'c', issuedAt: 0, expiresAt: 0 },
  approves: 'nothing',
  origin: 'test',
};

type Act = (req: IncomingMessage, res: ServerResponse) => void;
let act: Act;
let asked: string[];
let server: Server;
let url: string;
let far: UpstreamClient;
let backend: ToolBackend;
const lines: string[] = [];
const write = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
const log = { info: write, warn: write, error: write };

/** The headers of a correct server. */
const proper = (req: IncomingMessage) => ({
  'content-type': 'application/json',
  [ANSWERS_HEADER]: answersTo(req.headers.authorization ?? ''),
});
const answering =
  (body: unknown, status = 200): Act =>
  (req, res) => {
    res.writeHead(status, proper(req));
    res.end(JSON.stringify(body));
  };
const TASKS = {
  status: 'success',
  data: [],
  metadata: { hasMore: false, returnedCount: 0, totalEstimate: '0', truncated: false, totalCount: '0' },
};

beforeEach(async () => {
  asked = [];
  lines.length = 0;
  act = answering(TASKS);
  server = createServer((req, res) => {
    if (req.url === '/ready') return void res.end('{}');
    asked.push(req.url ?? '');
    req.resume().on('end', () => act(req, res));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  far = createUpstreamClient({
    server: 'tasks',
    url,
    log,
    deadlineMs: DEADLINE_MS,
    atOnce: 4,
    waiting: 4,
    breaker: { failures: 3, firstPauseMs: 50, longestPauseMs: 100 },
  });
  backend = createRemoteBackend({
    server: 'tasks',
    title: 'Tasks',
    upstream: far,
    registry,
    key: gateway.current,
    clock: { now: () => new Date() },
    log,
    approvalUrl: (id) => `http://here/approve/${id}`,
  });
});
afterEach(async () => {
  await backend.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const call = (tool = 'list_tasks', signal?: AbortSignal): Promise<Answer> =>
  backend.call({
    server: 'tasks',
    tool,
    input: tool === 'add_task' ? { title: 'x' } : {},
    caller,
    surface: 'rest',
    requestId: 'r1',
    signal,
  });
const missing = {
  status: 'error',
  code: 'SERVICE_UNAVAILABLE',
  message: 'Tasks does not answer.',
  retryable: true,
  details: { server: 'tasks' },
};
const unsure = { code: 'SERVICE_UNAVAILABLE', retryable: false, suggestedAction: expect.stringMatching(/^Check whether/) as string };

const LIES: Readonly<Record<string, Act>> = {
  'a page of HTML': (req, res) => res.writeHead(200, { ...proper(req), 'content-type': 'text/html' }).end('<h1>Sign in</h1>'),
  'JSON without a content type': (req, res) =>
    res.writeHead(200, { [ANSWERS_HEADER]: proper(req)[ANSWERS_HEADER] ?? '' }).end(JSON.stringify(TASKS)),
  'truncated JSON': (req, res) => res.writeHead(200, proper(req)).end('{"status":"success","da'),
  'a redirect': (req, res) => res.writeHead(307, { ...proper(req), location: `${url}/elsewhere` }).end(),
  'the answer to another request': (_req, res) =>
    res.writeHead(200, { 'content-type': 'application/json', [ANSWERS_HEADER]: 'x'.repeat(22) }).end(JSON.stringify(TASKS)),
  'an answer that names no request': (_req, res) => res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(TASKS)),
  'an answer of an unknown shape': answering({ ok: true }),
  'rows of another tool': answering({ ...TASKS, data: [{ employee_id: '1', salary: 100 }] }),
  'an answer without data': answering({ status: 'success' }),
  'a card for a tool that only reads': answering({
    status: 'pending_confirmation',
    confirmationId: '0e000000-0000-4000-8000-000000000008',
    message: 'Approve?',
    confirmationData: {},
  }),
  'an unknown error code': answering({ status: 'error', code: 'PAY_ME', message: 'x', suggestedAction: 'y', retryable: true }, 409),
  'the error UNAUTHENTICATED': answering(
    { status: 'error', code: 'UNAUTHENTICATED', message: 'x', suggestedAction: 'y', retryable: false },
    401,
  ),
  'the error NOT_FOUND': answering({ status: 'error', code: 'NOT_FOUND', message: 'x', suggestedAction: 'y', retryable: false }, 404),
  'five megabytes': (req, res) => res.writeHead(200, proper(req)).end(JSON.stringify({ ...TASKS, data: ['x'.repeat(5_000_000)] })),
  'an endless body': (req, res) => {
    res.writeHead(200, proper(req));
    const drip = setInterval(() => res.write(' '), 20);
    res.once('close', () => clearInterval(drip));
  },
  'headers without a body': (req, res) => res.writeHead(200, proper(req)).flushHeaders(),
  'nothing at all': () => {},
  'nothing and closes the connection': (req) => void req.socket.destroy(),
};

describe.each(Object.entries(LIES))('a server that sends %s', (_name, lie) => {
  it('is reported as unavailable, by name', async () => {
    act = lie;
    expect(await call()).toMatchObject(missing);
  });
  it('leaves the outcome of an immediate change unknown, and the change is sent again only after UNAUTHENTICATED', async () => {
    act = lie;
    const answer = await call('add_task');
    const refused = lie === LIES['the error UNAUTHENTICATED'];
    expect(answer).toMatchObject(refused ? missing : unsure);
    expect(asked).toHaveLength(refused ? 2 : 1);
  });
  it('makes an approval fail as retryable', async () => {
    act = lie;
    const ticket = {
      id: '0e000000-0000-4000-8000-000000000008',
      server: 'tasks',
      tool: 'list_tasks',
      input: {},
      card: {},
    } as unknown as Ticket;
    const asking = [() => backend.execute(ticket, caller, 'r'), () => backend.findResult(ticket, caller.person)];
    for (const ask of asking) await expect(ask()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryable: true });
  });
});

it('refusals and store errors of a server are passed on, and a refusal is never marked as retryable', async () => {
  act = answering({ status: 'error', code: 'VALIDATION_ERROR', message: 'x', suggestedAction: 'y', retryable: true, extra: 'z' }, 400);
  expect(await call()).toEqual({ status: 'error', code: 'VALIDATION_ERROR', message: 'x', suggestedAction: 'y', retryable: false });
  act = answering({ status: 'error', code: 'DATABASE_ERROR', message: 'x', suggestedAction: 'y', retryable: true }, 503);
  expect(await call()).toMatchObject({ code: 'DATABASE_ERROR', retryable: true });
  const ticket = {
    id: '0e000000-0000-4000-8000-000000000008',
    server: 'tasks',
    tool: 'list_tasks',
    input: {},
    card: {},
  } as unknown as Ticket;
  await expect(backend.execute(ticket, caller, 'r')).rejects.toSatisfy(
    (error) => error instanceof Failure && error.code === 'DATABASE_ERROR',
  );
});

it('a read is retried once after its connection was closed', async () => {
  let first = true;
  act = (req, res) => {
    if (!first) return answering(TASKS)(req, res);
    first = false;
    req.socket.destroy();
  };
  expect(await call()).toMatchObject({ status: 'success' });
  expect(asked).toHaveLength(2);
});

it('the circuit opens after a few failures, refuses at once, and closes when the server is back', async () => {
  act = () => {};
  await Promise.all([call(), call(), call()]);
  expect(backend.available()).toBe(false);
  const before = asked.length;
  expect(await call()).toMatchObject(missing);
  // Nothing was sent, so the outcome of the change is known: it failed.
  expect(await call('add_task')).toMatchObject(missing);
  expect(asked).toHaveLength(before);
  act = answering(TASKS);
  await expect.poll(() => backend.available()).toBe(true);
  expect(await call()).toMatchObject({ status: 'success' });
  expect(lines.join('\n')).toMatch(/circuit breaker opened.*\n(.*\n)*circuit breaker closed/);
});

it('after the circuit has closed again, a single failure opens it', async () => {
  act = (req) => void req.socket.destroy();
  await Promise.all([call(), call()]);
  await expect.poll(() => backend.available()).toBe(true);
  const before = asked.length;
  await call();
  expect([backend.available(), asked.length - before]).toEqual([false, 1]);
});

it('calls beyond the concurrency limit are refused at once', async () => {
  act = () => {};
  const waiting = Array.from({ length: 8 }, () => call());
  await pause(50);
  const started = performance.now();
  expect(await call()).toMatchObject(missing);
  expect(performance.now() - started).toBeLessThan(DEADLINE_MS / 2);
  await Promise.all(waiting);
});

it('a caller that disconnects does not count as a failure of the server', async () => {
  act = () => {};
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 30);
      return call('list_tasks', stop.signal);
    }),
  );
  for (const answer of answers) expect(answer).toMatchObject({ code: 'TIMEOUT' });
  expect(backend.available()).toBe(true);
});

it('the log contains no text, address or key of the server', async () => {
  act = answering({ status: 'error', code: 'X', message: 'SECRET-WORDS', suggestedAction: 'y', retryable: false });
  await call();
  act = (req) => void req.socket.destroy();
  await call();
  expect(lines.join('\n')).not.toMatch(/SECRET-WORDS|127\.0\.0\.1|Bearer|eyJ/);
  expect(lines.length).toBeGreaterThan(0);
});
