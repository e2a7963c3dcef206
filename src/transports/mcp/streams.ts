import type { ServerResponse } from 'node:http';
import type { Caller } from '../../core/caller.ts';
import { failure } from '../../core/errors.ts';
import type { McpLimits, McpOptions } from './options.ts';
import { ConcurrencyLimit } from '../../core/limits/concurrency-limit.ts';

/** Answers that stay open: how many each person has, and whether they still may. */
export class Streams {
  readonly #options: Pick<McpOptions, 'recheck' | 'kept'>;
  readonly #limits: McpLimits;
  readonly #open: ConcurrencyLimit;

  constructor(options: Pick<McpOptions, 'recheck' | 'kept'>, limits: McpLimits) {
    this.#options = options;
    this.#limits = limits;
    this.#open = new ConcurrencyLimit(options.kept, 'streams', limits.streamsPerPerson);
  }

  /** A place for one more, to be given back; undefined when the person has as many as allowed. */
  take({ person: { principal } }: Caller): Promise<(() => void) | undefined> {
    return this.#open.take(principal);
  }

  /** The same for as long as an answer is open. */
  async hold(caller: Caller, res: ServerResponse): Promise<void> {
    const release = await this.take(caller);
    if (release === undefined)
      throw failure('RATE_LIMITED', `You have ${this.#open.most} streams open already; close one first.`, { retryAfterSeconds: 10 });
    whenOver(res, release);
  }

  close(): Promise<void> {
    return this.#open.close();
  }

  /** Ends an answer that is still open when the token behind it is no longer good, or when nobody reads it. */
  watch(res: ServerResponse, caller: Caller): void {
    let stalled = false;
    const beat = setInterval(() => {
      if (stalled && res.writableNeedDrain) res.destroy();
      stalled = res.writableNeedDrain;
      this.#options.recheck(caller).catch(() => res.destroy());
    }, this.#limits.heartbeatMs);
    whenOver(res, () => clearInterval(beat));
  }
}

/** Also where the client went away before anything was answered. */
export const whenOver = (res: ServerResponse, run: () => void): void => void (res.closed ? run() : res.once('close', run));
