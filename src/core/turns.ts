/** Cuts long work into turns of the event loop: one process serves everybody, so nobody may hold the loop. */

const SLICE_MS = 8;

export interface Turns {
  /** Whether the work has had its share of this turn. */
  isOver(): boolean;
  /** Resolves in the next turn, after whatever else has arrived. */
  next(): Promise<void>;
}

/** Lets whatever has arrived go first. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** `if (turns.isOver()) await turns.next();` after each small piece of work. */
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

/** Makes something when it is first asked for, and keeps it. A caller who asks meanwhile waits for the same result. */
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
