/** Appends to one chain from inside a store's own transactions, one at a time from the last code to the commit. */
import { bodyOf, type CheckpointNote, macOf, withNote } from './audit.ts';
import type { AuditRecord, ChainedRecord } from './ports.ts';

export interface Head {
  readonly n: number;
  readonly mac: string;
}

export interface ChainWriter {
  /** Knows where the chain ends. Call before the transaction begins: it may have to read. */
  ready(): Promise<void>;
  /** The next link. It must be released when the transaction has committed or not. */
  next(record: AuditRecord): Promise<{ readonly record: ChainedRecord; release(committed: boolean): Promise<void> }>;
}

export interface ChainWriterOptions {
  readonly chain: string;
  readonly key: Buffer;
  /** The last link in the store; asked again after any transaction whose end is not known. */
  readonly last: () => Promise<Head | undefined>;
  /** Kept elsewhere after each commit, so that a cut tail shows. */
  readonly checkpoint: (chain: string, count: number, mac: string) => Promise<void>;
  /** Before the first record of this process, with how many the chain has: what that record says of the checkpoints. */
  readonly begin?: ((chain: string, count: number) => Promise<CheckpointNote | undefined>) | undefined;
  /** The newest checkpoint that is written in every place. */
  readonly confirmed?: ((chain: string) => number | undefined) | undefined;
}

export function createChainWriter({ chain, key, last, checkpoint, begin, confirmed }: ChainWriterOptions): ChainWriter {
  let head: Head = { n: 0, mac: '' };
  /** After a transaction whose end is not known the store has to be asked; until then the old end is the best guess. */
  let known = false;
  let turn: Promise<void> = Promise.resolve();
  let first: Promise<CheckpointNote | undefined> | undefined;
  let note: CheckpointNote | undefined;
  let named = 0;
  return {
    async ready() {
      if (known) return;
      const found = (await last()) ?? { n: 0, mac: '' };
      if (begin !== undefined && first === undefined) {
        first = begin(chain, found.n);
        first.catch(() => (first = undefined));
        note = await first;
      }
      await first;
      head = found;
      known = true;
    },
    async next(record) {
      const before = turn;
      let open = () => {};
      turn = new Promise((resolve) => {
        open = resolve;
      });
      await before;
      const { n, mac } = head;
      const newest = confirmed?.(chain) ?? 0;
      const said = note ?? (newest > named ? { count: newest } : undefined);
      const body = withNote(bodyOf(record), said);
      const link: ChainedRecord = { chain, n: n + 1, body, mac: macOf(key, chain, n + 1, mac, body) };
      return {
        record: link,
        async release(committed) {
          if (committed) {
            head = { n: link.n, mac: link.mac };
            note = undefined;
            named = Math.max(named, said?.count ?? 0);
          } else known = false;
          open();
          if (committed) await checkpoint(chain, link.n, link.mac);
        },
      };
    },
  };
}
