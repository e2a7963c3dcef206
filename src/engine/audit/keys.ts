/** The index keys of an audit record: what a filter of the audit log, or the history of a record, finds it by. */
import type { AuditQuery, AuditRecord } from '../ports.ts';

/** In the order in which they help: a store looks up the first key of a query. */
const KINDS = ['record', 'request', 'person', 'tool', 'decision', 'server'] as const;
export type AuditKeyKind = (typeof KINDS)[number];

/** The key of a value. `tamshai.audit_keys` in sql/platform and `KEYS` in storage/audit/order.ts build the same keys. */
export const auditKey = (kind: AuditKeyKind, value: string): string => `${kind}:${value}`;
export const recordKey = (type: string, id: string): string => auditKey('record', `${type}/${id}`);

/** The calls that succeed at once are nearly all calls, so stores do not index this key. */
const COMMON = auditKey('decision', 'allowed');

type Keyed = Partial<Pick<AuditRecord, 'tool' | 'decision' | 'server' | 'requestId' | 'username' | 'records'>>;
export function keysOf({ tool, decision, server, requestId, username, records }: Keyed): string[] {
  const found: Record<AuditKeyKind, readonly unknown[]> = {
    record: Array.isArray(records) ? records : [],
    request: [requestId],
    person: [username],
    tool: [tool],
    decision: [decision],
    server: [server],
  };
  return KINDS.flatMap((kind) => found[kind].flatMap((value) => (typeof value === 'string' ? [auditKey(kind, value)] : [])));
}

/** The keys of a record that a store indexes. */
export const indexedKeys = (record: Keyed): string[] => keysOf(record).filter((key) => key !== COMMON);

/** The keys of a query that a store can look up, with the rarest kind first. */
export const indexedIn = ({ keys = [] }: Pick<AuditQuery, 'keys'>): string[] =>
  KINDS.flatMap((kind) => keys.filter((key) => key !== COMMON && key.startsWith(`${kind}:`)));

/** Whether a record is what the query asks for. The body decides, so that a changed index adds no record to a result. */
export function answers(record: Partial<AuditRecord>, { principal, keys = [], from, to }: AuditQuery): boolean {
  if (principal !== undefined && record.principal !== principal) return false;
  const { at = '' } = record;
  if ((from !== undefined && at < from) || (to !== undefined && at >= to)) return false;
  if (keys.length === 0) return true;
  const own = new Set(keysOf(record));
  return keys.every((key) => own.has(key));
}
