/** Refuses to start the embedded provider where other machines could reach it, because it has no passwords. */
import { SetupProblem } from '../keys.ts';

export interface Surroundings {
  readonly oidcIssuer: string | undefined;
  /** The addresses of all our listeners. */
  readonly listenHosts: readonly string[];
  readonly nodeEnv: string | undefined;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/;

export function assertEmbeddedAllowed({ oidcIssuer, listenHosts, nodeEnv }: Surroundings): void {
  if (oidcIssuer !== undefined) throw new SetupProblem('The built-in sign-in is off because OIDC_ISSUER is set.');
  if (nodeEnv === 'production') {
    throw new SetupProblem(
      'The built-in sign-in has no passwords and does not run with NODE_ENV=production: set OIDC_ISSUER to your identity provider.',
    );
  }
  const open = listenHosts.find((host) => !LOOPBACK.test(host));
  if (open !== undefined || listenHosts.length === 0) {
    throw new SetupProblem(
      `The built-in sign-in has no passwords and works on this machine only: set OIDC_ISSUER to your identity provider, or listen on 127.0.0.1 instead of ${open ?? 'every address'}.`,
    );
  }
}
