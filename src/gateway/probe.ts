/** Runs a readiness check with a deadline. */
const DEADLINE_MS = 2_000;

/** False if the check fails or does not end within two seconds. */
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
