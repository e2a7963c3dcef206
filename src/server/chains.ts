/** Names of the audit chains, and which of them this process stores. */
import type { Config } from './config.ts';

export const callChain = ({ instance }: Pick<Config, 'instance'>): string => `calls-${instance}`;

/** Selects the chains that this process stores. The checkpoints in Redis also name chains of other replicas. */
export function keptHere(config: Pick<Config, 'instance'>, domains: readonly string[]): (chain: string) => boolean {
  const calls = callChain(config);
  return (chain) => chain === calls || chain.startsWith(`${calls}.`) || domains.some((name) => chain.startsWith(`${name}-`));
}

/** Selects chains whose checkpoints this process can always read: chains of calls, and chains with its own writes. */
export const checkpointedHere =
  ({ instance }: Pick<Config, 'instance'>) =>
  (chain: string): boolean =>
    chain.startsWith('calls-') || chain.slice(chain.indexOf('-') + 1) === instance;

/** Returns the process that stores a chain of calls. The name of a second chain of a process ends with a dot and a number. */
export const instanceOf = (chain: string): string | undefined => /^calls-([a-z0-9-]+)(?:\.|$)/.exec(chain)?.[1];

/** The processes that store these chains of calls. */
export const recordersIn = (chains: readonly string[]): string[] => [...new Set(chains.flatMap((chain) => instanceOf(chain) ?? []))];
