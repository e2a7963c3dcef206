/** Names of the audit chains, and which of them this process stores. */
import type { Config } from './config.ts';

export const callChain = ({ instance }: Pick<Config, 'instance'>): string => `calls-${instance}`;

/** Replicas share their checkpoints over Redis, but each stores its calls in its own data folder. */
export function keptHere(config: Pick<Config, 'instance'>, domains: readonly string[]): (chain: string) => boolean {
  const calls = callChain(config);
  return (chain) => chain === calls || chain.startsWith(`${calls}.`) || domains.some((name) => chain.startsWith(`${name}-`));
}

/** Whether this process's own file has the checkpoints of a chain that it can read: a chain of calls, or of its own writes to a store. */
export const checkpointedHere =
  ({ instance }: Pick<Config, 'instance'>) =>
  (chain: string): boolean =>
    chain.startsWith('calls-') || chain.slice(chain.indexOf('-') + 1) === instance;

/** The process that stores a chain of calls. A process that had to begin a new chain adds a dot and a number to its name. */
export const instanceOf = (chain: string): string | undefined => /^calls-([a-z0-9-]+)(?:\.|$)/.exec(chain)?.[1];

/** The processes that store chains of calls. */
export const recordersIn = (chains: readonly string[]): string[] => [...new Set(chains.flatMap((chain) => instanceOf(chain) ?? []))];
