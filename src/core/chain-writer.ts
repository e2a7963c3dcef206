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
  let head: Head | undefined;
  let turn: Promise<void> = Promise.resolve();
  return {
    async ready() {
      head ??= (await last()) ?? { n: 0, mac: '' };
    },
    async next(record) {
      const before = turn;
      let open = () => {};
      turn = new Promise((resolve) => {
        open = resolve;
      });
      await before;
      const { n, mac } = head ?? { n: 0, mac: '' };
      const body = bodyOf(record);
      const link: ChainedRecord = { chain, n: n + 1, body, mac: macOf(key, chain, n + 1, mac, body) };
      return {
        record: link,
        async release(committed) {
          head = committed ? { n: link.n, mac: link.mac } : undefined;
          open();
          if (committed) await checkpoint(chain, link.n, link.mac);
        },
      };
    },
  };
}
