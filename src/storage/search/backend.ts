import type { ChainWriter, Head } from '../../core/chain-writer.ts';
import type { AuditChains } from '../../core/ports.ts';
import type { Row } from '../../core/rows.ts';
import type { SearchLoader } from '../../core/search.ts';
import type { Store } from '../../core/store.ts';

/** What a collection has to become: the key of each row, and a print that changes with whatever it was made from. */
export interface FollowOptions {
  readonly collection: string;
  /** The field that keeps the print. */
  readonly print: string;
  readonly wanted: ReadonlyMap<string, string>;
  /** Asked only for what is new or has changed; undefined where it cannot be had after all, and then it goes. */
  row(key: string): Row | undefined;
}
export interface Followed {
  readonly written: number;
  readonly removed: number;
}

/** A place that keeps a domain's collections, before it has a chain to write its changes to. */
export interface SearchBackend {
  /** What it is, for whoever looks after it: "SQLite 3.45". */
  readonly product: string;
  readonly audit: AuditChains;
  /** Where a chain ends now. */
  last(chain: string): Promise<Head | undefined>;
  readonly loader: SearchLoader;
  store(chain: ChainWriter): Store<'search'>;
  /** Ends what a process that died left between intent and outcome, and says how many. */
  settle(chain: ChainWriter, name: string): Promise<number>;
  /** Makes a collection what something outside says, in one transaction. Only the file knows how. */
  follow?(options: FollowOptions): Promise<Followed>;
  /** No rows any more; the trail stays. */
  empty(): Promise<void>;
  /** Takes everything away again, the trail too; for tests. */
  drop?(): Promise<void>;
  close(): Promise<void>;
}
