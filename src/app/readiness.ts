/** Whether this process should be sent work: what it cannot do without answers, and it is not about to stop. */
import type { ToolBackend } from '../gateway/backends.ts';

export interface Readiness {
  /** Rejects while nothing should be sent here. Quick, whatever hangs. */
  ready(): Promise<void>;
  /** From now on nothing should. */
  retire(): void;
}

export interface ReadinessOptions {
  /** Without the shared store nobody can be let in. */
  readonly shared: { ping(): Promise<void> };
  readonly backends: readonly ToolBackend[];
  readonly deadlineMs?: number | undefined;
  readonly silentMs?: number | undefined;
}

const DEADLINE_MS = 1_000;
/** Slow is not gone: under load all replicas are slow at once, and if all of them said so, nobody would be served by any. */
const SILENT_MS = 5_000;

/** One server that is away costs its own tools; only where none is left is this process of no use. */
export function createReadiness({ shared, backends, deadlineMs = DEADLINE_MS, silentMs = SILENT_MS }: ReadinessOptions): Readiness {
  let retired = false;
  const watched = (ping: () => Promise<void>) => answers(ping, deadlineMs, silentMs);
  const store = watched(() => shared.ping());
  // What is known of a server elsewhere is enough: the link to it finds out alone when it is back.
  const servers = backends.map((each) => (each.remote ? async () => each.available() : watched(() => each.ping())));
  return {
    async ready() {
      if (retired) throw new Error('about to stop');
      const [there, ...any] = await Promise.all([store(), ...servers.map((each) => each())]);
      if (!there) throw new Error('the shared store does not answer');
      if (!any.includes(true)) throw new Error('no server answers');
    },
    retire() {
      retired = true;
    },
  };
}

/** False as soon as it says no, or once it has said nothing for a while. */
function answers(ping: () => Promise<void>, deadlineMs: number, silentMs: number): () => Promise<boolean> {
  let heard = Number.NEGATIVE_INFINITY;
  return () =>
    new Promise((resolve) => {
      const timer = setTimeout(() => resolve(performance.now() - heard < silentMs), deadlineMs);
      const said = (yes: boolean) => {
        clearTimeout(timer);
        // Also what comes late is heard.
        heard = yes ? performance.now() : Number.NEGATIVE_INFINITY;
        resolve(yes);
      };
      ping().then(
        () => said(true),
        () => said(false),
      );
    });
}
