/**
 * Concurrency limits: how many calls and streams one principal has open at the same time. Calls take slots. Long-lived streams are counted
 * in one record per principal. ADR 27 says why.
 */
import { createHash, randomUUID } from 'node:crypto';
import { failure } from '../../declare/errors.ts';
import type { Clock, KeyValue, Leases } from '../ports.ts';

/** Takes a slot and returns the function that frees it; undefined if the principal already has as many slots as allowed. */
type TakeSlot<Result> = (principal: string) => Result;

/** Slots for calls in this process alone. */
export function createLocalSlots(most: number): TakeSlot<(() => void) | undefined> {
  const running = new Map<string, number>();
  return (principal) => {
    const count = running.get(principal) ?? 0;
    if (count >= most) return undefined;
    running.set(principal, count + 1);
    return () => {
      const left = (running.get(principal) ?? 1) - 1;
      if (left > 0) running.set(principal, left);
      else running.delete(principal);
    };
  };
}

export interface LeasedSlotsOptions {
  readonly leases: Leases;
  readonly clock: Clock;
  /** How long a lease lasts without a renewal. */
  readonly seconds?: number | undefined;
}

const LEASE_SECONDS = 30;
/** No call takes longer. After this time, the lease of a call is not renewed. */
const MAX_RENEWED_MS = 120_000;

/** Slots for calls in all processes that share a store. Nobody waits for the release of a slot. */
export function createLeasedSlots(most: number, options: LeasedSlotsOptions): TakeSlot<Promise<(() => void) | undefined>> {
  const { leases, clock, seconds = LEASE_SECONDS } = options;
  const held = new Map<string, { readonly key: string; readonly since: number }>();
  let renewal: NodeJS.Timeout | undefined;
  /** One timer renews the leases of all running calls. Most calls end before the first renewal. */
  const renew = () => {
    if (held.size === 0) {
      clearInterval(renewal);
      renewal = undefined;
    }
    for (const [holder, { key, since }] of held) {
      if (performance.now() - since > MAX_RENEWED_MS) held.delete(holder);
      else leases.renew(key, holder, seconds).catch(() => undefined);
    }
  };
  const release = createReleaser(leases, clock, seconds);
  return async (principal) => {
    const [key, holder] = [`running:${principal}`, randomUUID()];
    const free = () => {
      held.delete(holder);
      release(key, holder);
    };
    const acquired = await leases.acquire(key, holder, most, seconds).catch((error: unknown) => {
      // The lease may exist although the store's answer was lost.
      free();
      throw error;
    });
    if (!acquired) return undefined;
    held.set(holder, { key, since: performance.now() });
    renewal ??= setInterval(renew, (seconds * 1000) / 3).unref();
    return free;
  };
}

const MAX_UNRELEASED = 10_000;
const RETRY_MS = 500;

/** Retries a failed release, because a lost connection would otherwise block the slot until the lease expires. */
function createReleaser(leases: Leases, clock: Clock, seconds: number): (key: string, holder: string) => void {
  let failed: { readonly key: string; readonly holder: string; readonly until: number }[] = [];
  let later: NodeJS.Timeout | undefined;
  const release = (key: string, holder: string, until: number) =>
    void leases.release(key, holder).catch(() => {
      if (clock.now().getTime() >= until || failed.length >= MAX_UNRELEASED) return;
      failed.push({ key, holder, until });
      later ??= setTimeout(retry, RETRY_MS).unref();
    });
  const retry = () => {
    const again = failed;
    failed = [];
    later = undefined;
    for (const { key, holder, until } of again) release(key, holder, until);
  };
  return (key, holder) => release(key, holder, clock.now().getTime() + seconds * 1000);
}

/** Maps a holder to the number of its slots and the id of the process that holds them (`home`). */
type Held = Map<string, { readonly count: number; readonly home: string }>;

const MAX_ATTEMPTS = 20;
const RECORD_SECONDS = 24 * 3600;
/** A process without a heartbeat for this time holds no slots, because a killed process cannot free them. */
const HEARTBEAT_SECONDS = 15;
const HEARTBEAT_EVERY_MS = 5_000;

/** Counts the long-lived streams, answers or subscriptions of each principal, over all endpoints of all processes. */
export class ConcurrencyLimit {
  readonly most: number;
  readonly #kv: KeyValue;
  readonly #name: string;
  readonly #home = randomUUID();
  /** The slots that this process holds, by principal and holder. They are copied to the shared record. */
  readonly #here = new Map<string, Map<string, number>>();
  readonly #turns = new Map<string, Promise<unknown>>();
  /** Principals whose shared record could not be written yet. */
  readonly #behind = new Set<string>();
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(kv: KeyValue, name: string, most: number) {
    this.#kv = kv;
    this.#name = name;
    this.most = most;
  }

  /** Takes slots and returns the function that frees them; undefined if the principal would exceed the limit. */
  async take(principal: string, count = 1): Promise<(() => void) | undefined> {
    const holder = randomUUID();
    return (await this.claim(principal, holder, count)) ? () => void this.free(principal, holder) : undefined;
  }

  /** Sets the number of slots of this holder. Returns false and changes nothing if the principal would exceed the limit. */
  claim(principal: string, holder: string, count: number): Promise<boolean> {
    return this.#inTurn(principal, async () => {
      const now = () => this.#here.get(principal)?.get(holder);
      const before = now();
      try {
        await this.#startHeartbeat();
        if (!(await this.#write(principal, { holder, count }))) return false;
        this.#keep(principal, holder, count);
        // The heartbeat stops when this process holds no slot, which can happen during the write.
        await this.#startHeartbeat();
        return true;
      } catch (error) {
        // The record may be written although the store's answer was lost. Restores the slots that the holder had before.
        if (now() !== undefined && before !== undefined) this.#keep(principal, holder, before);
        else this.#drop(principal, holder);
        void this.#publish(principal);
        throw error;
      }
    });
  }

  /** Sets the count without checking the limit, for a holder that took its slots in another process. */
  async hold(principal: string, holder: string, count: number): Promise<void> {
    if (count === 0) return this.free(principal, holder);
    this.#keep(principal, holder, count);
    await this.#publish(principal);
  }

  /** Whether `claim` would succeed. */
  async fits(principal: string, holder: string, count: number): Promise<boolean> {
    const own = new Map(this.#here.get(principal)).set(holder, count);
    const others = await this.#others(opened(await this.#kv.get(this.#key(principal))), own);
    return total(own.values()) + total(counts(others)) <= this.most;
  }

  async free(principal: string, holder: string): Promise<void> {
    if (this.#drop(principal, holder)) await this.#publish(principal);
  }

  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    if (this.#heartbeat !== undefined) await this.#kv.delete(`alive:${this.#home}`).catch(() => undefined);
    this.#heartbeat = undefined;
    this.#here.clear();
  }

  #keep(principal: string, holder: string, count: number): void {
    const own = this.#here.get(principal) ?? new Map<string, number>();
    this.#here.set(principal, own.set(holder, count));
  }

  #drop(principal: string, holder: string): boolean {
    const own = this.#here.get(principal);
    if (!own?.delete(holder)) return false;
    if (own.size === 0) this.#here.delete(principal);
    return true;
  }

  /** Writes the shared record now. If the store does not answer, a later heartbeat writes it. */
  async #publish(principal: string): Promise<void> {
    try {
      await this.#inTurn(principal, async () => {
        await this.#startHeartbeat();
        await this.#write(principal);
      });
      this.#behind.delete(principal);
    } catch {
      this.#behind.add(principal);
    }
  }

  /** Runs the changes of one principal one after another. Two concurrent changes could together exceed the limit. */
  #inTurn<T>(principal: string, run: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(principal) ?? Promise.resolve()).catch(() => undefined).then(run);
    this.#turns.set(principal, turn);
    const done = () => void (this.#turns.get(principal) === turn && this.#turns.delete(principal));
    turn.then(done, done);
    return turn;
  }

  async #startHeartbeat(): Promise<void> {
    if (this.#heartbeat !== undefined) return;
    await this.#kv.set(`alive:${this.#home}`, this.#name, HEARTBEAT_SECONDS);
    this.#heartbeat = setInterval(() => void this.#beat().catch(() => undefined), HEARTBEAT_EVERY_MS).unref();
  }

  async #beat(): Promise<void> {
    for (const principal of this.#behind) await this.#publish(principal);
    if (this.#here.size === 0 && this.#behind.size === 0) {
      clearInterval(this.#heartbeat);
      this.#heartbeat = undefined;
      return;
    }
    await this.#kv.set(`alive:${this.#home}`, this.#name, HEARTBEAT_SECONDS);
  }

  async #write(principal: string, more?: { readonly holder: string; readonly count: number }): Promise<boolean> {
    const key = this.#key(principal);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const before = await this.#kv.get(key);
      const own = new Map(this.#here.get(principal));
      if (more !== undefined) own.set(more.holder, more.count);
      const held = await this.#others(opened(before), own);
      for (const [holder, count] of own) held.set(holder, { count, home: this.#home });
      if (more !== undefined && total(counts(held)) > this.most) return false;
      const after = JSON.stringify([...held].map(([holder, { count, home }]) => [holder, count, home]));
      if (after === (before ?? '[]')) return true;
      if (before === undefined ? await this.#kv.add(key, after, RECORD_SECONDS) : await this.#kv.swap(key, before, after, RECORD_SECONDS))
        return true;
    }
    throw failure('SERVICE_UNAVAILABLE', 'Too many streams, answers or subscriptions are being opened at once.');
  }

  /** The slots of other processes that still have a heartbeat, without the holders in `own`. */
  async #others(held: Held, own: ReadonlyMap<string, number>): Promise<Held> {
    const others = [...held].filter(([holder, { home }]) => home !== this.#home && !own.has(holder));
    const homes = [...new Set(others.map(([, { home }]) => home))];
    const alive = new Set<string>();
    for (const home of homes) if ((await this.#kv.get(`alive:${home}`)) !== undefined) alive.add(home);
    return new Map(others.filter(([, { home }]) => alive.has(home)));
  }

  #key(principal: string): string {
    return `${this.#name}:${createHash('sha256').update(principal).digest('base64url')}`;
  }
}

const counts = (held: Held) => [...held.values()].map(({ count }) => count);
const total = (each: Iterable<number>) => [...each].reduce((all, count) => all + count, 0);
const opened = (text: string | undefined): Held =>
  new Map((JSON.parse(text ?? '[]') as [string, number, string][]).map(([holder, count, home]) => [holder, { count, home }]));
