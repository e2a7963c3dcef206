/** Limits the audit records of rate-limited calls: per person and minute, 20 single records and one record with the count of the others. */
import { recorder } from '../../engine/audit/recorder.ts';
import type { AuditLog, AuditRecord, Clock } from '../../engine/ports.ts';

const ONE_BY_ONE = 20;
const MINUTE_MS = 60_000;

interface Minute {
  readonly began: number;
  recorded: number;
  rest: number;
  last: AuditRecord;
}

export type BoundedAuditLog = Pick<AuditLog, 'append' | 'close'>;

/** `close` writes the remaining counts. */
export function boundRateLimited(log: Pick<AuditLog, 'append'>, clock: Clock): BoundedAuditLog {
  const minutes = new Map<string, Minute>();
  let timer: NodeJS.Timeout | undefined;

  async function write(principal: string): Promise<void> {
    const minute = minutes.get(principal);
    minutes.delete(principal);
    if (minute === undefined || minute.rest === 0) return;
    await log.append(recorder.rateLimited(clock, minute.last, minute.rest));
  }
  async function writeEnded(): Promise<void> {
    const now = clock.now().getTime();
    const ended = [...minutes].filter(([, { began }]) => now - began >= MINUTE_MS);
    // If the write fails, the count is lost.
    for (const [principal] of ended) await write(principal).catch(() => undefined);
    timer = minutes.size === 0 ? undefined : later();
  }
  const later = () => setTimeout(() => void writeEnded(), MINUTE_MS).unref();

  return {
    async append(record) {
      if (record.code !== 'RATE_LIMITED') return log.append(record);
      const now = clock.now().getTime();
      const known = minutes.get(record.principal);
      if (known !== undefined && now - known.began >= MINUTE_MS) await write(record.principal);
      const minute = minutes.get(record.principal) ?? { began: now, recorded: 0, rest: 0, last: record };
      minutes.set(record.principal, minute);
      minute.last = record;
      if (minute.recorded < ONE_BY_ONE) {
        minute.recorded += 1;
        return log.append(record);
      }
      minute.rest += 1;
      timer ??= later();
    },
    async close() {
      clearTimeout(timer);
      for (const principal of minutes.keys()) await write(principal);
    },
  };
}
