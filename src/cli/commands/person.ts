/** The person whom a command acts as: a sample person, whose tokens are signed with the key in the data folder. */
import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type Keys, openKeys } from '../../identity/keys.ts';
import { type MintOptions, mintToken } from '../../identity/mint.ts';
import type { Persona } from '../../declare/sample.ts';
import { personas } from '../../../domains/sample-company/people.ts';
import type { Config } from '../../server/config.ts';
import { EXIT, Stop } from './stop.ts';
import { builtIn } from '../registry.ts';

export interface Acting {
  readonly persona: Persona;
  readonly base: string;
  token(audience: string, options?: Pick<MintOptions, 'approve' | 'client'>): Promise<string>;
}

/** A path relative to the current folder if it is below it, else absolute. */
export function shownPath(path: string): string {
  const below = relative(process.cwd(), path);
  return below === '' ? '.' : below.startsWith('..') || below.startsWith(sep) ? path : `.${sep}${below}`;
}

/** Never creates the folder: a mistyped path must not become a second, empty installation. */
export function keysOf(config: Config): Keys {
  if (!existsSync(join(config.dataFolder, 'keys.json')))
    throw new Stop(
      `Tamshai has not been started in ${shownPath(config.dataFolder)} yet; ` +
        'start it with npm start, or set TAMSHAI_DATA to the data folder of the running instance.',
    );
  return openKeys(config.dataFolder, { masterKey: config.masterKey, gatewayKey: config.gatewayKey });
}

export function actAs(config: Config, username: string, option = '--as'): Acting {
  const { base, issuers } = config;
  if (issuers.staff !== undefined)
    throw new Stop(`${option} works with the built-in identity provider only; here people sign in at OIDC_ISSUER.`);
  if (new URL(base).port === '0')
    throw new Stop('GATEWAY_PORT is 0, which selects a free port at each start; set it to the selected port.', EXIT.usage);
  const persona = personas.find((each) => each.username === username);
  if (persona === undefined)
    throw new Stop(`There is no sample person ${JSON.stringify(username.slice(0, 80))}${suggestion(username)}`, EXIT.usage);
  const keys = keysOf(config);
  // The organisation's record says who leads it. The verifier removes the role that does not apply.
  const roles = persona.realm === 'customer' ? builtIn.roles.of('customer') : persona.roles;
  return { persona, base, token: (audience, options) => mintToken(keys, persona, { base, audience, roles, ...options }) };
}

const SOME = ['eve.thompson', 'alice.chen', 'nina.patel', 'marcus.johnson', 'jane.smith@acme.example'];

/** There is no default person: what a command shows depends on who calls. */
export function required(as: string | undefined, doing: string): string {
  if (as !== undefined) return as;
  throw new Stop(`Say who ${doing} with --as: ${SOME.join(', ')}, for example; "tamshai people" lists all.`, EXIT.usage);
}

function suggestion(username: string): string {
  const words = username
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length > 2);
  const near = personas.find((each) => words.some((word) => each.username.includes(word)));
  return near
    ? `; did you mean ${near.username}?`
    : `; try ${personas
        .slice(0, 3)
        .map((each) => each.username)
        .join(', ')}; "tamshai people" lists all.`;
}
