/**
 * What a 2025 session is subscribed to. It is kept where every replica finds it, so that a session whose home is gone goes on elsewhere;
 * how many there are is counted here.
 */
import { createHash } from 'node:crypto';
import { failure } from '../../core/errors.ts';
import type { KeyValue } from '../../core/ports.ts';
import type { Exchange } from './exchange.ts';
import { type McpOffers, refusal } from './offers.ts';
import type { Quota } from './streams.ts';

/** By address: whose changes, and after which transaction one hears of them. */
export type Kept = ReadonlyMap<string, { readonly server: string; readonly from: number }>;

/** As long as a session can be carried on elsewhere. */
const KEPT_SECONDS = 24 * 3600;
const ATTEMPTS = 20;
const NONE = '[]';

export class Subscriptions {
  readonly #offers: McpOffers;
  readonly #quota: Quota;
  readonly #changed = new Map<string, Set<() => void>>();

  constructor(offers: McpOffers, quota: Quota) {
    this.#offers = offers;
    this.#quota = quota;
  }

  async add(given: string, exchange: Exchange): Promise<void> {
    const { session, caller } = exchange;
    if (session === undefined) throw refusal(failure('VALIDATION_ERROR', 'Only a session can be subscribed to something.').answer());
    const { answer, server, uri } = await this.#offers.subscribe(given, exchange);
    if (answer.status !== 'success') throw answer.status === 'error' ? refusal(answer) : new Error('a subscription asked for an approval');
    const { places } = session;
    if (places !== undefined && !places.has(uri)) {
      const place = this.#quota.take(caller.person.principal);
      if (place === undefined) throw refusal(tooMany(this.#quota.most).answer());
      places.set(uri, place);
    }
    await this.#change(session.id, (kept) => kept.set(uri, { server, from: answer.data as number }));
  }

  async remove(given: string, exchange: Exchange): Promise<void> {
    const { session } = exchange;
    const { answer, uri } = await this.#offers.unsubscribe(given, exchange);
    if (answer.status === 'error') throw refusal(answer);
    if (session === undefined) return;
    await this.#change(session.id, (kept) => kept.delete(uri));
    session.places?.get(uri)?.();
    session.places?.delete(uri);
    session.progress?.delete(uri);
  }

  async of(sessionId: string): Promise<Kept> {
    return opened(await this.#kv.get(keyOf(sessionId)));
  }

  /** The session is over. */
  async forget(sessionId: string): Promise<void> {
    await this.#kv.delete(keyOf(sessionId));
  }

  /** Calls when this process changes what the session is subscribed to. */
  onChange(sessionId: string, changed: () => void): () => void {
    const key = keyOf(sessionId);
    const all = this.#changed.get(key) ?? new Set();
    this.#changed.set(key, all.add(changed));
    return () => {
      all.delete(changed);
      if (all.size === 0) this.#changed.delete(key);
    };
  }

  get #kv(): KeyValue {
    return this.#offers.kept;
  }

  async #change(sessionId: string, change: (kept: Map<string, { server: string; from: number }>) => unknown): Promise<void> {
    const key = keyOf(sessionId);
    for (let attempt = 1; ; attempt++) {
      const before = await this.#kv.get(key);
      const kept = new Map(opened(before));
      change(kept);
      const after = JSON.stringify([...kept].map(([uri, { server, from }]) => [uri, server, from]));
      if (before === undefined ? await this.#kv.add(key, after, KEPT_SECONDS) : await this.#kv.swap(key, before, after, KEPT_SECONDS))
        break;
      if (attempt === ATTEMPTS) throw failure('SERVICE_UNAVAILABLE', 'Too much is being subscribed to at once.');
    }
    for (const changed of this.#changed.get(key) ?? []) changed();
  }
}

export const tooMany = (most: number) =>
  failure('RATE_LIMITED', `You have ${most} subscriptions already; end one first.`, { retryAfterSeconds: 10 });

const keyOf = (sessionId: string) => `subscriptions:${createHash('sha256').update(sessionId).digest('base64url')}`;
const opened = (text: string | undefined): Kept =>
  new Map((JSON.parse(text ?? NONE) as [string, string, number][]).map(([uri, server, from]) => [uri, { server, from }]));
