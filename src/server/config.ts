/** Reads all settings from the environment; no other file does. A wrong or unknown setting ends the start with one sentence. */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { type Company, DEFAULT_COMPANY } from '../declare/company.ts';
import { seen } from '../identity/web/html.ts';
import { folderSetting } from '../declare/folder.ts';
import type { Registry } from '../engine/registry.ts';
import type { LlmSettings } from '../assistant/models/llm.ts';
import { companyFrom } from './company-settings.ts';
import { type commonSettings, createSettings, RENAMED_SETTINGS } from './settings.ts';
import { type TracingSettings, tracingFrom } from './tracing-settings.ts';

/** A wrong setting. Operators read the message, so it must contain no stack and no secret. */
export class ConfigProblem extends Error {
  override readonly name = 'ConfigProblem';
}

export interface Config {
  /** The domains that this installation serves. */
  readonly registry: Registry;
  readonly company: Company;
  readonly production: boolean;
  readonly dataFolder: string;
  /** The configured Markdown folder of a domain; undefined for the default folder. */
  readonly sourceFolder: (domain: string) => string | undefined;
  /** Addresses to listen on. */
  readonly hosts: readonly string[];
  readonly loopbackOnly: boolean;
  readonly base: string;
  readonly ports: Readonly<Record<string, number>>;
  readonly databaseUrl: (domain: string) => string | undefined;
  /** PostgreSQL of the engine's own store; undefined means the embedded database. */
  readonly engineDatabaseUrl: string | undefined;
  readonly mongodbUrl: (domain: string) => string | undefined;
  /** The URL of the search store. It is a MongoDB URL if the domain's own settings contain a MongoDB URL and no Elasticsearch URL. */
  readonly searchUrl: (domain: string) => string | undefined;
  /** The prefix of index names. With different prefixes, installations can share a search server. */
  readonly indexPrefix: string;
  readonly remoteUrl: (domain: string) => string | undefined;
  /** The same setting as `remoteUrl`, read by the domain server: its own URL for other processes. */
  readonly ownUrl: (domain: string) => string | undefined;
  readonly redisUrl: string | undefined;
  readonly issuers: {
    readonly staff: string | undefined;
    readonly customer: string | undefined;
    readonly clientId: string;
    readonly customerClientId: string;
    readonly clientSecret: string | undefined;
  };
  readonly masterKey: string | undefined;
  readonly gatewayKey: string | undefined;
  readonly gatewayPublicKeys: string | undefined;
  readonly instance: string;
  /** How long a process accepts work after SIGTERM, while `/ready` answers 503. */
  readonly drainSeconds: number;
  readonly scriptedApprovals: boolean;
  readonly sampleEmployees: number;
  readonly limits: { readonly perMinute: number; readonly atOnce: number; readonly failedAuthPerSecond: number };
  /** The LLM of the assistant; undefined for the offline model. */
  readonly model: LlmSettings | undefined;
  readonly tokensPerQuestion: number;
  readonly logLevel: string;
  /** The port for probes and scrapers, and the bearer token of scrapers on other machines. */
  readonly opsPort: number | undefined;
  readonly metricsKey: string | undefined;
  /** Undefined if no traces are configured. */
  readonly tracing: TracingSettings | undefined;
  readonly failpoint: string | undefined;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1', '[::1]']);
export const isLoopback = (address: string): boolean => LOOPBACK.has(new URL(address).hostname);
const STORES = 'DATABASE|MONGODB|ELASTICSEARCH';
/** Matches names that look like our settings, so that a typing mistake is found. */
const ours = (servers: readonly string[]) =>
  new RegExp(`^(TAMSHAI|OIDC)_|^(${servers.join('|').toUpperCase()})_(PORT|((${STORES})_)?URL)$|^(REDIS|${STORES})_URL$|^OPS_PORT$`);

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ConfigSources {
  readonly environment?: Environment;
  /** Adds settings that are not in the environment. */
  readonly complete?: ((environment: Environment) => Environment) | undefined;
  /** The company of a configuration file. Settings in the environment override it. */
  readonly company?: Company | undefined;
}

export function readConfig(registry: Registry, sources: ConfigSources = {}): Config {
  const { complete = (given) => given, company = DEFAULT_COMPANY } = sources;
  const environment = complete(sources.environment ?? process.env);
  const settings = createSettings(registry.domains);
  const isOurs = ours(Object.keys(settings.standardPorts));
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
  const renamed = Object.keys(given).find((name) => Object.hasOwn(RENAMED_SETTINGS, name));
  if (renamed !== undefined) throw new ConfigProblem(`${renamed} is now called ${RENAMED_SETTINGS[renamed]}; rename it.`);
  const unknown = Object.keys(given).find(
    (name) => isOurs.test(name) && !name.startsWith('TAMSHAI_TEST_') && !settings.names.includes(name),
  );
  if (unknown !== undefined) throw new ConfigProblem(`There is no setting ${seen(unknown)}; docs/settings.md lists all settings.`);
  const parsed = settings.schema.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const message = issue?.message ?? '';
    const predicate = message.startsWith('m') ? message : `is not valid: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
    throw new ConfigProblem(`${String(issue?.path[0])} ${predicate}.`);
  }
  const env = parsed.data as z.infer<typeof commonSettings> & Record<string, string | number | undefined>;
  const hosts = env.TAMSHAI_HOST === undefined ? ['127.0.0.1', '::1'] : [env.TAMSHAI_HOST];
  for (const host of hosts)
    if (!LOOPBACK.has(host) && isIP(host) === 0) throw new ConfigProblem('TAMSHAI_HOST must be an IP address or localhost.');
  const loopbackOnly = hosts.every((host) => LOOPBACK.has(host));
  const ports = Object.fromEntries(
    Object.entries(settings.standardPorts).map(([name, standard]) => [
      name,
      (env[`${name.toUpperCase()}_PORT`] as number | undefined) ?? standard,
    ]),
  );
  const configured = companyFrom(env, company);
  const config: Config = {
    registry: registry.forCompany(configured),
    company: configured,
    production: env.NODE_ENV === 'production',
    dataFolder: resolve(env.TAMSHAI_DATA),
    sourceFolder: (domain) => {
      const path = env[folderSetting(domain)] as string | undefined;
      return path === undefined ? undefined : resolve(path);
    },
    hosts,
    loopbackOnly,
    ports,
    base: (env.TAMSHAI_PUBLIC_URL ?? `http://localhost:${ports['gateway']}`).replace(/\/+$/, ''),
    databaseUrl: (domain) => (env[`${domain.toUpperCase()}_DATABASE_URL`] as string | undefined) ?? env.DATABASE_URL,
    engineDatabaseUrl: env.TAMSHAI_DATABASE_URL ?? env.DATABASE_URL,
    mongodbUrl: (domain) => (env[`${domain.toUpperCase()}_MONGODB_URL`] as string | undefined) ?? env.MONGODB_URL,
    searchUrl: (domain) =>
      registry.domains.find(({ name }) => name === domain)?.folder
        ? undefined
        : (((env[`${domain.toUpperCase()}_ELASTICSEARCH_URL`] ?? env[`${domain.toUpperCase()}_MONGODB_URL`]) as string | undefined) ??
          env.ELASTICSEARCH_URL),
    indexPrefix: env.TAMSHAI_INDEX_PREFIX,
    remoteUrl: (domain) => env[`${domain.toUpperCase()}_URL`] as string | undefined,
    ownUrl: (domain) => env[`${domain.toUpperCase()}_URL`] as string | undefined,
    redisUrl: env.REDIS_URL,
    issuers: {
      staff: env.OIDC_ISSUER,
      customer: env.OIDC_CUSTOMER_ISSUER,
      clientId: env.OIDC_CLIENT_ID,
      customerClientId: env.OIDC_CUSTOMER_CLIENT_ID ?? env.OIDC_CLIENT_ID,
      clientSecret: env.OIDC_CLIENT_SECRET,
    },
    masterKey: env.TAMSHAI_MASTER_KEY,
    gatewayKey: env.TAMSHAI_GATEWAY_KEY,
    gatewayPublicKeys: env.TAMSHAI_GATEWAY_PUBLIC_KEYS,
    instance: env.TAMSHAI_INSTANCE,
    // Without Redis, no other process can take over.
    drainSeconds: env.TAMSHAI_DRAIN_SECONDS ?? (env.REDIS_URL === undefined ? 0 : 3),
    scriptedApprovals: env.TAMSHAI_SCRIPTED_APPROVALS,
    sampleEmployees: env.TAMSHAI_SAMPLE_EMPLOYEES,
    limits: {
      perMinute: env.TAMSHAI_RATE_PER_MINUTE,
      atOnce: env.TAMSHAI_CONCURRENT_CALLS,
      failedAuthPerSecond: env.TAMSHAI_FAILED_AUTH_PER_SECOND,
    },
    model: modelIn(env),
    tokensPerQuestion: env.TAMSHAI_TOKENS_PER_QUESTION,
    logLevel: env.TAMSHAI_LOG_LEVEL,
    opsPort: env.OPS_PORT,
    metricsKey: env.TAMSHAI_METRICS_KEY,
    tracing: tracingFrom(env, env.TAMSHAI_INSTANCE),
    failpoint: env.TAMSHAI_FAILPOINT,
  };
  checkSafety(config);
  return config;
}

/** The path in TAMSHAI_CONFIG. It must be read first, because the configuration file decides which settings exist. */
export const configFileSetting = (): string | undefined => process.env['TAMSHAI_CONFIG'] || undefined;

/** The port of a server in the environment. A command that calls a running server does not know its domains. */
export const portSetting = (environment: Environment, server: string): number | undefined => {
  const given = environment[`${server.toUpperCase()}_PORT`] ?? '';
  return /^\d{1,5}$/.test(given) ? Number(given) : undefined;
};

/** For error messages. It also works if the configuration is wrong. */
export const isDebugging = (): boolean => process.env['TAMSHAI_LOG_LEVEL'] === 'debug';

function modelIn(env: z.infer<typeof commonSettings>): LlmSettings | undefined {
  for (const [name, address] of [
    ['ANTHROPIC_BASE_URL', env.ANTHROPIC_BASE_URL],
    ['LLM_BASE_URL', env.LLM_BASE_URL],
  ] as const) {
    if (address === undefined) continue;
    const { protocol, hostname } = new URL(address);
    if (protocol === 'http:' && !LOOPBACK.has(hostname))
      throw new ConfigProblem(`${name} must use https unless it is on this machine: questions and rows go there.`);
  }
  if (env.ANTHROPIC_API_KEY !== undefined)
    return { kind: 'anthropic', apiKey: env.ANTHROPIC_API_KEY, model: env.ANTHROPIC_MODEL, baseUrl: env.ANTHROPIC_BASE_URL };
  if (env.LLM_BASE_URL === undefined) return undefined;
  if (env.LLM_MODEL === undefined) throw new ConfigProblem('LLM_BASE_URL needs LLM_MODEL: the name of the model to ask there.');
  return { kind: 'openai', apiKey: env.LLM_API_KEY, model: env.LLM_MODEL, baseUrl: env.LLM_BASE_URL };
}

/** Refuses issuers over plain HTTP, a built-in sign-in that other machines can reach, and test settings in production. */
function checkSafety(config: Config): void {
  const { staff, customer } = config.issuers;
  for (const [name, issuer] of [
    ['OIDC_ISSUER', staff],
    ['OIDC_CUSTOMER_ISSUER', customer],
  ] as const) {
    if (issuer !== undefined && new URL(issuer).protocol === 'http:' && !isLoopback(issuer))
      throw new ConfigProblem(`${name} must use https unless it is on this machine.`);
  }
  if (staff === undefined && customer !== undefined)
    throw new ConfigProblem('OIDC_CUSTOMER_ISSUER needs OIDC_ISSUER: the built-in identity provider serves both realms or none.');
  if (staff === undefined && !config.loopbackOnly)
    throw new ConfigProblem('The built-in identity provider only runs on this machine; set OIDC_ISSUER to listen on another address.');
  if (staff === undefined && !LOOPBACK.has(new URL(config.base).hostname))
    throw new ConfigProblem(
      'The built-in identity provider has no passwords, so TAMSHAI_PUBLIC_URL must name this machine (localhost); ' +
        'set OIDC_ISSUER to be reached from elsewhere.',
    );
  if (staff === undefined && config.production)
    throw new ConfigProblem('The built-in identity provider does not run in production; set OIDC_ISSUER.');
  if (config.scriptedApprovals && staff !== undefined)
    throw new ConfigProblem('TAMSHAI_SCRIPTED_APPROVALS works with the built-in identity provider only.');
  if (config.failpoint !== undefined && config.production) throw new ConfigProblem('TAMSHAI_FAILPOINT is not for production.');
}
