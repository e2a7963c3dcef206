/** The port for calls of contracts, and the clients that make them. */
import { type Calls, type Client, type Contract, contractName, contractOf } from '../declare/contracts.ts';
import type { Person } from '../declare/people.ts';
import type { Proof } from './caller.ts';
import type { Registry } from './registry.ts';

/** For whom a call is made. */
export interface OnBehalf {
  /** Undefined for a call that the engine makes for no person. */
  readonly person: Person | undefined;
  readonly proof?: Proof | undefined;
  readonly requestId: string;
  readonly signal?: AbortSignal | undefined;
}
export interface ContractCall extends OnBehalf {
  readonly call: string;
  readonly input: unknown;
}

/** Makes calls of contracts, in this process or over HTTP. */
export interface ContractCaller {
  /** True if an installed domain provides the contract, in this process or at a known address. */
  reaches(contract: Contract): boolean;
  ask(contract: Contract, call: ContractCall): Promise<unknown>;
}

export function clientOf<C extends Calls>(caller: ContractCaller, contract: Contract<C>, onBehalf: OnBehalf): Client<C> {
  const calls = Object.keys(contract.calls).map((call) => [call, (input: unknown) => caller.ask(contract, { ...onBehalf, call, input })]);
  return Object.fromEntries(calls) as Client<C>;
}

/** The names of the contracts that domains need. */
export const neededByDomains = ({ domains }: Pick<Registry, 'domains'>): ReadonlySet<string> =>
  new Set(domains.flatMap(({ needs = {} }) => Object.values(needs).map((need) => contractName(contractOf(need)))));
