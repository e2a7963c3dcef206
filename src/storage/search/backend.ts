/** The interface of the search backends: SQLite, MongoDB, Elasticsearch and OpenSearch. */
import type { ChainWriter, Head } from '../../engine/audit/chain-writer.ts';
import type { AuditChains } from '../../engine/ports.ts';
import type { Row } from '../../declare/rows.ts';
import type { SearchLoader } from '../../declare/search.ts';
import type { Store } from '../../engine/store.ts';

/** The rows that a collection should have: the key of each row, with a fingerprint of the source of that row. */
export interface FollowOptions {
  readonly collection: string;
  /** The field that stores the fingerprint. */
  readonly print: string;
  readonly wanted: ReadonlyMap<string, string>;
  /** Called only for new and changed rows. If it returns undefined, the row is removed. */
  row(key: string): Row | undefined;
}
export interface Followed {
  readonly written: number;
  readonly removed: number;
}

/** Stores the collections of one domain. `store` takes the audit chain that records its changes. */
export interface SearchBackend {
  /** Product and version, for operators: "SQLite 3.45". */
  readonly product: string;
  readonly audit: AuditChains;
  /** The last record of a chain. */
  last(chain: string): Promise<Head | undefined>;
  readonly loader: SearchLoader;
  store(chain: ChainWriter): Store<'search'>;
  /** Completes the effects that a crashed process left between intent and outcome, and returns their number. */
  settle(chain: ChainWriter, name: string): Promise<number>;
  /** Synchronises a collection with an outside source, in one transaction. Only the SQLite backend has it. */
  follow?(options: FollowOptions): Promise<Followed>;
  /** Deletes all rows; the audit chain stays. */
  empty(): Promise<void>;
  /** Deletes everything, including the audit chain; for tests. */
  drop?(): Promise<void>;
  close(): Promise<void>;
}
