/** Server-sent events: one JSON object per event, a comment as heartbeat for proxies, and `[DONE]` at the end. */
import type { ServerResponse } from 'node:http';

export interface EventStream {
  /** Aborted when the client disconnects or does not read. */
  readonly signal: AbortSignal;
  send(event: object): void;
  /** Sends `[DONE]` and closes the stream. */
  done(): void;
}

const HEARTBEAT_MS = 15_000;
/** The largest buffer for a slow client, in bytes. */
const MAX_BUFFERED = 1024 * 1024;

export interface StreamOptions {
  /** Calls `beat` at an interval until the returned function is called. */
  readonly every?: (beat: () => void, ms: number) => () => void;
  readonly maxBuffered?: number;
}
const startInterval = (beat: () => void, ms: number): (() => void) => {
  const timer = setInterval(beat, ms);
  return () => clearInterval(timer);
};

export function openEventStream(
  res: ServerResponse,
  headers: Readonly<Record<string, string>>,
  { every = startInterval, maxBuffered = MAX_BUFFERED }: StreamOptions = {},
): EventStream {
  const closed = new AbortController();
  res.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  res.flushHeaders();
  const write = (text: string) => {
    if (res.writableEnded || res.destroyed) return;
    res.write(text);
    if (res.writableLength > maxBuffered) res.destroy();
  };
  const stopHeartbeat = every(() => write(': still here\n\n'), HEARTBEAT_MS);
  const onClose = () => {
    stopHeartbeat();
    closed.abort();
  };
  // A destroyed response emits no close event.
  if (res.destroyed) onClose();
  else res.once('close', onClose);
  res.on('error', () => res.destroy());
  return {
    signal: closed.signal,
    // JSON escapes line breaks, so an event is always one line.
    send: (event) => write(`data: ${JSON.stringify(event)}\n\n`),
    done() {
      stopHeartbeat();
      write('data: [DONE]\n\n');
      res.end();
    },
  };
}
