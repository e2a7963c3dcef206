/** Cuts long work into turns of the event loop: one process serves everybody, so nobody may hold the loop. */

const SLICE_MS = 8;

export interface Turns {
  /** Whether the work has had its share of this turn. */
  isOver(): boolean;
  /** Resolves in the next turn, after whatever else has arrived. */
  next(): Promise<void>;
}

/** `if (turns.isOver()) await turns.next();` after each small piece of work. */
export function createTurns(sliceMs = SLICE_MS): Turns {
  let end = performance.now() + sliceMs;
  return {
    isOver: () => performance.now() >= end,
    async next() {
      await new Promise((resolve) => setImmediate(resolve));
      end = performance.now() + sliceMs;
    },
  };
}
