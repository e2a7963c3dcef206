/** What a 2025 session is subscribed to. It is kept where every replica finds it, so that a session whose home is gone goes on elsewhere. */
import { createHash } from 'node:crypto';
import type { Caller } from '../../core/caller.ts';
import { failure } from '../../core/errors.ts';
import type { KeyValue } from '../../core/ports.ts';
import type { Exchange } from './exchange.ts';
import type { McpResources } from './mcp-resources.ts';
import { refusal } from './protocol-error.ts';
import type { ConcurrencyLimit } from '../../core/limits/concurrency-limit.ts';

/** By address: whose changes, and after which transaction one hears of them. */
export type Kept = ReadonlyMap<string, { readonly server: string; readonly from: number }>;

/** As long as a session can be carried on elsewhere. */
const KEPT_SECONDS = 24 * 3600;
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
    if (session === undefined) throw refusal(failure('VALIDATION_ERROR', 'Only a session can be subscribed to something.').answer());
    const { answer, server, uri } = await this.#mcpResources.subscribe(given, exchange);
    if (answer.status !== 'success') throw answer.status === 'error' ? refusal(answer) : new Error('a subscription asked for an approval');
    const { id, home } = session;
    const kept = await this.of(id);
    const asked = [caller.person.principal, keyOf(id), kept.has(uri) ? kept.size : kept.size + 1] as const;
    // Elsewhere than at home nothing would ever give the place back: whoever streams the session holds it.
    if (!(await (home === undefined ? this.#limit.fits(...asked) : this.#limit.claim(...asked))))
      throw refusal(tooMany(this.#limit.most).answer());
    await this.#change(id, (all) => all.set(uri, { server, from: answer.data as number }));
  }

  async remove(given: string, exchange: Exchange): Promise<void> {
    const { session, caller } = exchange;
    const { answer, uri } = await this.#mcpResources.unsubscribe(given, exchange);
    if (answer.status === 'error') throw refusal(answer);
    if (session === undefined) return;
    const left = await this.#change(session.id, (all) => all.delete(uri));
    if (session.home === undefined) return;
    await this.#limit.hold(caller.person.principal, keyOf(session.id), left);
    session.home.progress.delete(uri);
  }

  async of(sessionId: string): Promise<Kept> {
    return opened(await this.#kv.get(keyOf(sessionId)));
  }

  /** A stream of the session begins; refused where the person follows too much elsewhere. */
  async claim(sessionId: string, { person: { principal } }: Caller): Promise<void> {
    const { size } = await this.of(sessionId);
    if (size > 0 && !(await this.#limit.claim(principal, keyOf(sessionId), size))) throw tooMany(this.#limit.most);
  }

  /** It goes on: another replica may have been asked to subscribe to more, or to less. */
  async hold(sessionId: string, { person: { principal } }: Caller, stillOpen: () => boolean): Promise<Kept> {
    const kept = await this.of(sessionId);
    // Whoever ends it closes the stream first and gives its places back then: nobody would a second time.
    if (stillOpen()) await this.#limit.hold(principal, keyOf(sessionId), kept.size);
    return kept;
  }

  /** It is over here, though not the session. */
  async leave(sessionId: string, principal: string): Promise<void> {
    await this.#limit.free(principal, keyOf(sessionId));
  }

  /** The session is over. */
  async forget(sessionId: string, principal: string): Promise<void> {
    await this.leave(sessionId, principal);
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

  async #change(sessionId: string, change: (kept: Map<string, { server: string; from: number }>) => unknown): Promise<number> {
    const key = keyOf(sessionId);
    let left: number;
    for (let attempt = 1; ; attempt++) {
      const before = await this.#kv.get(key);
      const kept = new Map(opened(before));
      change(kept);
      left = kept.size;
      const after = JSON.stringify([...kept].map(([uri, { server, from }]) => [uri, server, from]));
      if (before === undefined ? await this.#kv.add(key, after, KEPT_SECONDS) : await this.#kv.swap(key, before, after, KEPT_SECONDS))
        break;
      if (attempt === ATTEMPTS) throw failure('SERVICE_UNAVAILABLE', 'Too much is being subscribed to at once.');
    }
    for (const changed of this.#changed.get(key) ?? []) changed();
    return left;
  }
}

export const tooMany = (most: number) =>
  failure('RATE_LIMITED', `You have ${most} subscriptions already; end one first.`, { retryAfterSeconds: 10 });

const keyOf = (sessionId: string) => `subscriptions:${createHash('sha256').update(sessionId).digest('base64url')}`;
const opened = (text: string | undefined): Kept =>
  new Map((JSON.parse(text ?? NONE) as [string, string, number][]).map(([uri, server, from]) => [uri, { server, from }]));
