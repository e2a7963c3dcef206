/** Deadlines that also end when the caller cancels. */

/** The caller's signal is accessed only after this time, because the first access can create it. Most work ends earlier. */
const SIGNAL_AFTER_MS = 20;

/**
 * Calls `onEnd` with `late` after the deadline, or with `gone` when the caller's signal aborts. Call the returned function when the
 * work is done.
 */
export function startDeadline(
  ms: number,
  caller: { readonly signal?: AbortSignal | undefined },
  onEnd: (why: 'late' | 'gone') => void,
): () => void {
  let signal: AbortSignal | undefined;
  const gone = () => onEnd('gone');
  const listen = () => {
    timer = setTimeout(() => onEnd('late'), ms - SIGNAL_AFTER_MS);
    signal = caller.signal;
    if (signal?.aborted) gone();
    else signal?.addEventListener('abort', gone, { once: true });
  };
  let timer = setTimeout(listen, Math.min(SIGNAL_AFTER_MS, ms));
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', gone);
  };
}
