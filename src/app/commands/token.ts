import { domainAddress } from '../identity.ts';
import { readClientConfig } from '../instances.ts';
import { openConsole } from './console.ts';
import { actAs } from './person.ts';
import { requireServer } from './servers.ts';
import { EXIT, Stop } from './stop.ts';

export interface TokenOptions {
  readonly mcp?: boolean;
  readonly server?: string;
  readonly approve?: boolean;
  readonly json?: boolean;
}

/** The bare token and nothing else, so that `$(tamshai token alice.chen)` is one. */
export async function token(user: string, { mcp = false, server, approve = false, json = false }: TokenOptions): Promise<number> {
  const console = openConsole(json);
  const config = readClientConfig();
  if (approve && (mcp || server !== undefined))
    throw new Stop('--approve is for the gateway alone: no token for MCP or for one server can approve anything.', EXIT.usage);
  const acting = actAs(config, user, 'token');
  if (approve && !config.scriptedApprovals)
    throw new Stop(
      'A token that approves is only made while TAMSHAI_SCRIPTED_APPROVALS=1 is set, for tests; people approve in the browser or at a terminal.',
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
