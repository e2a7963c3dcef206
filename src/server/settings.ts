/** The schema of all environment variables, with defaults and meanings. `npm run contracts` creates docs/settings.md from it. */
import { z } from 'zod';
import type { StoreKind } from '../declare/store-kinds.ts';
import type { AnyDomain } from '../declare/tool.ts';
import { companyVariables } from './company-settings.ts';
import { tracingVariables } from './tracing-settings.ts';
import { aboutFolders, forFolders } from './folder-settings.ts';
import { mongodbUrl, postgresUrl, publicUrl, redisUrl, searchUrl, type UrlKind, urlKindOf } from './url-settings.ts';

/** The fields of a domain on which the settings depend. */
export type ConfiguredDomain = Pick<AnyDomain, 'name' | 'port' | 'store' | 'folder'>;
const GATEWAY_PORT = 3100;

/** The text about a setting in docs/settings.md. `default` is Markdown, for a default that is not in the schema. */
export interface SettingText {
  readonly meaning?: string;
  readonly default?: string;
  /** True if the setting is accepted but has no effect for this domain. docs/settings.md does not list it. */
  readonly unlisted?: boolean;
}
const text = (described: SettingText) => ({ ...described });

const whole = (least: number, most: number) => {
  const problem = `must be a whole number from ${least} to ${most}`;
  return z.coerce.number(problem).int(problem).min(least, problem).max(most, problem);
};
const port = whole(0, 65_535).optional();
const count = (standard: number) => whole(1, 10_000_000).default(standard);
const some = z.string().min(1);
const flag = z
  .enum(['0', '1', 'true', 'false'], 'must be 0 or 1')
  .default('0')
  .transform((value) => value === '1' || value === 'true');

/** The name of a domain's setting: `HR_PORT`, `HR_URL`, `HR_DATABASE_URL`. */
const nameFor = (domain: string, suffix: string) => `${domain.toUpperCase()}_${suffix}`;

function forDomains(domains: readonly ConfiguredDomain[], suffix: string, schemaOf: (domain: ConfiguredDomain) => z.ZodType) {
  return Object.fromEntries(domains.map((domain) => [nameFor(domain.name, suffix), schemaOf(domain)] as const));
}

type Listed = Partial<Record<StoreKind, (domain: ConfiguredDomain) => SettingText>>;

/** The store URL of each domain that does not index a folder. docs/settings.md lists it only for a matching kind of store. */
function storeUrls(domains: readonly ConfiguredDomain[], suffix: string, { url, listed }: { url: () => z.ZodType; listed: Listed }) {
  const keeping = domains.filter(({ folder }) => folder === undefined);
  return forDomains(keeping, suffix, (domain) => url().meta(text(listed[domain.store]?.(domain) ?? { unlisted: true })));
}

const addressSettings = (domains: readonly ConfiguredDomain[]) => ({
  TAMSHAI_PUBLIC_URL: publicUrl().meta(
    text({
      default: '`http://localhost:<gateway port>`',
      meaning: 'The URL under which people reach the gateway. A host other than localhost needs `OIDC_ISSUER`',
    }),
  ),
  TAMSHAI_HOST: some.optional().meta(
    text({
      default: '`127.0.0.1` and `::1`',
      meaning: 'The IP address to listen on. An address that is not loopback needs `OIDC_ISSUER`',
    }),
  ),
  TAMSHAI_DATA: some.default('data').meta(
    text({
      meaning: 'The folder for keys, embedded stores and audit records. A relative path begins at the current folder',
    }),
  ),
  GATEWAY_PORT: port.meta(
    text({
      default: String(GATEWAY_PORT),
      meaning: 'Port of the gateway. With 0, the operating system chooses a free port',
    }),
  ),
  ...forDomains(domains, 'PORT', (domain) => port.meta(text({ default: String(domain.port), meaning: 'Port of each domain server' }))),
  OPS_PORT: port.meta(text({ meaning: 'An additional port for probes and scrapers: `/health`, `/ready` and `/metrics`' })),
  ...forFolders(domains, ({ name, folder }) =>
    some.optional().meta(
      text({
        default: `\`${folder.standard}\` of the package`,
        meaning: `The folder of Markdown files that the ${name} server indexes at each start`,
      }),
    ),
  ),
});

function storeSettings(domains: readonly ConfiguredDomain[]) {
  const domainsOn = (store: StoreKind) =>
    domains
      .filter((domain) => domain.store === store && domain.folder === undefined)
      .map(({ name }) => name)
      .join(', ');
  return {
    DATABASE_URL: postgresUrl().meta(
      text({
        default: 'embedded PGlite',
        meaning: `PostgreSQL for the SQL domains: ${domainsOn('sql')}. Versions: 15.14, 16.10, 17.6 and their updates; 18 or newer`,
      }),
    ),
    TAMSHAI_DATABASE_URL: postgresUrl().meta(
      text({
        default: '`DATABASE_URL`',
        meaning: 'PostgreSQL for connected programs and their sign-ins. Only the gateway uses it',
      }),
    ),
    ...storeUrls(domains, 'DATABASE_URL', {
      url: postgresUrl,
      listed: { sql: () => ({ default: '`DATABASE_URL`', meaning: 'PostgreSQL for one domain' }) },
    }),
    MONGODB_URL: mongodbUrl().meta(
      text({
        default: 'embedded file',
        meaning: `MongoDB for the document domains: ${domainsOn('documents')}. Version 6 or newer, as a replica set`,
      }),
    ),
    ...storeUrls(domains, 'MONGODB_URL', {
      url: mongodbUrl,
      listed: {
        documents: () => ({ default: '`MONGODB_URL`', meaning: 'MongoDB for one domain' }),
        search: ({ name }) => ({
          meaning: `MongoDB for ${name}, instead of a search server`,
        }),
      },
    }),
    ELASTICSEARCH_URL: searchUrl().meta(
      text({
        default: 'embedded file',
        meaning: `Search server for the search domains: ${domainsOn('search')}. Elasticsearch 8 or OpenSearch 2, or newer`,
      }),
    ),
    ...storeUrls(domains, 'ELASTICSEARCH_URL', {
      url: searchUrl,
      listed: { search: () => ({ default: '`ELASTICSEARCH_URL`', meaning: 'Search server for one domain' }) },
    }),
    TAMSHAI_INDEX_PREFIX: z
      .string()
      .regex(/^[a-z][a-z0-9]{0,30}$/, 'may contain lower-case letters and digits only')
      .default('tamshai')
      .meta(
        text({
          meaning: 'Prefix of index names on a search server, so that several installations can share it: lower-case letters and digits',
        }),
      ),
    REDIS_URL: redisUrl().meta(
      text({
        default: 'embedded file',
        meaning: 'Redis for tickets, sessions and rate limits. Configure Redis with `maxmemory-policy noeviction`',
      }),
    ),
  };
}

const signIn = {
  OIDC_ISSUER: publicUrl().meta(
    text({ default: 'built-in provider', meaning: 'The issuer URL for staff. It must use `https` unless it is on this machine' }),
  ),
  OIDC_CUSTOMER_ISSUER: publicUrl().meta(text({ meaning: 'The issuer URL for customers. It needs `OIDC_ISSUER`' })),
  OIDC_CLIENT_ID: some.default('tamshai').meta(text({ meaning: 'The client id of Tamshai at the issuer' })),
  OIDC_CUSTOMER_CLIENT_ID: some
    .optional()
    .meta(text({ default: '`OIDC_CLIENT_ID`', meaning: "The client id of Tamshai at the customers' issuer" })),
  OIDC_CLIENT_SECRET: some.optional().meta(text({ meaning: 'The secret of `OIDC_CLIENT_ID`' })),
};

const keys = {
  TAMSHAI_MASTER_KEY: some.optional().meta(
    text({
      default: 'in the data folder',
      meaning:
        '32 bytes as base64url. All processes need the same value. [Recovery 5](journey/recovery-0005-changing-the-master-key.md) ' +
        'describes how to change it',
    }),
  ),
  TAMSHAI_GATEWAY_KEY: some.optional().meta(
    text({
      default: 'in the data folder',
      meaning: 'The private key with which gateways sign. Give it to gateways only',
    }),
  ),
  TAMSHAI_GATEWAY_PUBLIC_KEYS: some.optional().meta(
    text({
      meaning: 'The public part of `TAMSHAI_GATEWAY_KEY`, for domain servers: a JWK set, or the path of a file with one',
    }),
  ),
};

const processSettings = (domains: readonly ConfiguredDomain[]) => ({
  ...forDomains(domains, 'URL', () =>
    publicUrl().meta(
      text({
        meaning: 'The URL of a domain server that runs in another process. The gateway and the domain server need it',
      }),
    ),
  ),
  TAMSHAI_INSTANCE: z
    .string()
    .regex(/^[a-z0-9-]{1,63}$/, 'may contain up to 63 lower-case letters, digits and dashes only')
    .default('main')
    .meta(
      text({
        meaning:
          'The name of this process: up to 63 lower-case letters, digits and dashes. Each process on one Redis needs a different name',
      }),
    ),
  TAMSHAI_DRAIN_SECONDS: whole(0, 300)
    .optional()
    .meta(
      text({
        default: '3 with Redis, else 0',
        meaning: 'How many seconds a process still accepts requests after `SIGTERM`',
      }),
    ),
});

const assistant = {
  ANTHROPIC_API_KEY: some.optional().meta(text({ meaning: 'The API key of Anthropic. It selects Claude as the model' })),
  ANTHROPIC_MODEL: some.default('claude-sonnet-4-5').meta(text({ meaning: 'The Claude model to use' })),
  ANTHROPIC_BASE_URL: publicUrl().meta(
    text({ default: "Anthropic's", meaning: 'The URL of the Anthropic API. It must use `https` unless it is on this machine' }),
  ),
  LLM_BASE_URL: publicUrl().meta(
    text({
      meaning: 'The URL of an OpenAI-compatible endpoint. It must use `https` unless it is on this machine, and it needs `LLM_MODEL`',
    }),
  ),
  LLM_MODEL: some.optional().meta(text({ meaning: 'The name of the model at `LLM_BASE_URL`' })),
  LLM_API_KEY: some.optional().meta(text({ meaning: 'The API key for `LLM_BASE_URL`' })),
  TAMSHAI_TOKENS_PER_QUESTION: count(120_000).meta(text({ meaning: 'How many LLM tokens one question may use' })),
};

const limits = {
  TAMSHAI_RATE_PER_MINUTE: count(120).meta(text({ meaning: 'Rate limit: calls of one person in a minute' })),
  TAMSHAI_CONCURRENT_CALLS: count(8).meta(text({ meaning: 'Concurrency limit: calls of one person that run at the same time' })),
  TAMSHAI_FAILED_AUTH_PER_SECOND: count(20).meta(
    text({ meaning: 'Failed authentications in a second from one address. Further ones get 429' }),
  ),
};

const observability = {
  TAMSHAI_LOG_LEVEL: z
    .enum(['silent', 'error', 'warn', 'info', 'debug'], 'must be silent, error, warn, info or debug')
    .default('warn')
    .meta(text({ meaning: '`silent`, `error`, `warn`, `info` or `debug`' })),
  TAMSHAI_METRICS_KEY: z
    .string()
    .min(16, 'must have at least 16 characters')
    .optional()
    .meta(
      text({
        meaning: 'The bearer token with which a scraper on another machine reads `/metrics`. At least 16 characters',
      }),
    ),
  ...tracingVariables,
};

const development = {
  NODE_ENV: z
    .string()
    .default('development')
    .meta(text({ meaning: '`production` forbids the built-in identity provider and `TAMSHAI_FAILPOINT`' })),
  TAMSHAI_SAMPLE_EMPLOYEES: count(500).meta(text({ meaning: 'Size of the sample company in an empty data folder' })),
  TAMSHAI_SCRIPTED_APPROVALS: flag.meta(
    text({ meaning: '`1` lets `tamshai token <user> --approve` print a token that can approve. Built-in sign-in only' }),
  ),
  TAMSHAI_FAILPOINT: z
    .string()
    .optional()
    .meta(text({ meaning: 'Kills the process at a named place in the code. For crash tests' })),
};

export interface SettingGroup {
  readonly title: string;
  readonly settings: Readonly<Record<string, z.ZodType>>;
  /** Paragraphs of Markdown before and after the table. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** Maps an old name to the current one. A process does not start with an old name, and its message says the current name. */
export const RENAMED_SETTINGS: Readonly<Record<string, string>> = {
  TAMSHAI_STRANGERS_PER_SECOND: 'TAMSHAI_FAILED_AUTH_PER_SECOND',
  TAMSHAI_CALLS_AT_ONCE: 'TAMSHAI_CONCURRENT_CALLS',
};

export interface Settings {
  readonly schema: z.ZodObject;
  readonly groups: readonly SettingGroup[];
  readonly names: readonly string[];
  /** The default ports. */
  readonly standardPorts: Readonly<Record<string, number>>;
  /** The settings with URLs, and whether a URL may contain a password. */
  readonly urls: ReadonlyMap<string, UrlKind>;
}

/** The settings of every configuration. The compiler knows their types. */
export const commonSettings = z.object({
  ...companyVariables,
  ...addressSettings([]),
  ...storeSettings([]),
  ...signIn,
  ...keys,
  ...processSettings([]),
  ...assistant,
  ...limits,
  ...observability,
  ...development,
});

export function createSettings(domains: readonly ConfiguredDomain[]): Settings {
  const groups = settingGroups(domains);
  const schema = z.object(Object.assign({}, ...groups.map((group) => group.settings)) as Record<string, z.ZodType>);
  const kinds = Object.entries(schema.shape).map(([name, each]) => [name, urlKindOf(each)] as const);
  return {
    schema,
    groups,
    names: Object.keys(schema.shape),
    standardPorts: { gateway: GATEWAY_PORT, ...Object.fromEntries(domains.map(({ name, port: own }) => [name, own])) },
    urls: new Map(kinds.filter((each): each is readonly [string, UrlKind] => each[1] !== undefined)),
  };
}

function settingGroups(domains: readonly ConfiguredDomain[]): readonly SettingGroup[] {
  const rebuilt = domains.filter(({ folder }) => folder !== undefined).map(({ name }) => name);
  const exceptRebuilt = rebuilt.length === 0 ? '' : ` but ${rebuilt.join(', ')}`;
  return [
    {
      title: 'Company',
      settings: companyVariables,
      before: ['[companies.md](companies.md) explains these settings.'],
    },
    {
      title: 'Addresses and files',
      settings: addressSettings(domains),
      after: [
        ...aboutFolders(domains),
        'With the built-in sign-in, `start` writes its URL and ports to `~/.tamshai/instances`. Commands such as `ask` and `call` look ' +
          'there for the instance of the current folder, or of `TAMSHAI_DATA`. `GATEWAY_PORT`, `TAMSHAI_PUBLIC_URL` and `OIDC_ISSUER` ' +
          'turn the lookup off.',
      ],
    },
    {
      title: 'Stores',
      settings: storeSettings(domains),
      before: ['Without a URL, a domain uses an embedded store in the data folder.'],
      after: [
        'With PostgreSQL, first run `tamshai migrate` with the login of the database owner. Then start with a `DATABASE_URL` that ' +
          'names no user ([operating](operating.md#migrate-the-schema)).',
        `Every domain${exceptRebuilt} accepts \`<DOMAIN>_DATABASE_URL\`, \`<DOMAIN>_MONGODB_URL\` and ` +
          '`<DOMAIN>_ELASTICSEARCH_URL`. A URL of a kind that the domain cannot use has no effect.',
      ],
    },
    {
      title: 'Sign-in',
      settings: signIn,
      before: [
        'Without `OIDC_ISSUER` the built-in identity provider runs. It has sample people and no passwords, and works on loopback only. ' +
          '[keycloak.md](keycloak.md) shows a complete set-up with your own issuer.',
      ],
    },
    {
      title: 'Keys',
      settings: keys,
      before: [
        '`tamshai keys new` prints new values for all three. Without settings, the first start creates the keys in the data folder.',
      ],
    },
    { title: 'Several processes', settings: processSettings(domains), before: ['[running-many.md](running-many.md) explains the set-up.'] },
    {
      title: 'Assistant',
      settings: assistant,
      before: ['Without these settings the offline model answers. [assistant.md](assistant.md) explains the models.'],
    },
    { title: 'Limits', settings: limits },
    { title: 'Logs, metrics and traces', settings: observability },
    {
      title: 'Tests and development',
      settings: development,
      after: ['`TAMSHAI_TEST_…` variables belong to the test suites ([CONTRIBUTING.md](../CONTRIBUTING.md#test-tiers)).'],
    },
  ];
}
