/** The routes of the gateway's REST API: authenticate, validate, delegate. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { dayIn } from '../declare/company.ts';
import type { ConfirmationView, DecisionService } from '../engine/approvals/decisions.ts';
import { openapiDocument } from '../derive/openapi.ts';
import { Failure, failure } from '../declare/errors.ts';
import { auditFilters } from '../engine/audit/filters.ts';
import { GET_HISTORY } from '../engine/history/tool.ts';
import type { Registry } from '../engine/registry.ts';
import type { UnexecutedDecision } from '../engine/audit/recorder.ts';
import type { RecordRefused } from '../engine/audit/refused.ts';
import { inputOf, sendAnswer, unreadBody } from '../transports/rest.ts';
import { callerIfAny, isLocal } from './access.ts';
import type { ToolBackend } from './backends.ts';
import { docsDocument, docsPolicy } from './docs-page.ts';
import { missingFrom, toolsOf } from './listing.ts';
import { answersInTime } from './probe.ts';
import type { AuditReader } from './audit-log.ts';
import { parsed, type CallersOptions, createCallers } from './callers.ts';

export interface GatewayRoutes extends CallersOptions {
  readonly registry: Registry;
  readonly version: string;
  readonly backend: (server: string) => ToolBackend;
  /** Rejects while the server must not get requests. */
  readonly ready: () => Promise<void>;
  readonly decide: DecisionService;
  readonly auditLog: AuditReader;
  /** The name of the assistant's model. */
  readonly model: string;
  /** Checks that a browser's decision comes from the page that showed this card. */
  readonly checkCard: (req: IncomingMessage, card: ConfirmationView) => void;
  /** Records a decision without a successful execution: a denial or a refusal. */
  readonly recordDecision: (decision: UnexecutedDecision) => Promise<void>;
  /** Records a call that was refused before its body was read. */
  readonly recordRefused: RecordRefused;
  /** The style sheet of the API reference. */
  readonly docsStyle?: string | undefined;
}

const decision = z.strictObject({ approved: z.boolean('approved must be true or false') });
const which = z.strictObject({ decided: z.enum(['true', 'false']).default('false') });
const page = z.strictObject({ limit: z.coerce.number().int().min(1).max(50).default(50), cursor: z.string().max(4000).optional() });
const auditQuery = page.extend(auditFilters.shape).strict();

export function createGatewayRoutes(app: FastifyInstance, deps: GatewayRoutes): void {
  const { registry, backend, decide } = deps;

  const { caller, countedCaller } = createCallers(deps);
  /** Only local users and staff may read the API schemas. */
  async function requireStaffOrLocal(req: FastifyRequest): Promise<void> {
    if (!isLocal(req.raw) && (await caller(req)).person.realm !== 'staff')
      throw failure('INSUFFICIENT_PERMISSIONS', 'This is for members of staff.');
  }

  /** True for the browser session of a staff member. An expired session is not an error here. */
  const isStaffSession = (req: FastifyRequest): Promise<boolean> =>
    req.headers.cookie === undefined
      ? Promise.resolve(false)
      : Promise.resolve(deps.authenticate(req.raw)).then(
          ({ person }) => person.realm === 'staff',
          () => false,
        );

  type Unread = { readonly server: string; readonly tool: string; readonly confirmationId?: string };
  const recordUnread = async (req: FastifyRequest, refused: Failure, about: Unread) => {
    const who = await callerIfAny(() => caller(req, about.confirmationId !== undefined));
    if (who === undefined) return refused;
    return deps.recordRefused({ ...about, caller: who, surface: 'rest', requestId: req.id, body: unreadBody(req) }, refused);
  };
  const ofTool = (req: FastifyRequest, refused: Failure) => recordUnread(req, refused, req.params as { server: string; tool: string });
  const ofDecision = (req: FastifyRequest, refused: Failure) =>
    recordUnread(req, refused, { server: 'gateway', tool: 'confirm', confirmationId: (req.params as { id: string }).id });

  app.post<{ Params: { server: string; tool: string } }>('/api/tools/:server/:tool', { config: { record: ofTool } }, async (req, reply) => {
    const who = await caller(req);
    req.recorded = true;
    const { server, tool } = req.params;
    const found = registry.find(server, tool);
    const request = {
      server,
      tool: found?.name ?? tool,
      input: inputOf(req.body),
      caller: who,
      surface: 'rest' as const,
      requestId: req.id,
    };
    return sendAnswer(reply, await backend(server).call(request), found);
  });

  app.get<{ Params: { server: string; type: string; id: string } }>('/api/history/:server/:type/:id', async (req, reply) => {
    const { server, type, id } = req.params;
    const tool = registry.find(server, GET_HISTORY);
    const input = { ...parsed(page, req.query), type, id };
    const request = { server, tool: GET_HISTORY, input, caller: await caller(req), surface: 'rest' as const, requestId: req.id };
    return sendAnswer(reply, await backend(server).call(request), tool);
  });

  app.post<{ Params: { id: string } }>('/api/confirm/:id', { config: { record: ofDecision } }, async (req, reply) => {
    const who = await countedCaller(req, true);
    req.recorded = true;
    const { id } = req.params;
    let approved: boolean | undefined;
    const record = (answer: UnexecutedDecision['answer']) =>
      deps.recordDecision({ caller: who, confirmationId: id, approved, answer, requestId: req.id });
    try {
      ({ approved } = parsed(decision, req.body));
      if (req.headers.authorization === undefined) deps.checkCard(req.raw, await decide.view(id, who.person));
      const answer = await decide.decide(id, { approved, caller: who, requestId: req.id });
      if (answer.status !== 'success') await record(answer);
      return sendAnswer(reply, answer, undefined);
    } catch (error) {
      if (error instanceof Failure) await record(error.answer());
      throw error;
    }
  });
  app.get('/api/confirmations', async (req) => {
    const { person } = await countedCaller(req);
    const { decided } = parsed(which, req.query);
    return { status: 'success', data: decided === 'true' ? await decide.decidedBy(person) : await decide.waiting(person) };
  });
  app.get<{ Params: { id: string } }>('/api/confirmations/:id', async (req) => ({
    status: 'success',
    data: await decide.view(req.params.id, (await countedCaller(req)).person),
  }));

  app.get('/api/user/info', async (req) => {
    const { person } = await countedCaller(req);
    const { username, name, email, realm, employeeId, organizationId, roles } = person;
    return {
      status: 'success',
      data: {
        userId: person.sub,
        username,
        name,
        email,
        realm,
        employee_id: employeeId ?? null,
        organization_id: organizationId ?? null,
        roles: [...roles].sort(),
        assistant: { model: deps.model },
        company: registry.company,
      },
    };
  });
  app.get('/api/user/mcp-tools', async (req) => {
    const listed = toolsOf(registry, (await countedCaller(req)).person, dayIn(registry.company.timeZone, new Date()));
    const unavailable = missingFrom(registry, backend, new Set(listed.servers.map(({ name }) => name)));
    return { status: 'success', data: { ...listed, unavailable } };
  });

  app.get('/api/audit', async (req) => {
    const { person } = await countedCaller(req);
    const { limit, cursor, ...filters } = parsed(auditQuery, req.query);
    const { data, hasMore, nextCursor, about } = await deps.auditLog.page(person, { limit, cursor, filters });
    return {
      status: 'success',
      data,
      metadata: { hasMore, returnedCount: data.length, ...(nextCursor && { nextCursor }), ...(person.realm === 'staff' && about) },
    };
  });
  app.get<{ Params: { chain: string; n: string } }>('/api/audit/:chain/:n', async (req) => {
    const { person } = await countedCaller(req);
    const n = parsed(z.coerce.number().int().min(1), req.params.n);
    return { status: 'success', data: await deps.auditLog.record(person, req.params.chain, n) };
  });
  app.get('/api/audit/verify', async (req) => ({ status: 'success', data: await deps.auditLog.verify((await countedCaller(req)).person) }));

  const serverStates = () =>
    Promise.all(
      registry.domains.map(async ({ name, title }) => ({
        server: name,
        title,
        state: (await answersInTime(() => backend(name).ping())) ? ('ok' as const) : ('unavailable' as const),
      })),
    );
  app.get('/health', async () => ({ status: 'ok' }));
  app.get('/ready', async (req, reply) => {
    const ready = await deps.ready().then(
      () => true,
      () => false,
    );
    const staff = (req.headers.authorization !== undefined && (await caller(req)).person.realm === 'staff') || (await isStaffSession(req));
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not_ready', ...(staff && { servers: await serverStates() }) });
  });
  const apiDocument = openapiDocument(registry, deps.version);
  app.get('/openapi.json', async (req, reply) => {
    await requireStaffOrLocal(req);
    return reply.type('application/json; charset=utf-8').send(await apiDocument());
  });
  const docsPage = docsDocument(registry, deps.docsStyle);
  const docsHeaders = { 'content-security-policy': docsPolicy(deps.docsStyle) };
  app.get('/docs', async (req, reply) => {
    await requireStaffOrLocal(req);
    return reply
      .headers(docsHeaders)
      .type('text/html; charset=utf-8')
      .send(await docsPage());
  });
}
