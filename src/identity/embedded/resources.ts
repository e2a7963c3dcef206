/** The audiences of access tokens, by resource indicator (RFC 8707) and client. */
import { sameAudience } from '../issuers.ts';
import { CLI_CLIENT, isOurs, WEB_CLIENT } from './clients.ts';

/** Other clients than ours get tokens for MCP only. The REST API, with which people decide on changes, refuses these tokens. */
export function audiences(base: string, servers: readonly string[]) {
  const known = new Map<string, { readonly audience: string; readonly api: boolean }>();
  for (const origin of [base, ...servers]) {
    for (const [path, api] of [
      ['/mcp', false],
      ['/api', true],
    ] as const) {
      const audience = origin + path;
      for (const alias of sameAudience(audience)) known.set(alias, { audience, api });
    }
  }

  return {
    /** The audience of a resource indicator; undefined if this client may not request it. */
    of(resource: string, clientId: string): string | undefined {
      const url = URL.parse(resource);
      if (!url) return undefined;
      // Ignores the query: `/mcp?servers=hr` only limits the listed tools.
      const found = known.get(url.origin + url.pathname.replace(/\/$/, ''));
      if (!found) return undefined;
      if (found.api ? !isOurs(clientId) : clientId === WEB_CLIENT) return undefined;
      return found.audience;
    },
    fallback: (clientId: string): string => (clientId === WEB_CLIENT || clientId === CLI_CLIENT ? `${base}/api` : `${base}/mcp`),
  };
}
