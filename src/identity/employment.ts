/** Checks the employment of a staff member at sign-in, with a cache for outages of the domain that keeps employees. */
import { failure } from '../declare/errors.ts';
import type { Clock, People } from '../engine/ports.ts';

type Employment = Awaited<ReturnType<People['employment']>>;

const DEADLINE_MS = 3_000;
const REMEMBERED_FOR_MS = 5 * 60_000;
const REMEMBERED_AT_MOST = 20_000;

/** Every server needs the employee record, so the hint must not suggest another server. */
const unreadable = () =>
  failure('SERVICE_UNAVAILABLE', {
    message: 'Your employee record cannot be read at the moment. No server answers you until it can be read.',
    hint: 'Try again in a moment.',
  });

/**
 * Returns the id of an active employee record; throws if the employment has ended. During an outage, a cached state of at most five minutes
 * counts, except for approvals (`exact`). Otherwise throws SERVICE_UNAVAILABLE.
 */
export function employmentOf(
  people: People | undefined,
  clock: Clock,
): (employeeId: string, exact: boolean) => Promise<string | undefined> {
  // No installed domain keeps employees, so no account is linked to an employee record.
  if (people === undefined) return async () => undefined;
  const remembered = new Map<string, { readonly employment: Employment; readonly at: number }>();

  const ask = async (employeeId: string, exact: boolean): Promise<Employment> => {
    const now = clock.now().getTime();
    try {
      const employment = await inTime(people.employment(employeeId));
      remembered.delete(employeeId);
      remembered.set(employeeId, { employment, at: now });
      if (remembered.size > REMEMBERED_AT_MOST) remembered.delete(remembered.keys().next().value ?? '');
      return employment;
    } catch {
      const last = remembered.get(employeeId);
      if (!exact && last && now - last.at <= REMEMBERED_FOR_MS) return last.employment;
      throw unreadable();
    }
  };

  return async (employeeId, exact) => {
    const employment = await ask(employeeId, exact);
    if (employment === 'terminated') throw failure('INSUFFICIENT_PERMISSIONS', 'This employment has ended.');
    return employment === 'active' ? employeeId : undefined;
  };
}

/** Limits the wait, because a store that hangs must not block every sign-in. */
function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('too late')), DEADLINE_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
