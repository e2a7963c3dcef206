/** What the chains of the trail are called, and which of them are kept here. */
import type { Config } from './config.ts';

export const callChain = ({ instance }: Pick<Config, 'instance'>): string => `calls-${instance}`;

/** Replicas share a Redis, and with it each other's checkpoints: their calls are in their own folders. */
export function keptHere(config: Pick<Config, 'instance'>, domains: readonly string[]): (chain: string) => boolean {
  const calls = callChain(config);
  return (chain) => chain === calls || chain.startsWith(`${calls}.`) || domains.some((name) => chain.startsWith(`${name}-`));
}
