/** Streams of change notices: `subscriptions/listen` of 2026-07-28, and the GET stream of a 2025 session. */
import type { ServerResponse } from 'node:http';
import { SERVER_INFO_META_KEY, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import type { Caller } from '../../engine/caller.ts';
import { Failure } from '../../declare/errors.ts';
import type { Notice } from '../../declare/resources.ts';
import type { Exchange } from './exchange.ts';
import type { McpResources } from './mcp-resources.ts';
import { onClosed } from './streams.ts';
import type { SubscriptionMap, Subscriptions } from './subscriptions.ts';

const RETRY_MS = 500;

/** A response of server-sent events with backpressure: for a slow client, `send` returns a promise to wait for. */
class NoticeStream {
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
      onClosed(res, () => {
        clearInterval(this.#beat);
        this.#closed.abort();
        resolve();
      });
    });
  }

  /** Resolves when the signal aborts. Never resolves if the stream ends first. */
  during(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true, signal: this.#closed.signal });
    });
  }

  get open(): boolean {
    return !this.#res.destroyed && !this.#res.writableEnded;
  }

  /**
   * Returns undefined if the next message can be written at once. Otherwise returns a promise that resolves when the client has caught up.
   */
  send(message: object | undefined, id?: string): Promise<void> | undefined {
    if (!this.open) return undefined;
    const data = message === undefined ? '' : JSON.stringify(message);
    if (this.#res.write(`${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${data}\n\n`)) return undefined;
    return Promise.race([this.gone, new Promise<void>((resolve) => void this.#res.once('drain', () => resolve()))]);
  }

  end(): void {
    // Stops the heartbeat now, because a pipelined response closes much later.
    clearInterval(this.#beat);
    if (this.open) this.#res.end();
  }
}

/** The last sent notice: the number of its transaction, and its index in the transaction. */
interface Position {
  readonly tx: number;
  /** Undefined if all notices of the transaction were sent. */
  readonly n?: number | undefined;
}
/** Maps a resource URI to the last sent notice. */
export type Progress = Map<string, Position>;

interface PumpOptions {
  readonly mcpResources: McpResources;
  readonly stream: NoticeStream;
  readonly server: string;
  readonly caller: Caller;
  readonly progress: Progress;
  /** The current subscriptions. */
  readonly wanted: () => SubscriptionMap | Promise<SubscriptionMap>;
  /** Resolves when the subscriptions may have changed. */
  readonly changed?: () => Promise<void>;
  readonly send: (notice: Notice) => Promise<void> | undefined;
}

const startOf = (progress: Progress, uri: string, from: number): Position => {
  const reached = progress.get(uri);
  return reached !== undefined && reached.tx >= from ? reached : { tx: from };
};
const isPast = (tx: number, n: number, start: Position) => tx > start.tx || (tx === start.tx && start.n !== undefined && n > start.n);

/** Sends the notices of one server. Resolves when the stream ends or the caller may no longer read them. */
async function pump(options: PumpOptions): Promise<void> {
  const { mcpResources, stream, server, caller, progress, wanted, changed } = options;
  while (stream.open) {
    try {
      const own = [...(await wanted())].filter(([, each]) => each.server === server);
      const starts = own.map(([uri, { from }]) => startOf(progress, uri, from)).map(({ tx, n }) => (n === undefined ? tx : tx - 1));
      const next = starts.length === 0 ? [] : [mcpResources.changes(server, caller, Math.min(...starts))];
      const notices = await Promise.race([...next, ...(changed ? [changed()] : []), stream.gone]);
      if (notices !== undefined) await deliver(options, notices);
    } catch (error) {
      if (error instanceof Failure && !error.retryable) return;
      await Promise.race([stream.gone, new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref())]);
    }
  }
}

async function deliver({ stream, server, progress, wanted, send }: PumpOptions, notices: readonly Notice[]): Promise<void> {
  // Reads the subscriptions after the notices and after every wait, so that nothing is sent after an unsubscribe.
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
  // Clients drop unknown members of params, but keep those of _meta.
  params: { uri: notice.resource_uri, ...notice, _meta: { ...notice, ...meta } },
});

export interface NoticeStreamOptions {
  readonly mcpResources: McpResources;
  readonly subscriptions: Subscriptions;
  readonly heartbeatMs: number;
  readonly serverInfo: object;
  /** Aborted when this process begins to stop. Streams then end, and clients reconnect to another replica. */
  readonly retiring: AbortSignal;
}

/** Serves one `subscriptions/listen` request of a 2026 client. `honored` has the URIs as the client wrote them. */
export async function listen(
  { mcpResources, heartbeatMs, serverInfo, retiring }: NoticeStreamOptions,
  exchange: Exchange,
  res: ServerResponse,
  { id, honored, kept }: { readonly id: string | number; readonly honored: readonly string[]; readonly kept: SubscriptionMap },
): Promise<void> {
  const stream = new NoticeStream(res, heartbeatMs);
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
  // The pumps end when the caller may no longer read any of the resources.
  await Promise.race([stream.gone, stream.during(retiring), Promise.all(pumps)]);
  void stream.send({ jsonrpc: '2.0', id, result: { resultType: 'complete', _meta: { ...stamp, [SERVER_INFO_META_KEY]: serverInfo } } });
  stream.end();
}

const serversIn = (kept: SubscriptionMap): ReadonlySet<string> => new Set([...kept.values()].map(({ server }) => server));

/** The event id contains the progress of all resources, so that any replica can resume the stream. */
const idOf = (progress: Progress): string =>
  [...progress].map(([uri, { tx, n }]) => `${uri}=${tx}${n === undefined ? '' : `.${n}`}`).join(';');

/** Parses Last-Event-ID; malformed parts are ignored. */
export function progressIn(lastEventId: string | undefined): Progress {
  const parts = (lastEventId ?? '').slice(0, 2000).matchAll(/(?:^|;)([a-z][a-z0-9:/-]*)=(\d{1,15})(?:\.(\d{1,9}))?(?=;|$)/g);
  return new Map([...parts].map(([, uri = '', tx, n]) => [uri, { tx: Number(tx), n: n === undefined ? undefined : Number(n) }]));
}

export interface SessionStream {
  readonly id: string;
  /** The position of the stream, updated with each sent notice. */
  readonly progress: Progress;
  /** True if the client accepts an event with an id and no data. */
  readonly primed: boolean;
}

/** Serves the GET stream of a 2025 session, which may have begun on another replica. */
export async function streamSession(
  { mcpResources, subscriptions, heartbeatMs, retiring }: NoticeStreamOptions,
  caller: Caller,
  res: ServerResponse,
  { id, progress, primed }: SessionStream,
): Promise<void> {
  const stream = new NoticeStream(res, heartbeatMs);
  const running = new Set<string>();
  let wake = () => {};
  let changed = new Promise<void>(() => {});
  const update = async () => {
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
  if (primed && progress.size > 0) void stream.send(undefined, idOf(progress));
  const tryUpdate = () => void update().catch(() => undefined);
  const stop = subscriptions.onChange(id, tryUpdate);
  // Another replica may have changed the subscriptions.
  const timer = setInterval(tryUpdate, heartbeatMs);
  tryUpdate();
  await Promise.race([stream.gone, stream.during(retiring)]);
  stream.end();
  clearInterval(timer);
  stop();
}
