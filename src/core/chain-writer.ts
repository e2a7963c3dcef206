/** Appends to one chain from inside a store's own transactions, one at a time from the last code to the commit. */
import { bodyOf, macOf } from './audit.ts';
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
}

export function chainWriter({ chain, key, last, checkpoint }: ChainWriterOptions): ChainWriter {
  let head: Head = { n: 0, mac: '' };
  /** After a transaction whose end is not known the store has to be asked; until then the old end is the best guess. */
  let known = false;
  let turn: Promise<void> = Promise.resolve();
  return {
    async ready() {
      if (known) return;
      head = (await last()) ?? { n: 0, mac: '' };
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
      const body = bodyOf(record);
      const link: ChainedRecord = { chain, n: n + 1, body, mac: macOf(key, chain, n + 1, mac, body) };
      return {
        record: link,
        async release(committed) {
          if (committed) head = { n: link.n, mac: link.mac };
          else known = false;
          open();
          if (committed) await checkpoint(chain, link.n, link.mac);
        },
      };
    },
  };
}
