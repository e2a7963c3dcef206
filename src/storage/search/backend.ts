import type { ChainWriter, Head } from '../../core/chain-writer.ts';
import type { AuditChains } from '../../core/ports.ts';
import type { SearchLoader } from '../../core/search.ts';
import type { Store } from '../../core/store.ts';

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
  /** No rows any more; the trail stays. */
  empty(): Promise<void>;
  /** Takes everything away again, the trail too; for tests. */
  drop?(): Promise<void>;
  close(): Promise<void>;
}
