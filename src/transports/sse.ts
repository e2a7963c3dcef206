/** Server-sent events: one JSON object in each, a comment now and then so that nobody in between gives up, and an end that is said. */
import type { ServerResponse } from 'node:http';

export interface EventStream {
  /** Aborted when the reader went away, or does not read. */
  readonly signal: AbortSignal;
  send(event: object): void;
  /** Says that it is complete, and closes. */
  done(): void;
}

const HEARTBEAT_MS = 15_000;
/** What may wait for a slow reader. */
const MOST_WAITING = 1024 * 1024;

export interface StreamOptions {
  /** Does something again and again, until what it gives back is called. */
  readonly every?: (beat: () => void, ms: number) => () => void;
  readonly mostWaiting?: number;
}
const byTheClock = (beat: () => void, ms: number): (() => void) => {
  const timer = setInterval(beat, ms);
  return () => clearInterval(timer);
};

export function openEventStream(
  res: ServerResponse,
  headers: Readonly<Record<string, string>>,
  { every = byTheClock, mostWaiting = MOST_WAITING }: StreamOptions = {},
): EventStream {
  const gone = new AbortController();
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
    if (res.writableLength > mostWaiting) res.destroy();
  };
  const rest = every(() => write(': still here\n\n'), HEARTBEAT_MS);
  const over = () => {
    rest();
    gone.abort();
  };
  // Who has left before it began is not heard of any more.
  if (res.destroyed) over();
  else res.once('close', over);
  res.on('error', () => res.destroy());
  return {
    signal: gone.signal,
    // A line break inside a string is written \n by JSON: an event is one line, whatever is in it.
    send: (event) => write(`data: ${JSON.stringify(event)}\n\n`),
    done() {
      rest();
      write('data: [DONE]\n\n');
      res.end();
    },
  };
}
