/** `tamshai token`: prints an access token of a sample person. */
import { domainAddress } from '../../server/identity.ts';
import { readClientConfig } from '../../server/instances.ts';
import { openConsole } from './console.ts';
import { actAs } from './person.ts';
import { requireServer } from './servers.ts';
import { EXIT, Stop } from './stop.ts';
import { builtIn } from '../registry.ts';

export interface TokenOptions {
  readonly mcp?: boolean;
  readonly server?: string;
  readonly approve?: boolean;
  readonly json?: boolean;
}

/** Prints only the token, for use in `$(tamshai token alice.chen)`. */
export async function token(user: string, { mcp = false, server, approve = false, json = false }: TokenOptions): Promise<number> {
  const console = openConsole(json);
  const config = readClientConfig(builtIn);
  if (approve && (mcp || server !== undefined))
    throw new Stop('--approve works for the gateway only: a token for MCP or for one server cannot approve changes.', EXIT.usage);
  const acting = actAs(config, user, 'token');
  if (approve && !config.scriptedApprovals)
    throw new Stop(
      'A token that can approve needs TAMSHAI_SCRIPTED_APPROVALS=1, for tests; users approve in the browser or in a terminal.',
      EXIT.refused,
    );
  const audience = `${server === undefined || server === 'gateway' ? acting.base : addressOf(server, config.ports)}/${mcp ? 'mcp' : 'api'}`;
  const made = await acting.token(audience, approve ? { approve: true } : {});
  if (json) console.value({ token: made, user, audience, expiresInSeconds: 300 });
  else console.out(made);
  return EXIT.ok;
}

function addressOf(server: string, ports: Readonly<Record<string, number>>): string {
  requireServer(server, { gateway: true });
  return domainAddress(ports[server] ?? 0);
}
