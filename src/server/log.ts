/** JSON logs. Only listed fields are logged, with sanitised values: no input of callers and no messages of drivers. */
import { type DestinationStream, pino } from 'pino';
import { hidePatterns } from '../engine/audit/redact.ts';
import type { Logger } from '../engine/ports.ts';
import type { CompletedCall } from '../engine/runtime.ts';

const FIELDS = new Set([
  'requestId',
  'error',
  'code',
  'at',
  'server',
  'tool',
  'store',
  'reason',
  'count',
  'ms',
  'issuer',
  'seconds',
  'chain',
  'state',
  'status',
  'surface',
  'port',
]);
const LONGEST = 200;
const FRAMES = 6;

/** One line of plain text, without control characters, tokens or personal numbers. */
const sanitise = (text: string): string => hidePatterns(text.slice(0, LONGEST).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu, ' '));

/** The stack without the message, because the message of a driver can contain values of rows. */
function traceOf({ name, code, stack }: Error & { code?: unknown }): Record<string, unknown> {
  const at = stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, FRAMES)
    .map(sanitise);
  return { error: sanitise(name), ...(typeof code === 'string' && { code: sanitise(code) }), ...(at && { at }) };
}

function valueOf(value: unknown): unknown {
  if (typeof value === 'string') return sanitise(value);
  if (Array.isArray(value))
    return value
      .filter((each) => typeof each === 'string')
      .slice(0, FRAMES)
      .map(sanitise);
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? value : undefined;
}

function allowed(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (!FIELDS.has(name)) continue;
    if (value instanceof Error) Object.assign(kept, traceOf(value));
    else kept[name] = valueOf(value);
  }
  return kept;
}

export function openLog(level: string, to: DestinationStream = pino.destination({ fd: 2, sync: true })): Logger {
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, to);
  return {
    info: (fields, message) => log.info(allowed(fields), message),
    warn: (fields, message) => log.warn(allowed(fields), message),
    error: (fields, message) => log.error(allowed(fields), message),
  };
}

/** Logs one line per call. Only the audit log has the caller and the input. */
export const logCalls =
  (log: Logger) =>
  ({ requestId, server, tool, surface, decision, code, rows, ms }: CompletedCall): void =>
    log.info(
      {
        requestId,
        server: tool?.domain.name ?? server,
        tool: tool?.name ?? 'unknown',
        surface,
        state: decision,
        ...(code !== null && { code }),
        count: rows,
        ms: Math.round(ms * 100) / 100,
      },
      'call',
    );
