/** The routes of a domain's own HTTP server: tools for clients and the gateway, and execution of approved changes. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Ticket } from '../engine/approvals/tickets.ts';
import type { Caller } from '../engine/caller.ts';
import { Failure, failure } from '../declare/errors.ts';
import type { KeyValue } from '../engine/ports.ts';
import type { RecordRefused } from '../engine/audit/refused.ts';
import { callerIn, openGrant, openIdentityToken, verifyGrant, verifyIdentity } from '../identity/internal.ts';
import { bearer } from '../identity/verify.ts';
import { inputOf, sendAnswer, unreadBody, VOUCHED_BYTES, vouchedFor } from '../transports/rest.ts';
import { type Authenticate, callerIfAny, counted } from './access.ts';
import { type ContractRoute, createContractRoute } from './contract-route.ts';
import { answersInTime } from './probe.ts';
import type { ToolBackend } from './backends.ts';
import { ANSWERS_HEADER, answersTo } from './upstream-client.ts';

export interface DomainServer extends ContractRoute {
  readonly backend: ToolBackend;
  /** Rejects while the server must not get requests. */
  readonly ready: () => Promise<void>;
  readonly authenticate: Authenticate;
  readonly kv: KeyValue;
  /** Records a call that was refused before its body was read. */
  readonly recordRefused: RecordRefused;
}

const execution = z.strictObject({
  confirmationId: z.uuid(),
  tool: z.string(),
  input: z.string(),
  card: z.string(),
  settle: z.boolean().default(false),
});

/** The fields that the gateway sends in addition to the input. Its token signs the body, so nobody else can set them. */
const callContext = z.object({ surface: z.enum(['mcp', 'rest', 'assistant']).optional(), approvalBecause: z.string().max(300).optional() });

const IDENTITY_KIND = 'tamshai-identity+jwt';
/** Reads the token type from the header only; the signature is verified later. */
function kindOf(token: string | undefined): string | undefined {
  try {
    return (JSON.parse(Buffer.from(token?.split('.')[0] ?? '', 'base64url').toString()) as { typ?: string }).typ;
  } catch {
    return undefined;
  }
}

/** Adds the header with which the gateway checks that the response belongs to its request. */
const markAnswer = (reply: FastifyReply, token: string | undefined) =>
  void (token !== undefined && reply.header(ANSWERS_HEADER, answersTo(token)));

export function createDomainRoutes(app: FastifyInstance, deps: DomainServer): void {
  const { server, registry, backend, clock } = deps;
  const { roles } = registry;
  const { needs } = registry.domains.find(({ name }) => name === server) ?? {};
  /** Adds the gateway's token to the caller, if the domain calls other domains. */
  const proven = (caller: Caller, token: string | undefined): Caller =>
    needs === undefined || token === undefined ? caller : { ...caller, proof: { server, token } };
  const bySignature = async (req: FastifyRequest, reply: FastifyReply): Promise<Caller> => {
    const token = bearer(req.headers.authorization);
    const { caller } = await counted(req.raw, deps.onUnauthenticated, () =>
      verifyIdentity(deps.gatewayKeys, {
        token,
        server,
        roles,
        method: 'POST',
        path: req.url,
        body: req.rawBody ?? Buffer.alloc(0),
        clock,
      }),
    );
    markAnswer(reply, token);
    return caller;
  };

  // The gateway has checked this body, so the JSON parser skips its checks. The tool validates the input, so that the audit log has the
  // refusal.
  const byIdentity = vouchedFor(async (req, reply) => {
    const token = bearer(req.headers.authorization);
    if (kindOf(token) !== IDENTITY_KIND) return undefined;
    await counted(req.raw, deps.onUnauthenticated, () => openIdentityToken(deps.gatewayKeys, { token, server, roles, clock }));
    markAnswer(reply, token);
    return { duplicates: 'allow', checked: false };
  });
  // Verifies the grant before the body is read, so that a sender without a grant learns nothing about valid bodies.
  const byGrant = vouchedFor(async (req, reply) => {
    const token = bearer(req.headers.authorization);
    await counted(req.raw, deps.onUnauthenticated, () => openGrant(deps.gatewayKeys, { token, server, roles, clock }));
    markAnswer(reply, token);
    // The body contains the card and the input as one long string each.
    return { duplicates: 'refuse', stringBytes: VOUCHED_BYTES };
  });

  type Sender = { readonly caller: Caller; readonly requestId: string; readonly tool?: string };
  type SenderOf = (req: FastifyRequest, token: string | undefined) => Promise<Sender>;
  const recording = (senderOf: SenderOf) => async (req: FastifyRequest, refused: Failure) => {
    const open = () => senderOf(req, bearer(req.headers.authorization));
    const sender = await callerIfAny(() => counted(req.raw, deps.onUnauthenticated, open));
    if (sender === undefined) return refused;
    const { caller, requestId, tool = (req.params as { tool: string }).tool } = sender;
    return deps.recordRefused({ server, tool, caller, surface: 'direct', requestId, body: unreadBody(req) }, refused);
  };
  const recordCall = recording(async (req, token) =>
    kindOf(token) === IDENTITY_KIND
      ? callerIn(await openIdentityToken(deps.gatewayKeys, { token, server, roles, clock }), roles)
      : { caller: await deps.authenticate(req.raw), requestId: req.id },
  );
  const recordExecution = recording((_req, token) => openGrant(deps.gatewayKeys, { token, server, roles, clock }));

  app.post<{ Params: { tool: string } }>('/tools/:tool', { ...byIdentity, config: { record: recordCall } }, async (req, reply) => {
    const tool = registry.find(server, req.params.tool);
    const token = bearer(req.headers.authorization);
    const body = req.rawBody ?? Buffer.alloc(0);
    const userContext = (req.body as { userContext?: unknown } | undefined)?.userContext;
    const fromGateway = req.vouched !== undefined;
    const { caller, requestId } = await counted(
      req.raw,
      deps.onUnauthenticated,
      async (): Promise<{ caller: Caller; requestId: string }> => {
        if (fromGateway) {
          // A write accepts each identity token only once. A replayed read does no harm.
          const firstUse =
            tool?.kind === 'write' || tool?.kind === 'act'
              ? (jti: string, seconds: number) => deps.kv.add(`jti:${jti}`, '1', seconds)
              : undefined;
          return verifyIdentity(deps.gatewayKeys, {
            token,
            server,
            method: 'POST',
            path: req.url,
            body,
            userContext,
            roles,
            firstUse,
            clock,
          });
        }
        if (userContext !== undefined) throw failure('UNAUTHENTICATED', 'Leave out userContext: your identity comes from your sign-in.');
        return { caller: await deps.authenticate(req.raw), requestId: req.id };
      },
    );
    req.recorded = true;
    const { surface = 'direct', approvalBecause } = (fromGateway && callContext.safeParse(req.body).data) || {};
    const input = inputOf(req.body, ['userContext', ...(fromGateway ? Object.keys(callContext.shape) : [])]);
    const answer = await backend.call({
      server,
      tool: tool?.name ?? req.params.tool,
      input,
      caller: fromGateway ? proven(caller, token) : caller,
      surface,
      requestId,
      approvalBecause,
    });
    return sendAnswer(reply, answer, tool);
  });

  // The gateway long-polls changes here for its own subscribers.
  app.post('/changes', async (req, reply) => {
    const caller = await bySignature(req, reply);
    const asked = z.strictObject({ after: z.int().min(0) }).safeParse(req.body);
    if (!asked.success) throw failure('VALIDATION_ERROR', 'Send one number: {"after"}.');
    return { status: 'success', data: await backend.changes({ caller, after: asked.data.after }) };
  });

  app.post('/execute', { ...byGrant, config: { record: recordExecution } }, async (req, reply) => {
    const body = execution.safeParse(req.body);
    const grant = body.success ? body.data : { confirmationId: '', tool: '', input: '', card: '', settle: false };
    const { caller, requestId } = await counted(req.raw, deps.onUnauthenticated, () =>
      verifyGrant(deps.gatewayKeys, { ...grant, token: bearer(req.headers.authorization), server, roles, clock }),
    );
    req.recorded = true;
    const ticket = { ...(JSON.parse(grant.card) as Ticket), input: JSON.parse(grant.input) as Ticket['input'] };
    const tool = registry.find(server, ticket.tool);
    if (grant.settle) {
      const kept = await backend.findResult(ticket, caller.person);
      return sendAnswer(reply, kept ?? failure('CONFIRMATION_NOT_FOUND', 'This change was not executed.').answer(), tool);
    }
    try {
      return await sendAnswer(reply, await backend.execute(ticket, proven(caller, bearer(req.headers.authorization)), requestId), tool);
    } catch (error) {
      if (error instanceof Failure) return sendAnswer(reply, error.answer(), tool);
      throw error;
    }
  });

  app.get('/health', async () => ({ status: 'ok' }));
  app.get('/ready', async (_req, reply) => {
    const ready = await answersInTime(() => Promise.all([deps.ready(), backend.ping()]));
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not_ready' });
  });

  createContractRoute(app, deps);
}
