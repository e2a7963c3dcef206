/** Creates the identity services: token issuers, the verifier, web sessions and logout. */
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ContractCaller } from '../engine/contract-caller.ts';
import type { EngineStore } from '../engine/engine-store.ts';
import type { Clock, KeyValue, Logger } from '../engine/ports.ts';
import { createAccounts, type Accounts } from '../identity/accounts.ts';
import { type EmbeddedProvider, createEmbeddedProvider } from '../identity/embedded/provider.ts';
import { type GatewayKeys, loadGatewayKeys, ownGatewayKeys, watchGatewayKeys } from '../identity/gateway-keys.ts';
import { createEmbeddedIssuer, createExternalIssuer, introspection, type Issuer, sameAudience } from '../identity/issuers.ts';
import { derive, type Keys } from '../identity/keys.ts';
import { createLogout } from '../identity/logout.ts';
import { createRevocations } from '../identity/revocation.ts';
import { createVerifier, type Verifier } from '../identity/verify.ts';
import type { WebBuild } from '../identity/web/build.ts';
import { type WebSessions, createWebSessions } from '../identity/web/sessions.ts';
import { type Config, ConfigProblem } from './config.ts';
import { customerRolesFrom, peopleFrom } from './contracts.ts';

export interface Identity {
  readonly verifier: Verifier;
  readonly sessions: WebSessions;
  readonly accounts: Accounts;
  /** Undefined with an external issuer and in a process without a gateway. */
  readonly embedded: EmbeddedProvider | undefined;
  readonly issuers: readonly string[];
  /** Back-channel logout of an external issuer. */
  readonly logout: ((token: string) => Promise<void>) | undefined;
  /** The audiences `<address>/mcp` or `<address>/api`. A loopback address has one audience for each of its names. */
  audiences(address: string, use: 'mcp' | 'api'): readonly string[];
}

export interface IdentityOptions {
  readonly config: Pick<Config, 'issuers' | 'registry' | 'scriptedApprovals' | 'ownUrl'>;
  readonly base: string;
  readonly keys: Keys;
  readonly kv: KeyValue;
  readonly sealed: KeyValue;
  /** Undefined without a gateway, because only the gateway signs people in. */
  readonly store: EngineStore | undefined;
  readonly contracts: ContractCaller;
  readonly clock: Clock;
  readonly log: Logger;
  readonly domainPorts: Readonly<Record<string, number>>;
  readonly webBuild: WebBuild | undefined;
}

export const domainAddress = (port: number): string => `http://localhost:${port}`;

export function createIdentity({
  config,
  base,
  keys,
  kv,
  sealed,
  store,
  contracts,
  clock,
  log,
  domainPorts,
  webBuild,
}: IdentityOptions): Identity {
  const { staff, customer, clientId, customerClientId, clientSecret } = config.issuers;
  const { roles, people: samplePeople } = config.registry;
  const own = createAccounts(kv, samplePeople, { roles, clock, customerRoles: customerRolesFrom(contracts) });
  const denied = createRevocations(kv, clock);
  const external = (realm: 'staff' | 'customer', issuer: string, client: string): Issuer =>
    createExternalIssuer({
      realm,
      roles,
      issuer,
      clientId: client,
      introspect: clientSecret === undefined ? undefined : introspection(issuer, client, clientSecret),
    });
  const issuers: Issuer[] =
    staff === undefined
      ? (['staff', 'customer'] as const).map((realm) =>
          createEmbeddedIssuer({ realm, roles, base, keys, accounts: own, scriptedApprovals: config.scriptedApprovals }),
        )
      : [external('staff', staff, clientId), ...(customer === undefined ? [] : [external('customer', customer, customerClientId)])];
  const verifier = createVerifier({
    issuers,
    people: peopleFrom(config.registry, contracts),
    denied,
    clock,
    onRefused: (reason) => log.info({ reason }, 'token refused'),
    onLongLived: (issuer, seconds) =>
      log.warn({ issuer, seconds }, 'this issuer issues access tokens that are valid for more than five minutes'),
  });
  const audiences = (address: string, use: 'mcp' | 'api') => sameAudience(`${address}/${use}`);
  // The protected-resource metadata of a server must contain the same URL.
  const servers = Object.entries(domainPorts).map(([name, port]) => config.ownUrl(name)?.replace(/\/+$/, '') ?? domainAddress(port));
  const embedded =
    staff === undefined && store !== undefined
      ? createEmbeddedProvider({
          base,
          keys,
          accounts: own,
          kv: sealed,
          store,
          revocations: denied,
          servers,
          clock,
          log,
          scriptedApprovals: config.scriptedApprovals,
          build: webBuild,
        })
      : undefined;
  const web = ({ issuer, realm }: Issuer) => ({
    issuer,
    clientId: staff === undefined ? 'tamshai-web' : realm === 'staff' ? clientId : customerClientId,
    clientSecret,
    embedded: staff === undefined,
  });
  const [staffIssuer, customerIssuer] = issuers;
  if (!staffIssuer) throw new Error('no issuer');
  const sessions = createWebSessions({
    base,
    kv: sealed,
    clock,
    log,
    build: webBuild,
    sealKey: derive(keys, 'csrf'),
    issuers: { staff: web(staffIssuer), customer: customerIssuer && web(customerIssuer) },
    verify: (token, wanted) => verifier.verify(token, wanted),
  });
  const logout = staff === undefined ? undefined : createLogout({ issuers, denied, clock });
  return { verifier, sessions, accounts: own, embedded, logout, issuers: issuers.map(({ issuer }) => issuer), audiences };
}

/** The public keys of the gateway for a domain server: the configured keys, or those in its data folder. */
export function gatewayKeysFor({ gatewayPublicKeys }: Pick<Config, 'gatewayPublicKeys'>, keys: Keys): GatewayKeys {
  if (gatewayPublicKeys === undefined) return ownGatewayKeys(keys);
  if (gatewayPublicKeys.trimStart().startsWith('{')) return loadGatewayKeys(gatewayPublicKeys);
  // Reads the file again later, so that keys can change without a restart.
  if (!existsSync(gatewayPublicKeys))
    throw new ConfigProblem('TAMSHAI_GATEWAY_PUBLIC_KEYS must be a set of public keys as JSON, or the path of a file that holds one.');
  loadGatewayKeys(readFileSync(gatewayPublicKeys, 'utf8'));
  return watchGatewayKeys(() => readFile(gatewayPublicKeys, 'utf8'));
}
