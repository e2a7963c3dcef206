/** Connects the contracts of this installation: checks the needs at the start, and finds the provider of each call. */
import { contractName, contractOf, type Contract } from '../declare/contracts.ts';
import { customerLead, employment } from '../declare/engine-contracts.ts';
import { failure } from '../declare/errors.ts';
import type { AnyDomain } from '../declare/tool.ts';
import { clientOf, type ContractCaller, neededByDomains } from '../engine/contract-caller.ts';
import { answerAndRecord } from '../engine/contracts.ts';
import type { Clock, Logger, People } from '../engine/ports.ts';
import type { Registry } from '../engine/registry.ts';
import type { Runtime } from '../engine/runtime.ts';
import type { UpstreamClient } from '../gateway/upstream-client.ts';
import type { AccountOptions } from '../identity/accounts.ts';
import type { SigningKey } from '../identity/keys.ts';
import { type Config, ConfigProblem } from './config.ts';
import { createContractRequest } from './contract-request.ts';

type Installation = Pick<Config, 'registry' | 'remoteUrl'>;

/** Throws a ConfigProblem if a needed contract has no provider. If the need is optional, logs what the domain does without it. */
export function checkNeeds({ registry, remoteUrl }: Installation, local: readonly AnyDomain[], log: Logger): void {
  const isReached = (domain: AnyDomain) => local.includes(domain) || remoteUrl(domain.name) !== undefined;
  for (const { name: server, needs = {} } of local) {
    for (const need of Object.values(needs)) {
      const contract = contractOf(need);
      const missing = missingProvider(registry, contract, isReached);
      if (missing === undefined) continue;
      const sentence = `${server} needs ${contractName(contract)}, ${missing.why}`;
      if (!('optional' in need)) throw new ConfigProblem(`${sentence}; ${missing.remedy}.`);
      log.warn({ server, contract: contractName(contract) }, `${sentence}; until then ${need.without}.`);
    }
  }
}

interface MissingProvider {
  readonly why: string;
  readonly remedy: string;
}

function missingProvider(registry: Registry, contract: Contract, isReached: (domain: AnyDomain) => boolean): MissingProvider | undefined {
  const provider = registry.provisionOf(contract)?.domain;
  if (provider !== undefined && isReached(provider)) return undefined;
  if (provider !== undefined)
    return {
      why: `which ${provider.name} provides in another process, whose address is not known here`,
      remedy: `set ${provider.name.toUpperCase()}_URL`,
    };
  const other = registry.provisions.find(({ contract: { id } }) => id === contract.id);
  return other
    ? { why: `but ${other.domain.name} provides ${other.name}`, remedy: 'install releases of both that match' }
    : { why: 'which no installed domain provides', remedy: 'install a domain that provides it' };
}

export interface ContractCallerOptions {
  readonly registry: Registry;
  /** The stores of the domains in this process. */
  readonly stores: Runtime['stores'];
  /** Gets the records of refused calls. */
  readonly audit: Runtime['audit'];
  readonly upstreams: ReadonlyMap<string, UpstreamClient>;
  /** Signs calls of the engine's contracts. */
  readonly gatewayKey: SigningKey;
  /** Signs calls of contracts that domains need. This is the gateway's key, or the key of contracts in a process without the gateway. */
  readonly contractKey: SigningKey;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createContractCaller(options: ContractCallerOptions): ContractCaller {
  const { registry, stores, audit, upstreams, gatewayKey, contractKey, clock, log } = options;
  const needed = neededByDomains(registry);
  /** Only the gateway's key may sign calls in the name of a person. */
  const signerFor = (contract: Contract) => ({
    key: needed.has(contractName(contract)) ? contractKey : gatewayKey,
    mayNamePeople: contractKey === gatewayKey,
  });
  const remote = new Map(
    registry.domains.flatMap(({ name: server, title }) => {
      const upstream = upstreams.get(server);
      return upstream ? [[server, createContractRequest(upstream, { server, title, signerFor, clock, log })] as const] : [];
    }),
  );
  const contracts: ContractCaller = {
    reaches(contract) {
      const server = registry.provisionOf(contract)?.domain.name ?? '';
      return server in stores || remote.has(server);
    },
    async ask(contract, call) {
      const provision = registry.provisionOf(contract);
      if (!provision) throw failure('CONTRACT_NOT_PROVIDED', `No installed domain provides ${contractName(contract)}.`);
      const { name, title } = provision.domain;
      if (name in stores) return answerAndRecord({ stores, clock, contracts, audit }, provision, call);
      const request = remote.get(name);
      if (!request) throw failure('SERVICE_UNAVAILABLE', `${title} does not answer.`);
      return request(contract, call);
    },
  };
  return contracts;
}

/** Undefined if no installed domain provides employment. Then no account is linked to an employee record. */
export function peopleFrom(registry: Registry, contracts: ContractCaller): People | undefined {
  if (!registry.provisionOf(employment)) return undefined;
  const client = clientOf(contracts, employment, { person: undefined, requestId: 'sign-in' });
  return { employment: (employeeId) => client.stateOf({ employeeId }) };
}

/** Returns the roles of a customer; undefined if the organisation is unknown or the domain does not answer. */
export function customerRolesFrom(contracts: ContractCaller): NonNullable<AccountOptions['customerRoles']> {
  const client = clientOf(contracts, customerLead, { person: undefined, requestId: 'sign-in' });
  return async ({ sub, organizationId }) => {
    if (organizationId === undefined) return undefined;
    return (await client.rolesOf({ sub, organizationId }).catch(() => null)) ?? undefined;
  };
}
