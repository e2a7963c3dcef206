/** Test fixture of the MCP transport: an MCP endpoint with four people and six tools, without a database. */
import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Answer, PendingAnswer } from '../../src/declare/answer.ts';
import type { Caller } from '../../src/engine/caller.ts';
import { failure } from '../../src/declare/errors.ts';
import { openSqliteKeyValue } from '../../src/storage/kv/sqlite.ts';
import { createHostGuard, loopbackAddresses } from '../../src/transports/request.ts';
import { type McpHandler, type McpOptions, createMcpTransport, type TicketView, type ToolCall } from '../../src/transports/mcp/index.ts';

const object = { type: 'object' as const };
const outputSchema = { ...object, properties: { status: { enum: ['success', 'error', 'pending_confirmation'] } }, required: ['status'] };
const tool = (name: string) => ({ name, title: name, description: `The tool ${name}`, inputSchema: object, outputSchema });
const OPEN = ['notes_echo', 'notes_fail', 'notes_break', 'notes_raise', 'notes_wait'].map(tool);
const CLOSED = [...OPEN, tool('notes_secret')];
const NAMES = new Set(CLOSED.map(({ name }) => name));
const listing = (tools: readonly object[]) => ({ tools, bytes: Buffer.from(JSON.stringify({ tools }).slice(1, -1)) });
const LISTS = { open: listing(OPEN), closed: listing(CLOSED) };

/** Test tokens: `alice` is Alice with the default client, `alice/other` is Alice with the client "other". */
export function callerOf(token: string): Caller {
  const [username = '', client = 'desk'] = token.split('/');
  return {
    person: {
      principal: `https://id.example|${username}`,
      sub: username,
      realm: 'staff',
      username,
      name: username,
      email: `${username}@tamshai.example`,
      employeeId: undefined,
      organizationId: undefined,
      roles: new Set(['employee']),
    },
    token: { id: token, client, issuedAt: 0, expiresAt: 4_000_000_000 },
    approves: 'nothing',
    origin: client,
  };
}

const PEOPLE = new Set(['alice', 'bob', 'carol', 'dave']);

export interface Fixture {
  readonly url: string;
  readonly port: number;
  readonly handler: McpHandler;
  /** Every run of a tool, in order. */
  readonly calls: { name: string; args: unknown; by: string; clientName: string | undefined; signal: AbortSignal }[];
  readonly tickets: Map<string, TicketView & { pending: PendingAnswer; by: string }>;
  readonly revoked: Set<string>;
  readonly logged: string[];
  /** Number of authentications. */
  authenticated: number;
  now: number;
  decide(confirmationId: string, view: TicketView): void;
  close(): Promise<void>;
}

export const key = (value: string) => createHash('sha256').update(value).digest();

export async function startFixture(over: Partial<McpOptions> = {}): Promise<Fixture> {
  const server = http.createServer((req, res) => fixture.handler(req, res));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;

  const call = ({ name, args, caller, clientName, signal }: ToolCall): Promise<Answer> | undefined => {
    if (!NAMES.has(name)) return undefined;
    const by = caller.person.username;
    fixture.calls.push({ name, args, by, clientName, signal });
    return run(name, args, by, signal);
  };
  async function run(name: string, args: unknown, by: string, signal: AbortSignal): Promise<Answer> {
    if (name === 'notes_fail') throw failure('VALIDATION_ERROR', 'The note is too long.', { field: 'note' });
    if (name === 'notes_break') throw new Error('connect ECONNREFUSED 10.0.0.7:5432');
    if (name === 'notes_secret' && by !== 'alice') return failure('INSUFFICIENT_PERMISSIONS', 'Only Alice may do this.').answer();
    if (name === 'notes_wait') await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return name === 'notes_raise' ? pendingFor(args, by) : { status: 'success', data: { echo: args, umlaut: 'é "quoted" \u2028', by } };
  }
  function pendingFor(args: unknown, by: string): PendingAnswer {
    const hex = key(JSON.stringify([by, args])).toString('hex');
    const confirmationId = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    const known = fixture.tickets.get(confirmationId);
    if (known !== undefined) return known.pending;
    const pending: PendingAnswer = {
      status: 'pending_confirmation',
      confirmationId,
      message: 'Raise the note.',
      confirmationData: {
        action: 'raise',
        mcpServer: 'notes',
        userId: by,
        timestamp: 0,
        expiresAt: '2030-01-01T00:00:00Z',
        approvalUrl: `http://localhost:3100/approvals/${confirmationId}`,
        summary: 'Raise the note',
        subject: { label: 'Note', id: '1' },
        changes: [],
        reason: null,
        destructive: false,
        origin: 'test',
      },
    };
    fixture.tickets.set(confirmationId, { state: 'waiting', answer: pending, pending, by });
    return pending;
  }

  const log = (_: unknown, message: string) => void fixture.logged.push(message);
  const options: McpOptions = {
    serverInfo: { name: 'fixture', title: 'Fixture', version: '1.0.0' },
    instructions: 'Only for tests.',
    guard: createHostGuard(loopbackAddresses(port)),
    authenticate({ headers }) {
      fixture.authenticated++;
      const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
      if (token === undefined || !PEOPLE.has(token.split('/')[0] ?? '') || fixture.revoked.has(token))
        throw failure('UNAUTHENTICATED', 'Sign in first.');
      return callerOf(token);
    },
    challenge: () => `Bearer resource_metadata="http://localhost:${port}/.well-known/oauth-protected-resource/mcp"`,
    async recheck({ token }) {
      if (fixture.revoked.has(token.id)) throw failure('UNAUTHENTICATED', 'Sign in first.');
    },
    select({ searchParams }) {
      const named = searchParams.get('servers')?.split(',') ?? [];
      if (named.some((name) => name !== 'notes')) throw failure('VALIDATION_ERROR', 'There is no such server.');
      return new Set(named);
    },
    list: ({ person }) => (person.username === 'alice' ? LISTS.closed : LISTS.open),
    call,
    describe: (name, answer) => (answer.status === 'success' ? `${name} did it` : answer.message),
    async ticket(confirmationId, { person }) {
      const ticket = fixture.tickets.get(confirmationId);
      return ticket?.by === person.username ? ticket : { state: 'unknown' };
    },
    stateKey: key('state'),
    kept: openSqliteKeyValue(':memory:'),
    clock: { now: () => new Date(fixture.now) },
    log: { info: log, warn: log, error: log },
    ...over,
  };
  const fixture: Fixture = {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    handler: createMcpTransport(options),
    calls: [],
    tickets: new Map(),
    revoked: new Set(),
    logged: [],
    authenticated: 0,
    now: 1_900_000_000_000,
    decide(confirmationId, view) {
      const ticket = fixture.tickets.get(confirmationId);
      if (ticket === undefined) throw new Error('no such ticket');
      fixture.tickets.set(confirmationId, { pending: ticket.pending, by: ticket.by, ...view });
    },
    async close() {
      await fixture.handler.close();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return fixture;
}
