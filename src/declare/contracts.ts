/**
 * Contracts between domains: named, versioned calls that one domain provides and other domains or the engine need. The provider may run in
 * another process, so a contract describes its calls with schemas.
 */
import { z } from 'zod';

export interface CallShape {
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}
export type Calls = Readonly<Record<string, CallShape>>;

export interface Contract<out C extends Calls = Calls> {
  readonly id: string;
  /** Increase it when an input or an output changes. A provider answers only calls for the versions that it provides. */
  readonly version: number;
  readonly calls: C;
}

const ID = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const CALL = /^[a-z][A-Za-z0-9]*$/;

export function defineContract<const C extends Calls>(id: string, version: number, calls: C): Contract<C> {
  if (!ID.test(id)) throw new Error(`'${id}' is not a valid name of a contract: use lower-case letters, digits and dashes`);
  if (!Number.isSafeInteger(version) || version < 1) throw new Error(`${id}: the version of a contract must be a whole number from 1`);
  const odd = Object.keys(calls).find((call) => !CALL.test(call));
  if (odd !== undefined) throw new Error(`${id}: '${odd}' is not a valid name of a call: use letters and digits`);
  return { id, version, calls };
}

/** The name and version of a contract in messages and logs. */
export const contractName = ({ id, version }: Pick<Contract, 'id' | 'version'>): string => `${id} v${version}`;

/** The functions with which a tool makes the calls. They parse each answer with the output schema. */
export type Client<C extends Calls> = {
  readonly [K in keyof C]: (input: z.input<C[K]['input']>) => Promise<z.output<C[K]['output']>>;
};

export interface OptionalNeed<out C extends Calls = Calls> {
  readonly optional: Contract<C>;
  /** For the log: what the domain does without a provider, such as 'rooms show no names'. */
  readonly without: string;
}
/** A start fails if no installed domain provides a need, unless the need is optional. */
export type Need = Contract | OptionalNeed;
export type Needs = Readonly<Record<string, Need>>;

/** The clients of a domain's needs, by their names. The client of an optional need is undefined if no installed domain provides it. */
export type Clients<N extends Needs> = {
  readonly [K in keyof N]: N[K] extends Contract<infer C> ? Client<C> : N[K] extends OptionalNeed<infer C> ? Client<C> | undefined : never;
};

export const contractOf = (need: Need): Contract => ('optional' in need ? need.optional : need);

/** The numbers `n` increase in the order of the commits. */
export type NumberedChange = z.ZodObject<{ n: z.ZodType<number, number> }>;
export type ChangeFeedCalls<T extends z.ZodType = z.ZodType> = {
  readonly after: {
    readonly input: z.ZodObject<{ after: z.ZodInt }>;
    /** `last` is the newest number. It decreases if the provider was restored from an older backup. */
    readonly output: z.ZodObject<{ last: z.ZodInt; changes: z.ZodArray<T> }>;
  };
};

/** A contract for reading changes page by page: `after` returns the changes after a number, in order. */
export const defineChangeFeed = <T extends NumberedChange>(id: string, version: number, change: T): Contract<ChangeFeedCalls<T>> =>
  defineContract(id, version, {
    after: {
      input: z.strictObject({ after: z.int().min(0) }),
      output: z.object({ last: z.int().min(0), changes: z.array(change) }),
    },
  });
