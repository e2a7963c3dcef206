/** Counts unauthenticated requests and writes the counts to the audit log. */
import { recorder } from '../../engine/audit/recorder.ts';
import type { AuditLog, Clock } from '../../engine/ports.ts';

export interface Refusals {
  count(surface: string, server: string): void;
  close(): Promise<void>;
}

const EVERY_MS = 1_000;

/** Writes at most one record a second: many requests must not cause many records. */
export function countRefusals(log: Pick<AuditLog, 'append'>, clock: Clock): Refusals {
  let counts = new Map<string, { surface: string; server: string; times: number }>();
  let timer: NodeJS.Timeout | undefined;

  const write = async () => {
    clearTimeout(timer);
    timer = undefined;
    if (counts.size === 0) return;
    const taken = [...counts.values()];
    counts = new Map();
    try {
      await log.append(recorder.unauthenticated(clock, taken));
    } catch {
      // The next record includes these calls.
      for (const { surface, server, times } of taken) add(surface, server, times);
    }
  };
  const add = (surface: string, server: string, times: number) => {
    const name = `${surface} ${server}`;
    const known = counts.get(name);
    if (known) known.times += times;
    else counts.set(name, { surface, server, times });
    timer ??= setTimeout(() => void write(), EVERY_MS).unref();
  };
  return { count: (surface, server) => add(surface, server, 1), close: write };
}
