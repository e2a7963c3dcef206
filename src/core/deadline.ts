/** Most things are over before anybody could take them back, so whoever asked is listened to only after a moment. */
const A_MOMENT_MS = 20;

/**
 * Waits for so long, and no longer than whoever asked: `ended` hears which of the two gave up. Call what is returned when it is over.
 * The signal is read when it matters, and may be made only then.
 */
export function startDeadline(
  ms: number,
  asked: { readonly signal?: AbortSignal | undefined },
  ended: (why: 'late' | 'gone') => void,
): () => void {
  let signal: AbortSignal | undefined;
  const gone = () => ended('gone');
  const listen = () => {
    timer = setTimeout(() => ended('late'), ms - A_MOMENT_MS);
    signal = asked.signal;
    if (signal?.aborted) gone();
    else signal?.addEventListener('abort', gone, { once: true });
  };
  let timer = setTimeout(listen, Math.min(A_MOMENT_MS, ms));
  return () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', gone);
  };
}
