/** A circuit breaker: opens after repeated failures, then sends probes until the server answers again. */
export interface CircuitBreaker {
  /** False while callers must not send requests. */
  readonly closed: boolean;
  good(): void;
  bad(): void;
  close(): void;
}

export interface CircuitBreakerOptions {
  /** Checks whether the server answers again. */
  readonly probe: () => Promise<void>;
  readonly onChange: (closed: boolean) => void;
  /** Consecutive failures that open the breaker. */
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
          // Half-open: the next failure opens it again.
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
      // Only the probe closes an open breaker. This answer can belong to a request from before the breaker opened.
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
