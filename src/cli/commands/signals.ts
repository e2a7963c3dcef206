/** Signal handling: the first signal stops the process gracefully, the second at once. */
export interface Stopping {
  readonly first: Promise<NodeJS.Signals>;
}

/** npm forwards signals that the process already got from the terminal, so two signals within this time count as one. */
const SAME_PRESS_MS = 500;
const NUMBERS: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

export function untilStopped(deadlineMs: number): Stopping {
  let at: number | undefined;
  return {
    first: new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
        process.on(signal, () => {
          const now = performance.now();
          if (at !== undefined && now - at > SAME_PRESS_MS) process.exit(NUMBERS[signal]);
          if (at !== undefined) return;
          at = now;
          setTimeout(() => process.exit(1), deadlineMs).unref();
          resolve(signal);
        });
      }
    }),
  };
}
