/** Finds the sample person whom a command acts as, and signs tokens for that person with the key in the data folder. */
import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type Keys, openKeys } from '../../identity/keys.ts';
import { type MintOptions, mintToken } from '../../identity/mint.ts';
import type { Persona } from '../../declare/sample.ts';
import type { Config } from '../../server/config.ts';
import { readSamplePeople, type SamplePeople, samplePeopleOf } from '../../server/sample-people.ts';
import { EXIT, Stop } from './stop.ts';
import { builtIn } from '../registry.ts';

export interface Acting {
  readonly persona: Persona;
  readonly base: string;
  token(audience: string, options?: Pick<MintOptions, 'approve' | 'client'>): Promise<string>;
}

/** Returns a relative path for files below the current folder, and an absolute path otherwise. */
export function shownPath(path: string): string {
  const below = relative(process.cwd(), path);
  return below === '' ? '.' : below.startsWith('..') || below.startsWith(sep) ? path : `.${sep}${below}`;
}

/** Never creates the folder, because a mistyped path must not become a second installation. */
export function keysOf(config: Pick<Config, 'dataFolder' | 'masterKey' | 'gatewayKey'>): Keys {
  if (!existsSync(join(config.dataFolder, 'keys.json')))
    throw new Stop(
      `Tamshai has not been started in ${shownPath(config.dataFolder)} yet; ` +
        'start it with npm start, or set TAMSHAI_DATA to the data folder of the running instance.',
    );
  return openKeys(config.dataFolder, { masterKey: config.masterKey, gatewayKey: config.gatewayKey });
}

type Keyed = Pick<Config, 'base' | 'dataFolder' | 'issuers' | 'masterKey' | 'gatewayKey'>;

/** The sample people of the last configuration that was started in this data folder, or the built-in ones before the first start. */
const peopleIn = (folder: string): SamplePeople => readSamplePeople(folder) ?? samplePeopleOf(builtIn);

export function actAs(config: Keyed, username: string, option = '--as'): Acting {
  const { base, issuers } = config;
  if (issuers.staff !== undefined)
    throw new Stop(`${option} works with the built-in identity provider only; here people sign in at OIDC_ISSUER.`);
  if (new URL(base).port === '0')
    throw new Stop('GATEWAY_PORT is 0, which selects a free port at each start; set it to the selected port.', EXIT.usage);
  const { people } = peopleIn(config.dataFolder);
  const persona = people.find((each) => each.username === username);
  if (persona === undefined)
    throw new Stop(`There is no sample person ${JSON.stringify(username.slice(0, 80))}${suggestion(people, username)}`, EXIT.usage);
  const keys = keysOf(config);
  const { roles } = persona;
  return { persona, base, token: (audience, options) => mintToken(keys, persona, { base, audience, roles, ...options }) };
}

export const featuredPeople = ({ people, featured }: SamplePeople): readonly Persona[] =>
  people.filter(({ username }) => featured.includes(username));
/** The last featured employee, who usually has no special roles. */
export const exampleUser = (known: SamplePeople): string | undefined =>
  featuredPeople(known).findLast(({ realm }) => realm === 'staff')?.username;

const NOBODY = 'This configuration has no sample people, so nobody can be named with --as.';

/** There is no default person, because the result of a command depends on the person. */
export function required(as: string | undefined, doing: string, { dataFolder }: Pick<Config, 'dataFolder'>): string {
  if (as !== undefined) return as;
  const some = featuredPeople(peopleIn(dataFolder)).map(({ username }) => username);
  throw new Stop(
    some.length === 0 ? NOBODY : `Say who ${doing} with --as: ${some.join(', ')}, for example; "tamshai people" lists all.`,
    EXIT.usage,
  );
}

function suggestion(people: readonly Persona[], username: string): string {
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
