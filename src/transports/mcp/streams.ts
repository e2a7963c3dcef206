/** Limits the open response streams of each person, and closes those whose token is no longer valid. */
import type { ServerResponse } from 'node:http';
import type { Caller } from '../../engine/caller.ts';
import { failure } from '../../declare/errors.ts';
import type { McpLimits, McpOptions } from './options.ts';
import { ConcurrencyLimit } from '../../engine/limits/concurrency-limit.ts';

export class Streams {
  readonly #options: Pick<McpOptions, 'recheck' | 'kept'>;
  readonly #limits: McpLimits;
  readonly #open: ConcurrencyLimit;

  constructor(options: Pick<McpOptions, 'recheck' | 'kept'>, limits: McpLimits) {
    this.#options = options;
    this.#limits = limits;
    this.#open = new ConcurrencyLimit(options.kept, 'streams', limits.streamsPerPerson);
  }

  /** Takes a slot and returns the function that frees it; undefined if the person has reached the limit. */
  take({ person: { principal } }: Caller): Promise<(() => void) | undefined> {
    return this.#open.take(principal);
  }

  /** Takes a slot until the response closes. Throws RATE_LIMITED if the person has reached the limit. */
  async hold(caller: Caller, res: ServerResponse): Promise<void> {
    const release = await this.take(caller);
    if (release === undefined)
      throw failure('RATE_LIMITED', `You have ${this.#open.most} streams open already; close one first.`, { retryAfterSeconds: 10 });
    onClosed(res, release);
  }

  close(): Promise<void> {
    return this.#open.close();
  }

  /** Destroys the response if its token is no longer valid, or if the client reads nothing between two heartbeats. */
  watch(res: ServerResponse, caller: Caller): void {
    let stalled = false;
    const beat = setInterval(() => {
      if (stalled && res.writableNeedDrain) res.destroy();
      stalled = res.writableNeedDrain;
      this.#options.recheck(caller).catch(() => res.destroy());
    }, this.#limits.heartbeatMs);
    onClosed(res, () => clearInterval(beat));
  }
}

/** Calls `run` when the response closes; at once if it is closed already. */
export const onClosed = (res: ServerResponse, run: () => void): void => void (res.closed ? run() : res.once('close', run));
