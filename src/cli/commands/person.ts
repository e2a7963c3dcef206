/** The person whom a command acts as: a sample person, whose tokens are signed with the key in the data folder. */
import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type Keys, openKeys } from '../../identity/keys.ts';
import { type MintOptions, mintToken } from '../../identity/mint.ts';
import type { Persona } from '../../declare/sample.ts';
import type { Registry } from '../../engine/registry.ts';
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
  const persona = config.registry.people.find((each) => each.username === username);
  if (persona === undefined)
    throw new Stop(
      `There is no sample person ${JSON.stringify(username.slice(0, 80))}${suggestion(config.registry, username)}`,
      EXIT.usage,
    );
  const keys = keysOf(config);
  // The organisation's record says who leads it. The verifier removes the role that does not apply.
  const roles = persona.realm === 'customer' ? config.registry.roles.of('customer') : persona.roles;
  return { persona, base, token: (audience, options) => mintToken(keys, persona, { base, audience, roles, ...options }) };
}

/** The people whom texts suggest. */
export function featuredPeople({ people, sample }: Pick<Registry, 'people' | 'sample'>): readonly Persona[] {
  const featured = sample?.featured ?? people.slice(0, 5).map(({ username }) => username);
  return people.filter(({ username }) => featured.includes(username));
}
/** The last employee whom texts suggest: usually one without special roles. */
export const exampleUser = (registry: Pick<Registry, 'people' | 'sample'>): string | undefined =>
  featuredPeople(registry).findLast(({ realm }) => realm === 'staff')?.username;

const NOBODY = 'This configuration has no sample people, so nobody can be named with --as.';

/** There is no default person: what a command shows depends on who calls. */
export function required(as: string | undefined, doing: string): string {
  if (as !== undefined) return as;
  const some = featuredPeople(builtIn).map(({ username }) => username);
  throw new Stop(
    some.length === 0 ? NOBODY : `Say who ${doing} with --as: ${some.join(', ')}, for example; "tamshai people" lists all.`,
    EXIT.usage,
  );
}

function suggestion({ people }: Registry, username: string): string {
  if (people.length === 0) return `. ${NOBODY}`;
  const words = username
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length > 2);
  const near = people.find((each) => words.some((word) => each.username.includes(word)));
  return near
    ? `; did you mean ${near.username}?`
    : `; try ${people
        .slice(0, 3)
        .map((each) => each.username)
        .join(', ')}; "tamshai people" lists all.`;
}
