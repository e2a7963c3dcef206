/** The deadline of a readiness check: a store that hangs must not hang the probe that asks about it. */
const DEADLINE_MS = 2_000;

/** False when the check fails, or has not ended within two seconds. */
export function answersInTime(check: () => Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), DEADLINE_MS);
    const end = (answered: boolean) => {
      clearTimeout(timer);
      resolve(answered);
    };
    check().then(
      () => end(true),
      () => end(false),
    );
  });
}
