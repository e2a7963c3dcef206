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
  /** Increases when an input or an output changes. A provider answers exactly the versions that it provides. */
  readonly version: number;
  readonly calls: C;
}

const ID = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const CALL = /^[a-z][A-Za-z0-9]*$/;

export function contract<const C extends Calls>(id: string, version: number, calls: C): Contract<C> {
  if (!ID.test(id)) throw new Error(`The contract '${id}' is no name: use lower-case letters, digits and dashes`);
  if (!Number.isSafeInteger(version) || version < 1) throw new Error(`${id}: the version of a contract is 1 or a higher whole number`);
  const odd = Object.keys(calls).find((call) => !CALL.test(call));
  if (odd !== undefined) throw new Error(`${id}: the call '${odd}' is no name: use letters and digits`);
  return { id, version, calls };
}

/** The name and version of a contract in messages and logs. */
export const contractName = ({ id, version }: Pick<Contract, 'id' | 'version'>): string => `${id} v${version}`;

/** The calls of a contract as a tool makes them. Answers are parsed with the output schema, wherever the provider runs. */
export type Client<C extends Calls> = {
  readonly [K in keyof C]: (input: z.input<C[K]['input']>) => Promise<z.output<C[K]['output']>>;
};

export interface OptionalNeed<out C extends Calls = Calls> {
  readonly optional: Contract<C>;
  /** What the domain does without a provider, as a clause for the log: 'rooms show no names'. */
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

/** One change in a change feed. The numbers increase in the order in which the changes were committed. */
export type NumberedChange = z.ZodObject<{ n: z.ZodType<number, number> }>;
export type ChangeFeedCalls<T extends z.ZodType = z.ZodType> = {
  readonly after: {
    readonly input: z.ZodObject<{ after: z.ZodInt }>;
    /** `last` is the newest number. It can be lower than an earlier one, after the provider was restored from a backup. */
    readonly output: z.ZodObject<{ last: z.ZodInt; changes: z.ZodArray<T> }>;
  };
};

/** A contract for reading changes page by page: `after` returns the changes after a number, in order. */
export const changeFeed = <T extends NumberedChange>(id: string, version: number, change: T): Contract<ChangeFeedCalls<T>> =>
  contract(id, version, {
    after: {
      input: z.strictObject({ after: z.int().min(0) }),
      output: z.object({ last: z.int().min(0), changes: z.array(change) }),
    },
  });
