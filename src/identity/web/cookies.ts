/** Session cookies in two forms: `__Host-` cookies, and plain cookies on http, where some browsers refuse `Secure`. */
import type { IncomingMessage } from 'node:http';

/** A browser may store only one of the two forms, and sends that form back. */
export interface CookieJar {
  /** Sets both forms for `seconds`. */
  try(name: string, value: string, seconds: number): string[];
  /** Sets only the form that this browser has sent back. */
  set(name: string, value: string, proven: 'strong' | 'plain'): string[];
  clear(name: string): string[];
  read(req: IncomingMessage, name: string): { readonly value: string; readonly kind: 'strong' | 'plain' } | undefined;
}

export function createCookieJar(base: string): CookieJar {
  const plainToo = new URL(base).protocol === 'http:';
  const strong = (name: string, value: string, more = '') => `__Host-${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax${more}`;
  const plain = (
    name: string,
    value: string,
    { sameSite, more = '' }: { readonly sameSite: 'Lax' | 'Strict'; readonly more?: string | undefined },
  ) => `${name}=${value}; Path=/; HttpOnly; SameSite=${sameSite}${more}`;
  const both = (name: string, value: string, more: string) => [
    strong(name, value, more),
    ...(plainToo ? [plain(name, value, { sameSite: 'Lax', more })] : []),
  ];
  return {
    try: (name, value, seconds) => both(name, value, `; Max-Age=${seconds}`),
    set: (name, value, proven) => (proven === 'plain' && plainToo ? [plain(name, value, { sameSite: 'Strict' })] : [strong(name, value)]),
    clear: (name) => both(name, '', '; Max-Age=0'),
    read(req, name) {
      const found = new Map<string, string>();
      for (const pair of (req.headers.cookie ?? '').split(';')) {
        const at = pair.indexOf('=');
        // Only the first cookie of a name counts, because browsers send the most specific cookie first.
        const key = pair.slice(0, at).trim();
        if (at > 0 && !found.has(key)) found.set(key, pair.slice(at + 1).trim());
      }
      const value = found.get(`__Host-${name}`);
      if (value) return { value, kind: 'strong' };
      const weak = plainToo ? found.get(name) : undefined;
      return weak ? { value: weak, kind: 'plain' } : undefined;
    },
  };
}
