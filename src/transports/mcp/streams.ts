import type { ServerResponse } from 'node:http';
import type { Caller } from '../../core/caller.ts';
import type { McpLimits, McpOptions } from './options.ts';

/** Answers that stay open: how many each person has, and whether they still may. */
export class Streams {
  readonly #options: Pick<McpOptions, 'recheck'>;
  readonly #limits: McpLimits;
  readonly #open = new Map<string, number>();

  constructor(options: Pick<McpOptions, 'recheck'>, limits: McpLimits) {
    this.#options = options;
    this.#limits = limits;
  }

  /** A place for one more, to be given back; undefined when the person has as many as allowed. */
  take({ person: { principal } }: Caller): (() => void) | undefined {
    const open = this.#open.get(principal) ?? 0;
    if (open >= this.#limits.streamsPerPerson) return undefined;
    this.#open.set(principal, open + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const left = (this.#open.get(principal) ?? 1) - 1;
      if (left > 0) this.#open.set(principal, left);
      else this.#open.delete(principal);
    };
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
