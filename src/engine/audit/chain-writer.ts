/** Appends records to one audit chain inside a store's transactions. One append must end before the next one begins. */
import { bodyOf, type CheckpointNote, macOf, withNote } from './chain.ts';
import type { AuditRecord, ChainedRecord } from '../ports.ts';

export interface Head {
  readonly n: number;
  readonly mac: string;
}

export interface ChainWriter {
  /** Reads the end of the chain if it is unknown. Call it before the transaction, because it may read the store. */
  ready(): Promise<void>;
  /** Waits until no other append runs, and returns the next record of the chain. Call `release` after the commit or the rollback. */
  next(record: AuditRecord): Promise<{ readonly record: ChainedRecord; release(committed: boolean): Promise<void> }>;
}

export interface ChainWriterOptions {
  readonly chain: string;
  readonly key: Buffer;
  /** Reads the last record of the chain. Called again after each transaction that may not have committed. */
  readonly last: () => Promise<Head | undefined>;
  /** Called after each commit. It stores checkpoints outside the chain, so that verification finds a truncated chain. */
  readonly checkpoint: (chain: string, count: number, mac: string) => Promise<void>;
  /** Called with the chain's length before the first record of this process. Returns the checkpoint note for that record. */
  readonly begin?: ((chain: string, count: number) => Promise<CheckpointNote | undefined>) | undefined;
  /** The chain's length at the newest checkpoint that is in both copies. */
  readonly confirmed?: ((chain: string) => number | undefined) | undefined;
}

export function createChainWriter({ chain, key, last, checkpoint, begin, confirmed }: ChainWriterOptions): ChainWriter {
  let head: Head = { n: 0, mac: '' };
  /** False after a transaction that may not have committed. Then `ready` reads the end of the chain again. */
  let headIsKnown = false;
  let turn: Promise<void> = Promise.resolve();
  let first: Promise<CheckpointNote | undefined> | undefined;
  let note: CheckpointNote | undefined;
  let named = 0;
  return {
    async ready() {
      if (headIsKnown) return;
      const found = (await last()) ?? { n: 0, mac: '' };
      if (begin !== undefined && first === undefined) {
        first = begin(chain, found.n);
        first.catch(() => (first = undefined));
        note = await first;
      }
      await first;
      head = found;
      headIsKnown = true;
    },
    async next(record) {
      const before = turn;
      let endTurn = () => {};
      turn = new Promise((resolve) => {
        endTurn = resolve;
      });
      await before;
      const { n, mac } = head;
      const newest = confirmed?.(chain) ?? 0;
      const nextNote = note ?? (newest > named ? { count: newest } : undefined);
      const body = withNote(bodyOf(record), nextNote);
      const link: ChainedRecord = { chain, n: n + 1, body, mac: macOf(key, { chain, n: n + 1, previous: mac, body }) };
      return {
        record: link,
        async release(committed) {
          if (committed) {
            head = { n: link.n, mac: link.mac };
            note = undefined;
            named = Math.max(named, nextNote?.count ?? 0);
          } else headIsKnown = false;
          endTurn();
          if (committed) await checkpoint(chain, link.n, link.mac);
        },
      };
    },
  };
}
