/** OAuth clients of the embedded provider: our own two, and the rules for dynamic registration. */
import type { ClientMetadata } from 'oidc-provider';
import { hasUnseen } from '../web/html.ts';
import { errors } from './library.ts';

export const WEB_CLIENT = 'tamshai-web';
export const CLI_CLIENT = 'tamshai-cli';
const OURS = new Set([WEB_CLIENT, CLI_CLIENT]);

export const isOurs = (clientId: string): boolean => OURS.has(clientId);
/** The web client needs no consent, because only our callback gets its codes. Any local program could get those of the command. */
export const needsConsent = (clientId: string): boolean => clientId !== WEB_CLIENT;

const PUBLIC: ClientMetadata = {
  client_id: '',
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
};

export const ownClients = (base: string): ClientMetadata[] => [
  { ...PUBLIC, client_id: WEB_CLIENT, client_name: 'Tamshai Web', application_type: 'web', redirect_uris: [`${base}/signin/callback`] },
  {
    ...PUBLIC,
    client_id: CLI_CLIENT,
    client_name: 'Tamshai command',
    application_type: 'native',
    // Any port is allowed (RFC 8252, section 7.3).
    redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback', 'http://[::1]/callback'],
  },
];

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
const MOST_REDIRECTS = 10;
const LONGEST_NAME = 64;
/** The metadata that a client may set. Other fields, such as logos and key URLs, are dropped. */
const KEPT = new Set([
  'client_id',
  'client_id_issued_at',
  'client_name',
  'redirect_uris',
  'grant_types',
  'response_types',
  'token_endpoint_auth_method',
  'scope',
]);

const refuse = (why: string): never => {
  throw new errors.InvalidClientMetadata(why);
};

/** Restricts a registration to a public client with its own redirects. Runs before the checks of the provider. */
export function settleRegistration(asked: Record<string, unknown>): void {
  for (const name of Object.keys(asked)) if (!KEPT.has(name)) delete asked[name];
  const { client_name: name, redirect_uris: redirects, token_endpoint_auth_method: method } = asked;
  if (name !== undefined) checkName(name);
  if (method !== undefined && method !== 'none') refuse('token_endpoint_auth_method must be none: only public clients can register here');
  if (!Array.isArray(redirects) || redirects.length === 0 || redirects.length > MOST_REDIRECTS)
    refuse(`redirect_uris must have 1 to ${MOST_REDIRECTS} addresses`);
  for (const redirect of redirects as unknown[]) checkRedirect(redirect);
  asked['token_endpoint_auth_method'] = 'none';
  // "native" limits http redirects to loopback and allows any port there.
  asked['application_type'] = 'native';
  asked['grant_types'] = ['authorization_code', 'refresh_token'];
  asked['response_types'] = ['code'];
}

/** Characters that look like letters of our name, so that a client name cannot imitate ours. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  а: 'a',
  ɑ: 'a',
  α: 'a',
  '@': 'a',
  '4': 'a',
  т: 't',
  τ: 't',
  '7': 't',
  м: 'm',
  μ: 'm',
  ѕ: 's',
  '5': 's',
  $: 's',
  һ: 'h',
  н: 'h',
  і: 'i',
  ı: 'i',
  ι: 'i',
  '1': 'i',
  l: 'i',
  '!': 'i',
  '|': 'i',
};
const folded = (text: string) =>
  [...text.normalize('NFKD').toLowerCase()]
    .map((character) => LOOKALIKES[character] ?? character)
    .join('')
    .replace(/[^\p{L}\p{N}]/gu, '');

function checkName(name: unknown): void {
  if (typeof name !== 'string' || name.trim() === '' || name.length > LONGEST_NAME)
    refuse(`client_name must have 1 to ${LONGEST_NAME} characters`);
  const text = String(name);
  if (hasUnseen(text)) refuse('client_name must not contain invisible characters');
  if (folded(text).includes('tamshai')) refuse('client_name must not look like Tamshai');
}

function checkRedirect(redirect: unknown): void {
  const url = typeof redirect === 'string' && redirect.length <= 2000 ? URL.parse(redirect) : null;
  const safe =
    url !== null &&
    url.username === '' &&
    url.password === '' &&
    url.hash === '' &&
    (url.protocol === 'https:' ? !LOOPBACK.has(url.hostname) : url.protocol === 'http:' && LOOPBACK.has(url.hostname));
  if (!safe) refuse('redirect_uris must be https addresses, or http addresses of this machine (localhost, 127.0.0.1, [::1])');
}
