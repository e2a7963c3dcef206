/** Splits long work into slices of the event loop, so that one request does not block others. */

const SLICE_MS = 8;

export interface Turns {
  /** Whether the work has used its share of this turn. */
  isOver(): boolean;
  /** Resolves in the next turn, after pending I/O events. */
  next(): Promise<void>;
}

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Use it in a loop: `if (turns.isOver()) await turns.next();`. */
export function createTurns(sliceMs = SLICE_MS): Turns {
  let end = performance.now() + sliceMs;
  return {
    isOver: () => performance.now() >= end,
    async next() {
      await nextTurn();
      end = performance.now() + sliceMs;
    },
  };
}

/** Runs `make` at the first call and caches its result. Concurrent callers share one run; a failure is not cached. */
export function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
