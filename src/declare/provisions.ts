/** What a domain provides under a contract, and the change feeds of other domains that it follows. */
import type { z } from 'zod';
import { DEFAULT_COMPANY } from './company.ts';
import { type ChangeFeedCalls, type Calls, type Contract, contractName, contractOf } from './contracts.ts';
import type { Role } from './people.ts';
import { type SqlTag, type SqlText, sql } from './sql.ts';
import type { AccessRule, AnyDomain, CallContext, Calling, Mistake } from './tool.ts';

export interface ProvideDef<R extends Role, A extends string, C, S extends Calls> {
  /**
   * Tools of other domains may make these calls for a caller with one of these roles. The call reads the rows of the widest audience among
   * these roles of the caller. Without `roles`, no tool may make the calls.
   */
  readonly roles?: readonly [R, ...R[]];
  /** The audience of the engine's own calls, such as those of sign-in. Without it, the engine may not make the calls. */
  readonly systemAudience?: A;
  readonly calls: {
    readonly [K in keyof S]: (input: z.output<S[K]['input']>, context: Calling<never> & C) => Promise<z.input<S[K]['output']>>;
  };
}

/** A provision with its types erased. */
export interface Provision extends AccessRule {
  readonly kind: 'provision';
  readonly contract: Contract;
  readonly systemAudience: string | undefined;
  /** The input is parsed already; the caller parses the result. */
  answer(call: string, input: unknown, context: CallContext): Promise<unknown>;
}

export function createProvision(
  domain: AnyDomain,
  { contract, def }: { readonly contract: Contract; readonly def: ProvideDef<Role, string, object, Calls> },
  contextFor: (call: CallContext) => never,
): Provision {
  const { systemAudience, calls } = def;
  const roles: readonly Role[] = def.roles ?? [];
  const name = contractName(contract);
  if (roles.length === 0 && systemAudience === undefined)
    throw new Error(`${domain.name}: nobody may use ${name}: name roles or a systemAudience`);
  return {
    kind: 'provision',
    domain,
    company: DEFAULT_COMPANY,
    name,
    contract,
    roles,
    audience: undefined,
    systemAudience,
    answer: async (call, input, context) => calls[call]?.(input as never, contextFor(context)),
  };
}

export interface FollowDef<A extends string, T> {
  /** The audience that updates the copy and its position in the feed. */
  readonly audience: A;
  /** The statements that write a page of changes to the copy, in order. One transaction runs them and moves the position. */
  apply(changes: readonly T[], given: { readonly sql: SqlTag }): readonly SqlText[];
}

/** A domain's copy of data of another domain, which a change feed keeps up to date. */
export interface Follower {
  readonly kind: 'follower';
  readonly domain: AnyDomain;
  readonly contract: Contract<ChangeFeedCalls>;
  readonly audience: string;
  apply(changes: readonly unknown[]): readonly SqlText[];
}

export type Following<K, A extends string> = K extends 'sql'
  ? {
      /** Follows the change feed of another domain. The feed must be one of the domain's `needs`. */
      follow<T extends z.ZodType>(of: Contract<ChangeFeedCalls<T>>, def: FollowDef<A, z.output<T>>): Follower;
    }
  : { readonly follow: Mistake<'follow: only a domain with SQL tables can keep a copy of another domain’s rows'> };

export function createFollower(domain: AnyDomain, contract: Contract<ChangeFeedCalls>, def: FollowDef<string, never>): Follower {
  if (!Object.values(domain.needs ?? {}).some((need) => contractOf(need) === contract))
    throw new Error(`${domain.name} follows ${contractName(contract)}, which is not among its needs`);
  return {
    kind: 'follower',
    domain,
    contract,
    audience: def.audience,
    apply: (changes) => def.apply(changes as readonly never[], { sql }),
  };
}
