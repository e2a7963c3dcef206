/** What every HTML page of ours is sent with. Nothing is loaded from elsewhere, nobody frames us, nothing is kept. */
const POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
} as const;

/**
 * `formsTo`: browsers also hold a form's redirects against `form-action`, so a page whose form ends at another program names that one
 * address.
 */
export function contentSecurityPolicy(formsTo?: string): string {
  const fixed = Object.entries(POLICY).map(([name, value]) => `${name} ${value}`);
  return [...fixed, `form-action 'self'${formsTo === undefined ? '' : ` ${formsTo}`}`].join('; ');
}

export const securityHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
};

export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy(),
  ...securityHeaders,
};

/** The address that a redirect ends at, as a source of the policy. The grammar has no IPv6 addresses, so those name their scheme. */
export function formTarget(redirectUri: string): string | undefined {
  const url = URL.parse(redirectUri);
  if (!url) return undefined;
  return url.hostname.startsWith('[') ? url.protocol : url.origin;
}
