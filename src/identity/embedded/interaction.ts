/** The sign-in and consent forms of the embedded provider. They work without scripts. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { isFormType } from '../../engine/media-type.ts';
import type { Realm } from '../../declare/people.ts';
import type { Persona } from '../../declare/sample.ts';
import type { Accounts } from '../accounts.ts';
import { contentSecurityPolicy, formTarget, pageHeaders } from '../web/headers.ts';
import type { PageFrame } from '../web/layout.ts';
import { fromOurPage } from '../web/origin.ts';
import { CLI_CLIENT, isOurs, WEB_CLIENT } from './clients.ts';
import { grantAll } from './configuration.ts';
import { errors } from './library.ts';
import { consentPage, errorPage, pickerPage } from './pages.ts';

export interface InteractionOptions {
  readonly provider: Provider;
  readonly realm: Realm;
  readonly base: string;
  readonly mount: string;
  readonly csrfKey: Buffer;
  readonly accounts: Pick<Accounts, 'present' | 'personas'>;
  readonly audienceOf: (resource: string, clientId: string) => string | undefined;
  /** Called when a person allows this client. */
  readonly onAllowed: (clientId: string) => Promise<void>;
  readonly frame: PageFrame;
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;
const LARGEST_FORM = 4096;

export function createInteractions({ provider, realm, base, mount, csrfKey, accounts, audienceOf, onAllowed, frame }: InteractionOptions) {
  const csrfOf = ({ uid, prompt }: Interaction) =>
    createHmac('sha256', csrfKey).update(`interaction\n${realm}\n${uid}\n${prompt.name}`).digest('base64url');
  const text = (value: unknown) => (typeof value === 'string' ? value : '');

  const show = (
    res: ServerResponse,
    status: number,
    { markup, redirectUri }: { readonly markup: string; readonly redirectUri?: string | undefined },
  ) => {
    const target = redirectUri === undefined ? undefined : formTarget(redirectUri);
    res.writeHead(status, { ...pageHeaders, 'content-security-policy': contentSecurityPolicy(target) }).end(markup);
  };
  const stop = (res: ServerResponse, status: number, code: string) => show(res, status, { markup: errorPage(code, undefined, frame) });

  const people = async (): Promise<Persona[]> => {
    const ofRealm = accounts.personas.filter((persona) => persona.realm === realm);
    const present = await Promise.all(ofRealm.map(({ sub }) => accounts.present(realm, sub)));
    return present.flatMap((account) => (account ? [{ ...account.persona, roles: [...account.roles] }] : []));
  };

  const resourcesOf = ({ params }: Interaction): string[] =>
    [params['resource']]
      .flat()
      .map(text)
      .filter((resource) => resource !== '');

  /** Ends the session of another person first. Otherwise the provider would ask the browser to sign out. */
  const login = async (interaction: Interaction, sub: string): Promise<void> => {
    const { session } = interaction;
    if (session && session.accountId !== sub) {
      await (await provider.Session.findByUid(session.uid))?.destroy();
      delete interaction.session;
    }
    await finish(interaction, { login: { accountId: sub, remember: false } });
  };

  const finish = async (interaction: Interaction, result: NonNullable<Interaction['result']>): Promise<void> => {
    interaction.result = 'error' in result ? result : { ...interaction.lastSubmission, ...result };
    await interaction.save(Math.max(1, interaction.exp - Math.floor(Date.now() / 1000)));
  };

  const allow = async (interaction: Interaction, accountId: string, clientId: string): Promise<void> => {
    const grant = new provider.Grant({ accountId, clientId });
    grantAll(grant, text(interaction.params['scope']).split(' '), resourcesOf(interaction));
    const grantId = await grant.save();
    await onAllowed(clientId);
    await finish(interaction, { consent: { grantId } });
  };

  const ask = async (res: ServerResponse, interaction: Interaction): Promise<void> => {
    const { params, prompt, uid } = interaction;
    const clientId = text(params['client_id']);
    const redirectUri = text(params['redirect_uri']);
    const client = await provider.Client.find(clientId);
    if (!client) return stop(res, 400, 'invalid_client');
    const action = `${mount}/interaction/${uid}`;
    const csrf = csrfOf(interaction);
    if (prompt.name === 'login') {
      const otherRealm =
        clientId !== WEB_CLIENT
          ? undefined
          : realm === 'staff'
            ? { question: 'Are you a customer?', href: '/signin?realm=customer', link: 'Sign in to the customer portal' }
            : { question: 'Are you an employee?', href: '/signin?realm=staff', link: 'Sign in with the staff list' };
      const program = isOurs(clientId) ? undefined : (client.clientName ?? 'a program without a name');
      return show(res, 200, { markup: pickerPage({ action, csrf, people: await people(), otherRealm, program, frame }), redirectUri });
    }
    const account = interaction.session && (await accounts.present(realm, interaction.session.accountId));
    if (!account) return stop(res, 400, 'expired');
    const audience = resourcesOf(interaction)
      .map((resource) => audienceOf(resource, clientId) ?? resource)
      .join(' ');
    const page = consentPage({
      action,
      csrf,
      person: account.persona,
      name: client.clientName,
      asCommand: clientId === CLI_CLIENT,
      redirectHost: URL.parse(redirectUri)?.host ?? redirectUri,
      audience,
      frame,
    });
    show(res, 200, { markup: page, redirectUri });
  };

  const answer = async (req: IncomingMessage, res: ServerResponse, interaction: Interaction): Promise<void> => {
    const form = await readForm(req);
    if (!form || !fromOurPage(req, base) || !same(form.get('csrf') ?? '', csrfOf(interaction))) return stop(res, 403, 'forbidden');
    if (interaction.prompt.name === 'login') {
      const account = await accounts.present(realm, form.get('person') ?? '');
      if (!account) return ask(res, interaction);
      await login(interaction, account.persona.sub);
    } else {
      const accountId = interaction.session?.accountId;
      const consent = form.get('answer');
      if (accountId === undefined || (consent !== 'yes' && consent !== 'no')) return ask(res, interaction);
      if (consent === 'yes') await allow(interaction, accountId, text(interaction.params['client_id']));
      else await finish(interaction, { error: 'access_denied', error_description: 'the person did not allow it' });
    }
    res.writeHead(303, { ...pageHeaders, location: interaction.returnTo, 'content-length': '0' }).end();
  };

  return async (req: IncomingMessage, res: ServerResponse, uid: string): Promise<void> => {
    if (req.method !== 'GET' && req.method !== 'POST') {
      res.writeHead(405, { ...pageHeaders, allow: 'GET, POST' }).end();
      return;
    }
    try {
      const interaction = await provider.interactionDetails(req, res);
      if (interaction.uid !== uid) return stop(res, 400, 'expired');
      if (req.method === 'GET') await ask(res, interaction);
      else await answer(req, res, interaction);
    } catch (error) {
      if (error instanceof errors.SessionNotFound) return stop(res, 400, 'expired');
      throw error;
    }
  };
}

const same = (given: string, expected: string) => {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** Returns undefined for other media types, large forms and aborted requests. */
async function readForm(req: IncomingMessage): Promise<URLSearchParams | undefined> {
  if (!isFormType(req.headers['content-type'])) return undefined;
  // `for await` would destroy the connection when the loop ends early, so no answer could be sent.
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > LARGEST_FORM) resolve(undefined);
      else chunks.push(chunk);
    });
    req.on('end', () => resolve(new URLSearchParams(Buffer.concat(chunks).toString('utf8'))));
    req.on('error', reject);
    req.on('close', () => resolve(undefined));
  });
}
