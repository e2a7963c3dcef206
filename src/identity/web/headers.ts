/** Security headers of HTML pages: only our own scripts and styles, no framing, no caching. */
const POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self'",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'frame-ancestors': "'none'",
} as const;

/** `form-action` also applies to the redirect after a form, so `formsTo` names the target of the redirect. */
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

/** The CSP source of a redirect address. CSP cannot express IPv6 addresses, so those are allowed by scheme. */
export function formTarget(redirectUri: string): string | undefined {
  const url = URL.parse(redirectUri);
  if (!url) return undefined;
  return url.hostname.startsWith('[') ? url.protocol : url.origin;
}
