/** The Fastify application of every HTTP server: strict bodies, one error format, security headers. */
import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Readable, Transform } from 'node:stream';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type RouteShorthandOptions } from 'fastify';
import type { Answer, CancelledAnswer } from '../declare/answer.ts';
import { type ErrorAnswer, Failure, failure, statusOf, toolFailure } from '../declare/errors.ts';
import type { Logger } from '../engine/ports.ts';
import type { UnreadBody } from '../engine/audit/recorder.ts';
import type { Tool } from '../declare/tool.ts';
import { isFormType, isJsonType } from '../engine/media-type.ts';
import { BODY_LIMITS, decodeText, isPacked, packed, tooLarge, requestId, type JsonRules, parseJson } from './request.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The raw bytes of the body, for signatures over them. */
    rawBody: Buffer | undefined;
    /** The rules for parsing the body. Set if `vouchedFor` accepted the sender. */
    vouched: JsonRules | undefined;
    /** True if the route's handler writes the audit record itself. */
    recorded: boolean;
  }
  interface FastifyContextConfig {
    /** The body is a form instead of JSON. */
    form?: boolean;
    /** Records a request that was refused before its handler ran. Resolves to the failure to send. */
    record?: (req: FastifyRequest, refused: Failure) => Promise<Failure>;
  }
}

export interface RestApp {
  readonly app: FastifyInstance;
  /** Answers one request. `app.ready()` must have resolved. */
  handle(req: IncomingMessage, res: ServerResponse): void;
}

/** `strictBodies` are the routes whose bodies must not repeat a key. They are patterns, because one path has several encodings. */
export function createRestApp(log: Logger, strictBodies: readonly string[]): RestApp {
  let handler: (req: IncomingMessage, res: ServerResponse) => void = () => {};
  const app = fastify({
    logger: false,
    trustProxy: false,
    bodyLimit: BODY_LIMITS.bytes,
    requestTimeout: 0,
    // Allows long parameters, because Fastify would refuse them in another error format.
    routerOptions: { maxParamLength: 64 * 1024, caseSensitive: true },
    frameworkErrors: (error, req, reply) => void sendError(reply as FastifyReply, translated(error, req as FastifyRequest, log)),
    genReqId: (req) => requestId(req.headers),
    // Our own listeners get the requests and check Host, Origin and path first.
    serverFactory: (made) => {
      handler = made as typeof handler;
      return createServer(); // Fastify requires a server; this one never listens
    },
  });
  const routes = new Map<string, { readonly path: RegExp; readonly methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    // The handler of a wildcard route decides which paths exist.
    if (url.includes('*')) return;
    const route = routes.get(url) ?? {
      path: new RegExp(`^${url.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`),
      methods: new Set<string>(),
    };
    for (const each of [method].flat()) route.methods.add(each);
    routes.set(url, route);
  });
  const refuseUnknown = (req: FastifyRequest, reply: FastifyReply): never => {
    const [path = ''] = req.url.split('?', 1);
    const methods = [...routes.values()].flatMap((route) => (route.path.test(path) ? [...route.methods] : []));
    if (methods.length === 0) throw failure('NOT_FOUND', 'There is nothing at this address.');
    reply.header('allow', methods.join(', '));
    throw failure('METHOD_NOT_ALLOWED', `This address accepts ${methods.join(', ')}.`);
  };
  app.decorateRequest('rawBody', undefined);
  app.decorateRequest('vouched', undefined);
  app.decorateRequest('recorded', false);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (req, body, done) => {
    try {
      req.rawBody = body as Buffer;
      done(
        null,
        parseJson(
          decodeText(body as Buffer),
          req.vouched ?? { duplicates: strictBodies.includes(req.routeOptions.url ?? '') ? 'refuse' : 'allow' },
        ),
      );
    } catch (error) {
      done(error as Error);
    }
  });
  app.addHook('onRequest', async (req, reply) => {
    reply.headers({
      'x-request-id': req.id,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
    // Refuses unknown routes here, because Fastify would first report a missing body.
    if (req.is404) refuseUnknown(req, reply);
    if (isPacked(req.headers)) throw packed();
    const type = req.headers['content-type'];
    // Fastify would accept a value that only begins with the media type.
    const takesType = req.routeOptions.config.form === true ? isFormType : isJsonType;
    if (type !== undefined && req.method !== 'GET' && req.method !== 'HEAD' && !takesType(type)) throw otherType(req);
  });
  app.setNotFoundHandler(refuseUnknown);
  app.setErrorHandler(async (error, req, reply) => {
    const refused = translated(error, req, log);
    const { record } = req.routeOptions.config;
    if (record === undefined || req.recorded || !UNREAD.has(refused.status)) return sendError(reply, refused);
    try {
      return await sendError(reply, await record(req, refused));
    } catch (failed) {
      return sendError(reply, translated(failed, req, log));
    }
  });
  return { app, handle: (req, res) => handler(req, res) };
}

/** The statuses of requests whose body was not accepted. */
const UNREAD: ReadonlySet<number> = new Set([400, 408, 413, 415]);
const otherType = ({ routeOptions: { config } }: FastifyRequest) =>
  failure('UNSUPPORTED_MEDIA_TYPE', config.form ? 'Only a form is accepted here.' : 'Only JSON is accepted here.');

/** The length of a refused body for the audit log, and its digest if the body is complete. */
export function unreadBody({ rawBody, headers }: FastifyRequest): UnreadBody {
  if (rawBody === undefined) return { bytes: Number(headers['content-length'] ?? 0) };
  return { bytes: rawBody.length, sha256: hash('sha256', rawBody, 'base64url') };
}

/** The gateway's body can be longer than the caller's: 1e20 becomes a one and twenty zeros. */
export const VOUCHED_BYTES = 8 * BODY_LIMITS.bytes;

/**
 * For routes to which our other processes may send larger bodies. `vouch` authenticates the sender before the body is read and returns the
 * rules for parsing. Other senders have the usual limit.
 */
export const vouchedFor = (vouch: (req: FastifyRequest, reply: FastifyReply) => Promise<JsonRules | undefined>): RouteShorthandOptions => ({
  bodyLimit: VOUCHED_BYTES,
  onRequest: async (req, reply) => {
    req.vouched = await vouch(req, reply);
  },
  preParsing: async (req, _reply, payload) =>
    req.vouched !== undefined || Number(req.headers['content-length']) <= BODY_LIMITS.bytes ? payload : capped(payload as Readable),
});

function capped(payload: Readable): Readable {
  let length = 0;
  const limited = payload.pipe(
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        length += chunk.length;
        if (length > BODY_LIMITS.bytes) done(tooLarge());
        else done(null, chunk);
      },
    }),
  );
  payload.on('error', (error) => limited.destroy(error));
  return limited;
}

/** Translates Fastify's own errors into our error format. */
function translated(error: unknown, req: FastifyRequest, log: Logger): Failure {
  if (error instanceof Failure) return error;
  const { code = '', statusCode = 500, name, stack } = error as Error & { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || statusCode === 413) return tooLarge();
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' || statusCode === 415) return otherType(req);
  if (statusCode >= 400 && statusCode < 500) return failure('VALIDATION_ERROR', 'The request is malformed.');
  log.error(
    {
      requestId: req.id,
      error: name,
      code,
      at: stack
        ?.split('\n')
        .filter((line) => line.startsWith('    at '))
        .slice(0, 6),
    },
    'unexpected failure',
  );
  return failure('INTERNAL_ERROR', `Something went wrong on our side. Request ${req.id}.`, { requestId: req.id });
}

export function sendError(reply: FastifyReply, refused: Failure): FastifyReply {
  return reply.code(refused.status).headers(retryAfter(refused.answer())).send(refused.answer());
}

const retryAfter = ({ code, details }: ErrorAnswer) =>
  code === 'RATE_LIMITED' ? { 'retry-after': String(Number(details?.['retryAfterSeconds'] ?? 1)) } : {};

/** Sends a tool's answer with the HTTP status of its error code. */
export function sendAnswer(reply: FastifyReply, answer: Answer | CancelledAnswer, tool: Tool | undefined): FastifyReply {
  if (answer.status !== 'error') return reply.send(answer);
  const status = tool && answer.code in tool.errors ? toolFailure(answer.code, tool.errors).status : statusOf(answer.code);
  return reply.code(status).headers(retryAfter(answer)).send(answer);
}

/**
 * The body is the input, or `{"input": …}` with no other keys than `beside`. A body with other keys is passed on whole. Its tool refuses
 * it, because no tool has a field "input".
 */
export function inputOf(body: unknown, beside: readonly string[] = []): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'input')) return body ?? {};
  const alone = Object.keys(body).every((key) => key === 'input' || beside.includes(key));
  return alone ? (body as { input: unknown }).input : body;
}
