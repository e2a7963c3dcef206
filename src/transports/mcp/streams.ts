import type { ServerResponse } from 'node:http';
import type { Caller } from '../../core/caller.ts';
import type { McpLimits, McpOptions } from './options.ts';

/** So many at once for each person. */
export class Quota {
  readonly most: number;
  readonly #taken = new Map<string, number>();

  constructor(most: number) {
    this.most = most;
  }

  /** A place, to be given back; undefined when the person has as many as allowed. */
  take(principal: string, count = 1): (() => void) | undefined {
    const taken = this.#taken.get(principal) ?? 0;
    if (taken + count > this.most) return undefined;
    this.#taken.set(principal, taken + count);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const left = (this.#taken.get(principal) ?? count) - count;
      if (left > 0) this.#taken.set(principal, left);
      else this.#taken.delete(principal);
    };
  }
}

/** Answers that stay open: how many each person has, and whether they still may. */
export class Streams {
  readonly #options: Pick<McpOptions, 'recheck'>;
  readonly #limits: McpLimits;
  readonly #open: Quota;

  constructor(options: Pick<McpOptions, 'recheck'>, limits: McpLimits) {
    this.#options = options;
    this.#limits = limits;
    this.#open = new Quota(limits.streamsPerPerson);
  }

  /** A place for one more, to be given back; undefined when the person has as many as allowed. */
  take({ person: { principal } }: Caller): (() => void) | undefined {
    return this.#open.take(principal);
  }

  /** Ends an answer that is still open when the token behind it is no longer good, or when nobody reads it. */
  watch(res: ServerResponse, caller: Caller): void {
    let stalled = false;
    const beat = setInterval(() => {
      if (stalled && res.writableNeedDrain) res.destroy();
      stalled = res.writableNeedDrain;
      this.#options.recheck(caller).catch(() => res.destroy());
    }, this.#limits.heartbeatMs);
    res.once('close', () => clearInterval(beat));
  }
}
