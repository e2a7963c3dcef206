/** Test server with the built-in identity provider, the web pages and stub approval endpoints. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import type { CardChange, ConfirmationData } from '../../src/declare/answer.ts';
import type { Caller } from '../../src/engine/caller.ts';
import { Failure, failure } from '../../src/declare/errors.ts';
import type { KeyValue } from '../../src/engine/ports.ts';
import { cardDigest } from '../../src/gateway/pages/approve.ts';
import { createPageRoutes } from '../../src/gateway/pages/routes.ts';
import type { ConfirmationState } from '../../src/gateway/pages/state.ts';
import { type Accounts, createAccounts } from '../../src/identity/accounts.ts';
import { type EmbeddedProvider, createEmbeddedProvider } from '../../src/identity/embedded/provider.ts';
import { createEmbeddedIssuer } from '../../src/identity/issuers.ts';
import { derive, openKeys } from '../../src/identity/keys.ts';
import { type Revocations, createRevocations } from '../../src/identity/revocation.ts';
import { createVerifier } from '../../src/identity/verify.ts';
import { openWebBuild } from '../../src/identity/web/build.ts';
import { type WebSessions, createWebSessions } from '../../src/identity/web/sessions.ts';
import { persona, personas } from '../../domains/sample-company/people.ts';
import { openSqliteKeyValue } from '../../src/storage/kv/sqlite.ts';
import { WEB_BUILD } from '../services/built.ts';
import { folder, testPeople } from './identity-support.ts';
import { emptyEngineStore } from '../engine-database.ts';
import { builtIn } from '../registry.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface Ticket {
  readonly owner: string;
  readonly card: Mutable<ConfirmationState>;
}

export interface TestServer {
  readonly base: string;
  readonly kv: KeyValue;
  readonly accounts: Accounts;
  readonly sessions: WebSessions;
  readonly provider: EmbeddedProvider;
  readonly app: FastifyInstance;
  readonly sealKey: Buffer;
  readonly denied: Revocations;
  readonly tickets: Map<string, Ticket>;
  /** Every decision that the server received, in order. */
  readonly decisions: { readonly id: string; readonly approved: unknown }[];
  /** Makes requests to a path fail: the server hangs up, or answers with the returned status. */
  trouble: ((path: string) => 'hang-up' | number | undefined) | undefined;
  ticket(username: string, change?: Partial<ConfirmationData>, state?: Partial<ConfirmationState>): string;
  close(): Promise<void>;
}

interface TestServerOptions {
  readonly scriptedApprovals?: boolean;
  /** The folder of the built scripts and styles. */
  readonly webFolder?: string;
}

export const SALARY: readonly CardChange[] = [
  { field: 'salary', label: 'Salary', from: 112000, to: 120000, format: 'money', currency: 'USD' },
  { field: 'effective_date', label: 'Effective', from: null, to: '2026-12-01', format: 'date' },
];

/** Starts the provider, the web pages and the stub approval endpoints on one port. */
export async function testServer({ scriptedApprovals = false, webFolder = WEB_BUILD }: TestServerOptions = {}): Promise<TestServer> {
  const build = openWebBuild(webFolder);
  let provider: EmbeddedProvider | undefined;
  const app = Fastify({
    forceCloseConnections: true,
    serverFactory: (handler) =>
      createServer((req, res) => (provider?.handles(req.url ?? '') ? void provider.handler(req, res) : handler(req, res))),
  });
  // Finds a free port first, because all parts need to know the base address.
  const probe = createServer();
  await new Promise<void>((done) => probe.listen(0, '127.0.0.1', done));
  const { port } = probe.address() as AddressInfo;
  await new Promise((done) => probe.close(done));
  const base = `http://localhost:${port}`;

  const kv = openSqliteKeyValue(':memory:');
  const keys = openKeys(folder());
  const all = createAccounts(kv, personas, { roles: builtIn.roles });
  const denied = createRevocations(kv);
  const store = await emptyEngineStore();
  provider = createEmbeddedProvider({ base, keys, accounts: all, kv, store, revocations: denied, servers: [], scriptedApprovals, build });
  const issuers = (['staff', 'customer'] as const).map((realm) =>
    createEmbeddedIssuer({ roles: builtIn.roles, realm, base, keys, accounts: all }),
  );
  const verifier = createVerifier({ issuers, people: testPeople(), denied, clock: { now: () => new Date() } });
  const web = (issuer: string) => ({ issuer, clientId: 'tamshai-web', embedded: true });
  const sealKey = derive(keys, 'cookie');
  const sessions = createWebSessions({
    base,
    kv,
    issuers: { staff: web(provider.issuers.staff), customer: web(provider.issuers.customer) },
    sealKey,
    verify: verifier.verify,
    build,
  });

  const tickets = new Map<string, Ticket>();
  const decisions: TestServer['decisions'] = [];
  const confirmation = async (id: string, caller: Caller): Promise<ConfirmationState> => {
    const ticket = tickets.get(id);
    if (!ticket) throw failure('CONFIRMATION_NOT_FOUND', 'Confirmation not found or expired.');
    if (ticket.owner !== caller.person.username) throw failure('USER_MISMATCH', 'This change waits for someone else.');
    return ticket.card;
  };
  const own = async (caller: Caller) =>
    [...tickets.values()].filter(({ owner, card }) => owner === caller.person.username && card.state === 'waiting').map(({ card }) => card);
  const made: TestServer = {
    base,
    kv,
    accounts: all,
    sessions,
    provider,
    app,
    sealKey,
    denied,
    tickets,
    decisions,
    trouble: undefined,
    ticket(username, change = {}, state = {}) {
      const confirmationId = randomUUID();
      const confirmationData: ConfirmationData = {
        action: 'update_salary',
        mcpServer: 'hr',
        userId: persona(username).sub,
        timestamp: Date.now(),
        expiresAt: new Date(Date.now() + 300_000).toISOString(),
        approvalUrl: `${base}/approve/${confirmationId}`,
        summary: 'Change Sarah Kim’s salary from $112,000 to $120,000 a year.',
        subject: { label: 'Sarah Kim', id: persona('sarah.kim').sub },
        changes: SALARY,
        reason: 'Promotion to Senior Engineer, agreed in the October review',
        destructive: false,
        origin: 'Claude Desktop',
        ...change,
      };
      const card: ConfirmationState = { state: 'waiting', confirmationId, message: confirmationData.summary, confirmationData, ...state };
      tickets.set(confirmationId, { owner: username, card: { ...card } });
      return confirmationId;
    },
    close: async () => {
      await app.close();
      await kv.close();
    },
  };

  app.addHook('onRequest', async (req, reply) => {
    const fate = made.trouble?.(req.url);
    if (fate === 'hang-up') {
      reply.hijack();
      req.raw.socket.destroy();
    } else if (fate !== undefined) return reply.code(fate).send({ status: 'error', message: 'Not now.' });
    return undefined;
  });
  app.setErrorHandler(async (error, _req, reply) =>
    error instanceof Failure
      ? reply.code(error.status).send(error.answer())
      : reply.code(500).send({ status: 'error', message: String(error) }),
  );
  const caller = async (req: Parameters<WebSessions['authenticate']>[0]) => {
    const found = await sessions.authenticate(req);
    if (!found) throw failure('UNAUTHENTICATED', 'Sign in.');
    return found;
  };
  app.get<{ Params: { id: string } }>('/api/confirmations/:id', async (req) => confirmation(req.params.id, await caller(req.raw)));
  app.get('/api/confirmations', async (req) => own(await caller(req.raw)));
  app.post<{ Params: { id: string }; Body: { approved: boolean } }>('/api/confirm/:id', async (req) => {
    const state = await confirmation(req.params.id, await caller(req.raw));
    sessions.checkCsrf(req.raw);
    sessions.checkCsrf(req.raw, { header: 'x-tamshai-card', about: cardDigest(state) });
    decisions.push({ id: req.params.id, approved: req.body.approved });
    const { card } = tickets.get(req.params.id) ?? {};
    if (card?.state === 'waiting')
      Object.assign(card, { state: req.body.approved ? 'done' : 'denied', decidedAt: new Date().toISOString() });
    return { status: 'success', data: {} };
  });
  createPageRoutes(app, {
    sessions,
    confirmation,
    waiting: own,
    base,
    frame: { build, banners: { development: true, scriptedApprovals } },
  });
  await app.listen({ port, host: '127.0.0.1' });
  return made;
}
