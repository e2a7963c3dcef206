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
}

const PATIENCE_MS = 1_000;

/** One server that is away costs its own tools; only where none is left is this process of no use. */
export function readiness({ shared, backends }: ReadinessOptions): Readiness {
  let retired = false;
  return {
    async ready() {
      if (retired) throw new Error('about to stop');
      const [, ...answers] = await Promise.all([inTime(shared.ping()), ...backends.map((each) => answering(each))]);
      if (!answers.includes(true)) throw new Error('no server answers');
    },
    retire() {
      retired = true;
    },
  };
}

/** What is known of a server elsewhere is enough: the link to it finds out alone when it is back. */
const answering = async (backend: ToolBackend): Promise<boolean> =>
  backend.remote
    ? backend.available()
    : inTime(backend.ping()).then(
        () => true,
        () => false,
      );

function inTime(work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('too late')), PATIENCE_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
