/** What every step of a dialogue is given. */
import type { Asker } from './asker.ts';
import type { Entry, Index } from './index-tools.ts';
import type { Memory } from './memory.ts';

export interface Company {
  readonly index: Index;
  readonly person: Asker;
  readonly today: string;
  readonly allowed: ReadonlyMap<string, Entry>;
}
export interface Thinking {
  readonly index: Index;
  readonly person: Asker;
  readonly today: string;
  readonly allowed: ReadonlyMap<string, Entry>;
  readonly memory: Memory;
}
