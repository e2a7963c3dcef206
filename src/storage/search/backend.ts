/** The interface of the search backends: SQLite, MongoDB, Elasticsearch and OpenSearch. */
import type { ChainWriter, Head } from '../../engine/audit/chain.ts';
import type { AuditChains } from '../../engine/ports.ts';
import type { Row } from '../../declare/rows.ts';
import type { SearchLoader } from '../../declare/search.ts';
import type { Store } from '../../engine/store.ts';

export interface FollowOptions {
  readonly collection: string;
  /** The field that stores the fingerprint of the row's source. */
  readonly print: string;
  readonly wanted: ReadonlyMap<string, string>;
  /** Called for new and changed rows only. If it returns undefined, the row is removed. */
  row(key: string): Row | undefined;
}
export interface Followed {
  readonly written: number;
  readonly removed: number;
}

/** The search collections of one domain. */
export interface SearchBackend {
  /** Product and version, such as "SQLite 3.45". */
  readonly product: string;
  readonly audit: AuditChains;
  last(chain: string): Promise<Head | undefined>;
  readonly loader: SearchLoader;
  store(chain: ChainWriter): Store<'search'>;
  /** Writes the missing outcomes of effects that a crashed process left. Returns their number. */
  settle(chain: ChainWriter, name: string): Promise<number>;
  /** Makes a collection equal to `wanted`, in one transaction. Only the SQLite backend has this method. */
  follow?(options: FollowOptions): Promise<Followed>;
  /** Deletes all rows; the audit chain stays. */
  empty(): Promise<void>;
  /** Deletes everything, including the audit chain. Only tests use it. */
  drop?(): Promise<void>;
  close(): Promise<void>;
}
