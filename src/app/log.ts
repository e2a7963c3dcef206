/** Log lines for machines: JSON, fields from a list, nothing that a caller wrote. */
import { pino } from 'pino';
import type { Logger } from '../core/ports.ts';

const FIELDS = new Set(['requestId', 'error', 'code', 'at', 'server', 'tool', 'store', 'reason', 'count', 'ms', 'issuer', 'seconds', 'chain', 'state', 'port']);

const allowed = (fields: Readonly<Record<string, unknown>>) => Object.fromEntries(Object.entries(fields).filter(([name, value]) => FIELDS.has(name) && value !== undefined));

export function openLog(level: string): Logger {
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination({ fd: 2, sync: true }));
  return {
    info: (fields, message) => log.info(allowed(fields), message),
    warn: (fields, message) => log.warn(allowed(fields), message),
    error: (fields, message) => log.error(allowed(fields), message),
  };
}
