/** What the chains of the trail are called, and which of them are kept here. */
import type { Config } from './config.ts';

export const callChain = ({ instance }: Pick<Config, 'instance'>): string => `calls-${instance}`;

/** Replicas share a Redis, and with it each other's checkpoints: their calls are in their own folders. */
export function keptHere(config: Pick<Config, 'instance'>, domains: readonly string[]): (chain: string) => boolean {
  const calls = callChain(config);
  return (chain) => chain === calls || chain.startsWith(`${calls}.`) || domains.some((name) => chain.startsWith(`${name}-`));
}

/** Chains whose checkpoints are in this process's own file: its calls, and what it wrote to the stores of its domains. */
export const checkpointedHere =
  ({ instance }: Pick<Config, 'instance'>) =>
  (chain: string): boolean =>
    chain.startsWith('calls-') || chain.slice(chain.indexOf('-') + 1) === instance;

/**
 * The process that keeps a chain of calls; one that had to begin a new chain has a dot and a number behind it. What a store keeps, any of
 * its servers can show.
 */
export const instanceOf = (chain: string): string | undefined => /^calls-([a-z0-9-]+)(?:\.|$)/.exec(chain)?.[1];

/** The processes that keep calls, by the names of their chains. */
export const recordersIn = (chains: readonly string[]): string[] => [...new Set(chains.flatMap((chain) => instanceOf(chain) ?? []))];
