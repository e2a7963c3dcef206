/** `tamshai token`: prints an access token of a sample person. */
import { domainAddress } from '../../server/identity.ts';
import { type ClientConfig, readClientConfig } from '../../server/instances.ts';
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

/** Prints the token without other output, for use in `$(tamshai token alice.chen)`. */
export async function token(user: string, { mcp = false, server, approve = false, json = false }: TokenOptions): Promise<number> {
  const console = openConsole(json);
  const config = readClientConfig();
  if (approve && (mcp || server !== undefined))
    throw new Stop('--approve works for the gateway only: a token for MCP or for one server cannot approve changes.', EXIT.usage);
  const acting = actAs(config, user, 'token');
  if (approve && !config.scriptedApprovals)
    throw new Stop(
      'A token that can approve needs TAMSHAI_SCRIPTED_APPROVALS=1, for tests; users approve in the browser or in a terminal.',
      EXIT.refused,
    );
  const audience = `${server === undefined || server === 'gateway' ? acting.base : addressOf(server, config)}/${mcp ? 'mcp' : 'api'}`;
  const made = await acting.token(audience, approve ? { approve: true } : {});
  if (json) console.value({ token: made, user, audience, expiresInSeconds: 300 });
  else console.out(made);
  return EXIT.ok;
}

/** A built-in server that this process does not configure has its standard port. */
function addressOf(server: string, { portOf }: ClientConfig): string {
  const port = portOf(server) ?? builtIn.domains.find(({ name }) => name === server)?.port;
  if (port === undefined) requireServer(server, ['gateway', ...builtIn.domains.map(({ name }) => name)]);
  return domainAddress(port ?? 0);
}
