/** Readiness: decides whether this process should get requests. */
import type { ToolBackend } from '../gateway/backends.ts';

export interface Readiness {
  /** Rejects while this process must not get requests. Settles within the deadline even if a store hangs. */
  ready(): Promise<void>;
  /** From now on `ready` rejects. */
  retire(): void;
}

export interface ReadinessOptions {
  /** The stores of the whole process. It is ready only if all of them answer. */
  readonly shared: readonly { ping(): Promise<void> }[];
  readonly backends: readonly ToolBackend[];
  readonly deadlineMs?: number | undefined;
  readonly silentMs?: number | undefined;
}

const DEADLINE_MS = 1_000;
/** A slow store counts as available for this time: under load all replicas are slow, and they must not all become unready. */
const SILENT_MS = 5_000;

/** A missing server only removes its own tools, so the process stays ready while one server answers. */
export function createReadiness({ shared, backends, deadlineMs = DEADLINE_MS, silentMs = SILENT_MS }: ReadinessOptions): Readiness {
  let retired = false;
  const watched = (ping: () => Promise<void>) => createProbe(ping, deadlineMs, silentMs);
  const stores = shared.map((each) => watched(() => each.ping()));
  // The upstream client of a remote server knows whether the server answers, so no ping is needed.
  const servers = backends.map((each) => (each.remote ? async () => each.available() : watched(() => each.ping())));
  return {
    async ready() {
      if (retired) throw new Error('about to stop');
      const all = (probes: readonly (() => Promise<boolean>)[]) => Promise.all(probes.map((probe) => probe()));
      const [there, any] = await Promise.all([all(stores), all(servers)]);
      if (there.includes(false)) throw new Error('a shared store does not answer');
      if (!any.includes(true)) throw new Error('no server answers');
    },
    retire() {
      retired = true;
    },
  };
}

/** False if the ping fails. After the deadline, the last success within `silentMs` decides. */
function createProbe(ping: () => Promise<void>, deadlineMs: number, silentMs: number): () => Promise<boolean> {
  let lastSuccess = Number.NEGATIVE_INFINITY;
  return () =>
    new Promise((resolve) => {
      const timer = setTimeout(() => resolve(performance.now() - lastSuccess < silentMs), deadlineMs);
      const settle = (isUp: boolean) => {
        clearTimeout(timer);
        // A late answer still counts for the next probe.
        lastSuccess = isUp ? performance.now() : Number.NEGATIVE_INFINITY;
        resolve(isUp);
      };
      ping().then(
        () => settle(true),
        () => settle(false),
      );
    });
}
