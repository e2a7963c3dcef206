import { sameAudience } from '../issuers.ts';
import { CLI_CLIENT, isOurs, WEB_CLIENT } from './clients.ts';

/**
 * What a token may be for. MCP clients get the MCP addresses and nothing else: a token of theirs is worth nothing on the REST API, where
 * changes are decided.
 */
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
    /** The audience behind a resource indicator, or undefined where this client may not have it. */
    of(resource: string, clientId: string): string | undefined {
      const url = URL.parse(resource);
      if (!url) return undefined;
      // `/mcp?servers=hr` narrows what is listed; it is the same address.
      const found = known.get(url.origin + url.pathname.replace(/\/$/, ''));
      if (!found) return undefined;
      if (found.api ? !isOurs(clientId) : clientId === WEB_CLIENT) return undefined;
      return found.audience;
    },
    fallback: (clientId: string): string => (clientId === WEB_CLIENT || clientId === CLI_CLIENT ? `${base}/api` : `${base}/mcp`),
  };
}
