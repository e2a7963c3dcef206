/** Streams of what changed: `subscriptions/listen` of 2026-07-28, and the GET stream of a 2025 session. */
import type { ServerResponse } from 'node:http';
import { SERVER_INFO_META_KEY, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import type { Caller } from '../../core/caller.ts';
import { Failure } from '../../core/errors.ts';
import type { Notice } from '../../core/resources.ts';
import type { Exchange } from './exchange.ts';
import type { McpResources } from './mcp-resources.ts';
import { whenOver } from './streams.ts';
import type { Kept, Subscriptions } from './subscriptions.ts';

const AGAIN_MS = 500;

/** An answer that goes on, event by event. Whoever reads slowly is written to slowly: nothing piles up here. */
class EventStream {
  readonly #res: ServerResponse;
  readonly #beat: NodeJS.Timeout;
  readonly #closed = new AbortController();
  readonly gone: Promise<void>;

  constructor(res: ServerResponse, heartbeatMs: number) {
    this.#res = res;
    if (!res.closed) {
      res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' });
      res.flushHeaders();
    }
    this.#beat = setInterval(() => void (res.writableNeedDrain || !this.open || res.write(': keepalive\n\n')), heartbeatMs);
    this.gone = new Promise((resolve) => {
      whenOver(res, () => {
        clearInterval(this.#beat);
        this.#closed.abort();
        resolve();
      });
    });
  }

  /** When it happens, or never where the stream ends before. */
  during(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true, signal: this.#closed.signal });
    });
  }

  get open(): boolean {
    return !this.#res.destroyed && !this.#res.writableEnded;
  }

  /** Undefined when there is room for more at once. */
  send(message: object | undefined, id?: string): Promise<void> | undefined {
    if (!this.open) return undefined;
    const data = message === undefined ? '' : JSON.stringify(message);
    if (this.#res.write(`${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${data}\n\n`)) return undefined;
    return Promise.race([this.gone, new Promise<void>((resolve) => void this.#res.once('drain', () => resolve()))]);
  }

  end(): void {
    // A response that waits behind another one on its connection ends long before it closes.
    clearInterval(this.#beat);
    if (this.open) this.#res.end();
  }
}

/** The last notice that went out: the transaction's number, and which of its notices. */
interface Reached {
  readonly tx: number;
  /** Undefined when all of that transaction did. */
  readonly n?: number | undefined;
}
/** By address: how far a subscriber was told. */
export type Progress = Map<string, Reached>;

interface Pumping {
  readonly mcpResources: McpResources;
  readonly stream: EventStream;
  readonly server: string;
  readonly caller: Caller;
  readonly progress: Progress;
  /** What is subscribed to at this moment. */
  readonly wanted: () => Kept | Promise<Kept>;
  /** Resolves when that may have become something else. */
  readonly changed?: () => Promise<void>;
  readonly send: (notice: Notice) => Promise<void> | undefined;
}

const startOf = (progress: Progress, uri: string, from: number): Reached => {
  const told = progress.get(uri);
  return told !== undefined && told.tx >= from ? told : { tx: from };
};
const isPast = (tx: number, n: number, start: Reached) => tx > start.tx || (tx === start.tx && start.n !== undefined && n > start.n);

/** Follows one server until the stream ends, or the caller may not any more: then it resolves. */
async function pump(pumping: Pumping): Promise<void> {
  const { mcpResources, stream, server, caller, progress, wanted, changed } = pumping;
  while (stream.open) {
    try {
      const own = [...(await wanted())].filter(([, each]) => each.server === server);
      const starts = own.map(([uri, { from }]) => startOf(progress, uri, from)).map(({ tx, n }) => (n === undefined ? tx : tx - 1));
      const next = starts.length === 0 ? [] : [mcpResources.changes(server, caller, Math.min(...starts))];
      const notices = await Promise.race([...next, ...(changed ? [changed()] : []), stream.gone]);
      if (notices !== undefined) await deliver(pumping, notices);
    } catch (error) {
      if (error instanceof Failure && !error.retryable) return;
      await Promise.race([stream.gone, new Promise((again) => setTimeout(again, AGAIN_MS).unref())]);
    }
  }
}

async function deliver({ stream, server, progress, wanted, send }: Pumping, notices: readonly Notice[]): Promise<void> {
  // Looked up after the notices were read, and again after every wait: what is no longer wanted does not go out.
  let now = await wanted();
  let [at, n] = [0, 0];
  for (const notice of notices) {
    n = notice.tx_id === at ? n + 1 : 0;
    at = notice.tx_id;
    const uri = notice.resource_uri;
    const subscribed = now.get(uri);
    if (subscribed?.server !== server || !isPast(at, n, startOf(progress, uri, subscribed.from))) continue;
    if (!stream.open) return;
    progress.set(uri, { tx: at, n });
    const full = send(notice);
    if (full !== undefined) {
      await full;
      now = await wanted();
    }
  }
  if (at === 0 || !stream.open) return;
  for (const [uri, subscribed] of now) {
    if (subscribed.server === server && startOf(progress, uri, subscribed.from).tx <= at) progress.set(uri, { tx: at });
  }
}

const updated = (notice: Notice, meta: object) => ({
  jsonrpc: '2.0',
  method: 'notifications/resources/updated',
  // Clients drop keys that they do not know, but keep what stands in _meta.
  params: { uri: notice.resource_uri, ...notice, _meta: { ...notice, ...meta } },
});

export interface Streaming {
  readonly mcpResources: McpResources;
  readonly subscriptions: Subscriptions;
  readonly heartbeatMs: number;
  readonly serverInfo: object;
  /** When this process is about to end: whoever listens is told so, and goes on elsewhere. */
  readonly retiring: AbortSignal;
}

/** One stream for one request of a 2026 client. `honored` holds the addresses as the client wrote them. */
export async function listen(
  { mcpResources, heartbeatMs, serverInfo, retiring }: Streaming,
  exchange: Exchange,
  res: ServerResponse,
  { id, honored, kept }: { readonly id: string | number; readonly honored: readonly string[]; readonly kept: Kept },
): Promise<void> {
  const stream = new EventStream(res, heartbeatMs);
  const stamp = { [SUBSCRIPTION_ID_META_KEY]: id };
  const notifications = honored.length > 0 ? { resourceSubscriptions: honored } : {};
  void stream.send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta: stamp } });
  const pumps = [...serversIn(kept)].map((server) =>
    pump({
      mcpResources,
      stream,
      server,
      caller: exchange.caller,
      progress: new Map(),
      wanted: () => kept,
      send: (notice) => stream.send(updated(notice, stamp)),
    }),
  );
  // Whoever may follow nothing any more is told that it is over.
  await Promise.race([stream.gone, stream.during(retiring), Promise.all(pumps)]);
  void stream.send({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta: { ...stamp, [SERVER_INFO_META_KEY]: serverInfo } } });
  stream.end();
}

const serversIn = (kept: Kept): ReadonlySet<string> => new Set([...kept.values()].map(({ server }) => server));

/** An event's id says all that came before it, so that any replica can go on from there. */
const idOf = (progress: Progress): string =>
  [...progress].map(([uri, { tx, n }]) => `${uri}=${tx}${n === undefined ? '' : `.${n}`}`).join(';');

/** What a client saw last; whatever else stands there says nothing. */
export function progressIn(lastEventId: string | undefined): Progress {
  const parts = (lastEventId ?? '').slice(0, 2000).matchAll(/(?:^|;)([a-z][a-z0-9:/-]*)=(\d{1,15})(?:\.(\d{1,9}))?(?=;|$)/g);
  return new Map([...parts].map(([, uri = '', tx, n]) => [uri, { tx: Number(tx), n: n === undefined ? undefined : Number(n) }]));
}

export interface SessionStream {
  readonly id: string;
  /** Goes on from here; kept up to date as notices go out. */
  readonly progress: Progress;
  /** Whether the client takes an event without a message, that only says how far it is. */
  readonly primed: boolean;
}

/** The GET stream of a 2025 session, wherever the session began. */
export async function follow(
  { mcpResources, subscriptions, heartbeatMs, retiring }: Streaming,
  caller: Caller,
  res: ServerResponse,
  session: SessionStream,
): Promise<void> {
  const stream = new EventStream(res, heartbeatMs);
  const { id, progress } = session;
  const running = new Set<string>();
  let wake = () => {};
  let changed = new Promise<void>(() => {});
  const look = async () => {
    wake();
    changed = new Promise((resolve) => (wake = resolve));
    for (const server of serversIn(await subscriptions.hold(id, caller, () => stream.open))) {
      if (running.has(server) || !stream.open) continue;
      running.add(server);
      void pump({
        mcpResources,
        stream,
        server,
        caller,
        progress,
        wanted: () => subscriptions.of(id),
        changed: () => changed,
        send: (notice) => stream.send(updated(notice, {}), idOf(progress)),
      }).finally(() => running.delete(server));
    }
  };
  if (session.primed && progress.size > 0) void stream.send(undefined, idOf(progress));
  const lookAgain = () => void look().catch(() => undefined);
  const stop = subscriptions.onChange(id, lookAgain);
  // Another replica may have been asked to subscribe.
  const again = setInterval(lookAgain, heartbeatMs);
  lookAgain();
  await Promise.race([stream.gone, stream.during(retiring)]);
  stream.end();
  clearInterval(again);
  stop();
}
