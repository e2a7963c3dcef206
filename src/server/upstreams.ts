/** The HTTP clients of the domain servers that run in other processes. */
import { createUpstreamClient, type UpstreamClient, type UpstreamClientOptions } from '../gateway/upstream-client.ts';
import type { Config } from './config.ts';

/** Opens one client for each domain with a remote URL. */
export const openUpstreams = (
  { registry, remoteUrl }: Pick<Config, 'registry' | 'remoteUrl'>,
  options: Omit<UpstreamClientOptions, 'server' | 'url'>,
): ReadonlyMap<string, UpstreamClient> =>
  new Map(
    registry.domains.flatMap(({ name: server }) => {
      const url = remoteUrl(server);
      return url === undefined ? [] : [[server, createUpstreamClient({ ...options, server, url })] as const];
    }),
  );
