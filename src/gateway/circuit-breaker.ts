/** Stops asking who does not answer, and finds out alone when asking is worth while again. */
export interface CircuitBreaker {
  /** False while nobody should be asked. */
  readonly closed: boolean;
  good(): void;
  bad(): void;
  close(): void;
}

export interface CircuitBreakerOptions {
  /** Asks whether it is there again; no caller's work is spent on finding out. */
  readonly probe: () => Promise<void>;
  readonly onChange: (closed: boolean) => void;
  /** So many in a row, with nothing good between. */
  readonly failures?: number;
  readonly firstPauseMs?: number;
  readonly longestPauseMs?: number;
}

export function createCircuitBreaker({
  probe,
  onChange,
  failures = 5,
  firstPauseMs = 500,
  longestPauseMs = 5_000,
}: CircuitBreakerOptions): CircuitBreaker {
  let bad = 0;
  let closed = true;
  let over = false;
  let timer: NodeJS.Timeout | undefined;

  const set = (next: boolean) => {
    if (closed === next) return;
    closed = next;
    onChange(next);
  };
  const tryAgain = (pauseMs: number) => {
    timer = setTimeout(() => {
      probe().then(
        () => {
          if (over) return;
          // Half trusted: the first call that fails opens it again.
          bad = failures - 1;
          set(true);
        },
        () => {
          if (!over) tryAgain(Math.min(pauseMs * 2, longestPauseMs));
        },
      );
    }, pauseMs).unref();
  };
  return {
    get closed() {
      return closed;
    },
    good() {
      // An answer to what was asked before it opened says nothing about now; the probe does.
      if (closed) bad = 0;
    },
    bad() {
      if (!closed || over || ++bad < failures) return;
      set(false);
      tryAgain(firstPauseMs);
    },
    close() {
      over = true;
      clearTimeout(timer);
    },
  };
}
