/** So many at once for each person, on all replicas and endpoints together. */
import { createHash, randomUUID } from 'node:crypto';
import { failure } from '../errors.ts';
import type { KeyValue } from '../ports.ts';

/** By who holds it: how many, and in which process. */
type Held = Map<string, { readonly count: number; readonly home: string }>;

const ATTEMPTS = 20;
const KEPT_SECONDS = 24 * 3600;
/** A process that was killed gives nothing back: what it held no longer counts once it has said nothing for so long. */
const ALIVE_SECONDS = 15;
const SAY_AGAIN_MS = 5_000;

export class ConcurrencyLimit {
  readonly most: number;
  readonly #kv: KeyValue;
  readonly #name: string;
  readonly #home = randomUUID();
  /** What is held here; the shared record is made to say the same. */
  readonly #here = new Map<string, Map<string, number>>();
  readonly #turns = new Map<string, Promise<unknown>>();
  /** People whose record could not be written. */
  readonly #behind = new Set<string>();
  #renewal: NodeJS.Timeout | undefined;

  constructor(kv: KeyValue, name: string, most: number) {
    this.#kv = kv;
    this.#name = name;
    this.most = most;
  }

  /** A place, to be given back; undefined when the person has as many as allowed. */
  async take(principal: string, count = 1): Promise<(() => void) | undefined> {
    const holder = randomUUID();
    return (await this.claim(principal, holder, count)) ? () => void this.free(principal, holder) : undefined;
  }

  /** So many for this holder from now on; false, and all is as it was, where that is too many. */
  claim(principal: string, holder: string, count: number): Promise<boolean> {
    return this.#inTurn(principal, async () => {
      const now = () => this.#here.get(principal)?.get(holder);
      const before = now();
      try {
        await this.#live();
        if (!(await this.#write(principal, { holder, count }))) return false;
        this.#keep(principal, holder, count);
        // It may have fallen silent meanwhile, with nothing to say.
        await this.#live();
        return true;
      } catch (error) {
        // It may have been written all the same, where only the answer was lost. Who hears of a failure holds what it held before.
        if (now() !== undefined && before !== undefined) this.#keep(principal, holder, before);
        else this.#drop(principal, holder);
        void this.#tell(principal);
        throw error;
      }
    });
  }

  /** The same for a holder that has them already, wherever it took them. */
  async hold(principal: string, holder: string, count: number): Promise<void> {
    if (count === 0) return this.free(principal, holder);
    this.#keep(principal, holder, count);
    await this.#tell(principal);
  }

  /** Whether so many would be allowed. */
  async fits(principal: string, holder: string, count: number): Promise<boolean> {
    const own = new Map(this.#here.get(principal)).set(holder, count);
    const others = await this.#others(opened(await this.#kv.get(this.#key(principal))), own);
    return total(own.values()) + total(counts(others)) <= this.most;
  }

  async free(principal: string, holder: string): Promise<void> {
    if (this.#drop(principal, holder)) await this.#tell(principal);
  }

  async close(): Promise<void> {
    clearInterval(this.#renewal);
    if (this.#renewal !== undefined) await this.#kv.delete(`alive:${this.#home}`).catch(() => undefined);
    this.#renewal = undefined;
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

  /** A record that cannot be written now is written later. */
  async #tell(principal: string): Promise<void> {
    try {
      await this.#inTurn(principal, async () => {
        await this.#live();
        await this.#write(principal);
      });
      this.#behind.delete(principal);
    } catch {
      this.#behind.add(principal);
    }
  }

  /** One after another for each person: otherwise one would not count what the other is about to hold. */
  #inTurn<T>(principal: string, run: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(principal) ?? Promise.resolve()).catch(() => undefined).then(run);
    this.#turns.set(principal, turn);
    const done = () => void (this.#turns.get(principal) === turn && this.#turns.delete(principal));
    turn.then(done, done);
    return turn;
  }

  async #live(): Promise<void> {
    if (this.#renewal !== undefined) return;
    await this.#kv.set(`alive:${this.#home}`, this.#name, ALIVE_SECONDS);
    this.#renewal = setInterval(() => void this.#sayAgain().catch(() => undefined), SAY_AGAIN_MS).unref();
  }

  async #sayAgain(): Promise<void> {
    for (const principal of this.#behind) await this.#tell(principal);
    if (this.#here.size === 0 && this.#behind.size === 0) {
      clearInterval(this.#renewal);
      this.#renewal = undefined;
      return;
    }
    await this.#kv.set(`alive:${this.#home}`, this.#name, ALIVE_SECONDS);
  }

  async #write(principal: string, more?: { readonly holder: string; readonly count: number }): Promise<boolean> {
    const key = this.#key(principal);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const before = await this.#kv.get(key);
      const own = new Map(this.#here.get(principal));
      if (more !== undefined) own.set(more.holder, more.count);
      const held = await this.#others(opened(before), own);
      for (const [holder, count] of own) held.set(holder, { count, home: this.#home });
      if (more !== undefined && total(counts(held)) > this.most) return false;
      const after = JSON.stringify([...held].map(([holder, { count, home }]) => [holder, count, home]));
      if (after === (before ?? '[]')) return true;
      if (before === undefined ? await this.#kv.add(key, after, KEPT_SECONDS) : await this.#kv.swap(key, before, after, KEPT_SECONDS))
        return true;
    }
    throw failure('SERVICE_UNAVAILABLE', 'Too much is being opened at once.');
  }

  /** What counts beside one's own: held by processes that still run. */
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
