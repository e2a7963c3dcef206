/** Stores the subscriptions of 2025 MCP sessions in the shared key-value store, because another replica may continue a session. */
import { createHash } from 'node:crypto';
import type { Caller } from '../../engine/caller.ts';
import { failure } from '../../declare/errors.ts';
import type { KeyValue } from '../../engine/ports.ts';
import type { Exchange } from './exchange.ts';
import type { McpResources } from './mcp-resources.ts';
import { refusal } from './protocol-error.ts';
import type { ConcurrencyLimit } from '../../engine/limits/concurrency-limit.ts';

/** Maps a resource URI to its server and to the transaction after which notifications begin. */
export type SubscriptionMap = ReadonlyMap<string, { readonly server: string; readonly from: number }>;

/** As long as other replicas accept a session (`MAX_REMOTE_MS` in sessions.ts). */
const TTL_SECONDS = 24 * 3600;
const ATTEMPTS = 20;
const NONE = '[]';

export class Subscriptions {
  readonly #mcpResources: McpResources;
  readonly #kv: KeyValue;
  readonly #limit: ConcurrencyLimit;
  readonly #changed = new Map<string, Set<() => void>>();

  constructor(mcpResources: McpResources, kv: KeyValue, limit: ConcurrencyLimit) {
    this.#mcpResources = mcpResources;
    this.#kv = kv;
    this.#limit = limit;
  }

  async add(given: string, exchange: Exchange): Promise<void> {
    const { session, caller } = exchange;
    if (session === undefined) throw refusal(failure('VALIDATION_ERROR', 'Subscriptions need a session.').answer());
    const { answer, server, uri } = await this.#mcpResources.subscribe(given, exchange);
    if (answer.status !== 'success')
      throw answer.status === 'error' ? refusal(answer) : new Error('a subscribe call returned pending_confirmation');
    const { id, local } = session;
    const kept = await this.of(id);
    const request = [caller.person.principal, keyOf(id), kept.has(uri) ? kept.size : kept.size + 1] as const;
    // Only the process with the session can free a slot, so other replicas check the limit without taking a slot.
    if (!(await (local === undefined ? this.#limit.fits(...request) : this.#limit.claim(...request))))
      throw refusal(tooMany(this.#limit.most).answer());
    await this.#change(id, (all) => all.set(uri, { server, from: answer.data as number }));
  }

  async remove(given: string, exchange: Exchange): Promise<void> {
    const { session, caller } = exchange;
    const { answer, uri } = await this.#mcpResources.unsubscribe(given, exchange);
    if (answer.status === 'error') throw refusal(answer);
    if (session === undefined) return;
    const left = await this.#change(session.id, (all) => all.delete(uri));
    if (session.local === undefined) return;
    await this.#limit.hold(caller.person.principal, keyOf(session.id), left);
    session.local.progress.delete(uri);
  }

  async of(sessionId: string): Promise<SubscriptionMap> {
    return parseMap(await this.#kv.get(keyOf(sessionId)));
  }

  /** Takes the slots of the session when its stream begins. Throws RATE_LIMITED if the person has reached the limit. */
  async claim(sessionId: string, { person: { principal } }: Caller): Promise<void> {
    const { size } = await this.of(sessionId);
    if (size > 0 && !(await this.#limit.claim(principal, keyOf(sessionId), size))) throw tooMany(this.#limit.most);
  }

  /** Updates the slots of an open stream, because another replica may have changed the subscriptions. */
  async hold(sessionId: string, { person: { principal } }: Caller, stillOpen: () => boolean): Promise<SubscriptionMap> {
    const kept = await this.of(sessionId);
    // A closed stream has freed its slots. Taking them again would never free them.
    if (stillOpen()) await this.#limit.hold(principal, keyOf(sessionId), kept.size);
    return kept;
  }

  /** Frees the slots of a session whose stream ended. The session stays open. */
  async leave(sessionId: string, principal: string): Promise<void> {
    await this.#limit.free(principal, keyOf(sessionId));
  }

  /** Frees the slots of an ended session and deletes its subscriptions. */
  async forget(sessionId: string, principal: string): Promise<void> {
    await this.leave(sessionId, principal);
    await this.#kv.delete(keyOf(sessionId));
  }

  /** Calls `changed` when this process changes the subscriptions of the session. */
  onChange(sessionId: string, changed: () => void): () => void {
    const key = keyOf(sessionId);
    const all = this.#changed.get(key) ?? new Set();
    this.#changed.set(key, all.add(changed));
    return () => {
      all.delete(changed);
      if (all.size === 0) this.#changed.delete(key);
    };
  }

  async #change(sessionId: string, change: (kept: Map<string, { server: string; from: number }>) => unknown): Promise<number> {
    const key = keyOf(sessionId);
    let left: number;
    for (let attempt = 1; ; attempt++) {
      const before = await this.#kv.get(key);
      const kept = new Map(parseMap(before));
      change(kept);
      left = kept.size;
      const after = JSON.stringify([...kept].map(([uri, { server, from }]) => [uri, server, from]));
      if (before === undefined ? await this.#kv.add(key, after, TTL_SECONDS) : await this.#kv.swap(key, before, after, TTL_SECONDS)) break;
      if (attempt === ATTEMPTS) throw failure('SERVICE_UNAVAILABLE', 'Too many concurrent changes of the subscriptions.');
    }
    for (const changed of this.#changed.get(key) ?? []) changed();
    return left;
  }
}

export const tooMany = (most: number) =>
  failure('RATE_LIMITED', `You have ${most} subscriptions already; end one first.`, { retryAfterSeconds: 10 });

const keyOf = (sessionId: string) => `subscriptions:${createHash('sha256').update(sessionId).digest('base64url')}`;
const parseMap = (text: string | undefined): SubscriptionMap =>
  new Map((JSON.parse(text ?? NONE) as [string, string, number][]).map(([uri, server, from]) => [uri, { server, from }]));
