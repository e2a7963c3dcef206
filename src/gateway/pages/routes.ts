/** Routes of the server's HTML pages: sign-in, start page, approvals, web app and assets. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../engine/caller.ts';
import { Failure, failure } from '../../declare/errors.ts';
import { favicon } from '../../identity/web/favicon.ts';
import { pageHeaders, securityHeaders } from '../../identity/web/headers.ts';
import type { PageFrame } from '../../identity/web/layout.ts';
import type { Reply, WebSessions } from '../../identity/web/sessions.ts';
import { approvePage, cardDigest, noSuchPage, notFoundPage, notYoursPage, troublePage } from './approve.ts';
import { approvalsPage, type HomePageOptions, homePage } from './home.ts';
import type { ConfirmationState } from './state.ts';
import { webAppPage } from './web-app.ts';

export interface PageDeps {
  readonly sessions: WebSessions;
  /** Throws a Failure if the confirmation is unknown or belongs to someone else. */
  readonly confirmation: (id: string, caller: Caller) => Promise<ConfirmationState>;
  readonly waiting: (caller: Caller) => Promise<readonly ConfirmationState[]>;
  /** Handles a back-channel logout token of an external issuer; undefined with the embedded provider. */
  readonly logout?: ((token: string) => Promise<void>) | undefined;
  readonly base: string;
  readonly frame?: PageFrame | undefined;
  readonly now?: (() => Date) | undefined;
  /** Whether signed-in people get the web app instead of the plain pages. */
  readonly webApp?: boolean | undefined;
}

/** Paths of the web app, by realm. All paths serve the same page. */
const STAFF_PATHS = [
  '/',
  '/c/:id',
  '/approvals',
  '/approvals/:id',
  '/tools',
  '/tools/:server/:tool',
  '/audit',
  '/audit/:chain/:n',
  '/settings',
];
const CUSTOMER_PATHS = [
  '/portal',
  '/portal/new',
  '/portal/articles',
  '/portal/contacts',
  '/portal/approvals',
  '/portal/settings',
  '/portal/t/:id',
  '/portal/a/:id',
];

/** These routes change no data except sessions. */
export function createPageRoutes(
  app: FastifyInstance,
  { sessions, confirmation, waiting, logout, base, frame = {}, now = () => new Date(), webApp = false }: PageDeps,
): void {
  const { host } = new URL(base);
  const send = (reply: FastifyReply, { status, headers, body }: Reply) => reply.code(status).headers(headers).send(body);
  const page = (reply: FastifyReply, body: string, status = 200) => send(reply, { status, headers: pageHeaders, body });
  const askToSignIn = (req: FastifyRequest, reply: FastifyReply) =>
    send(reply, { status: 302, headers: { ...pageHeaders, location: `/signin?${new URLSearchParams({ to: req.url })}` }, body: '' });

  const overview = async (req: FastifyRequest, caller: Caller | undefined): Promise<HomePageOptions> => ({
    base,
    person: caller && { name: caller.person.name, roles: [...caller.person.roles] },
    csrf: sessions.csrf(req.raw),
    waiting: caller ? await waiting(caller) : [],
    now: now(),
    frame,
  });

  const failed = (reply: FastifyReply, error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    if (error.code === 'USER_MISMATCH') return page(reply, notYoursPage({ frame }), 403);
    if (error.status === 404) return page(reply, notFoundPage(error.message, { frame }), 404);
    return page(reply, troublePage(error.message, { frame }), error.status);
  };

  // Browsers get a 404 page; programs get the JSON error.
  app.addHook('onSend', async (req, reply, body) => {
    if (!req.is404 || reply.statusCode !== 404 || req.method !== 'GET' || !req.headers.accept?.includes('text/html')) return body;
    reply.headers(pageHeaders);
    return noSuchPage({ frame });
  });

  void app.register(async (scope) => {
    // Sign-out and back-channel logout send forms. Only this scope parses forms, because the API accepts only JSON.
    scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string', bodyLimit: 4096 }, (_req, body, done) =>
      done(null, new URLSearchParams(String(body))),
    );
    // Cookies and the origin check work for one host name only, so browsers on another name are redirected.
    scope.addHook('onRequest', async (req, reply) => {
      if (req.method === 'GET' && req.headers.host?.toLowerCase() !== host)
        return reply
          .code(307)
          .headers({ ...pageHeaders, location: base + req.url })
          .send('');
      return undefined;
    });

    for (const { path, type, body, packed } of [favicon, ...(frame.build?.files ?? [])]) {
      scope.get(path, async (req, reply) => {
        const small = /\bgzip\b/.test(String(req.headers['accept-encoding'] ?? ''));
        const kept = { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' };
        return reply
          .headers({ ...securityHeaders, ...kept, ...(small && { 'content-encoding': 'gzip' }) })
          .send(small ? await packed() : body);
      });
    }

    scope.get('/signin', async (req, reply) => send(reply, await sessions.signIn(req.raw)));
    scope.get('/signin/callback', async (req, reply) => send(reply, await sessions.callback(req.raw)));
    scope.post('/signout', { config: { form: true } }, async (req, reply) => {
      try {
        return await send(reply, await sessions.signOut(req.raw, req.body instanceof URLSearchParams ? req.body : new URLSearchParams()));
      } catch (error) {
        return failed(reply, error);
      }
    });

    // OpenID Connect Back-Channel Logout: the issuer reports a sign-out in a signed token.
    scope.post('/signin/logout', { config: { form: true } }, async (req, reply) => {
      const token = req.body instanceof URLSearchParams ? req.body.get('logout_token') : null;
      if (!logout || token === null) throw failure('VALIDATION_ERROR', 'The logout token is missing or not valid.');
      await logout(token);
      return reply.code(200).send({ status: 'success' });
    });

    /** Sends the web app to a signed-in person, or a redirect to the paths of their realm. Undefined if the plain page is needed. */
    const drawn = (req: FastifyRequest, reply: FastifyReply, caller: Caller | undefined): FastifyReply | undefined => {
      const csrf = sessions.csrf(req.raw);
      if (!webApp || !caller || csrf === undefined) return undefined;
      const home = caller.person.realm === 'customer' ? '/portal' : '/';
      const theirs = req.url.startsWith('/portal') === (home === '/portal');
      if (!theirs) return send(reply, { status: 302, headers: { ...pageHeaders, location: home }, body: '' });
      return page(reply, webAppPage({ csrf, frame }));
    };
    for (const path of webApp ? [...STAFF_PATHS, ...CUSTOMER_PATHS].filter((each) => each !== '/' && each !== '/approvals') : []) {
      scope.get(path, async (req, reply) => {
        try {
          return (await drawn(req, reply, await sessions.authenticate(req.raw))) ?? (await askToSignIn(req, reply));
        } catch (error) {
          return failed(reply, error);
        }
      });
    }

    scope.get('/', async (req, reply) => {
      try {
        const caller = await sessions.authenticate(req.raw);
        return (await drawn(req, reply, caller)) ?? (await page(reply, homePage(await overview(req, caller))));
      } catch (error) {
        return failed(reply, error);
      }
    });
    scope.get('/approvals', async (req, reply) => {
      try {
        const caller = await sessions.authenticate(req.raw);
        if (!caller) return await askToSignIn(req, reply);
        return (await drawn(req, reply, caller)) ?? (await page(reply, approvalsPage(await overview(req, caller))));
      } catch (error) {
        return failed(reply, error);
      }
    });
    scope.get<{ Params: { id: string } }>('/approve/:id', async (req, reply) => {
      try {
        const caller = await sessions.authenticate(req.raw);
        const csrf = sessions.csrf(req.raw);
        if (!caller || csrf === undefined) return await askToSignIn(req, reply);
        const state = await confirmation(req.params.id, caller);
        const cardToken = sessions.csrf(req.raw, cardDigest(state));
        return await page(reply, approvePage(state, { csrf, cardToken, person: caller.person.name, now: now(), frame }));
      } catch (error) {
        return failed(reply, error);
      }
    });
  });
}
