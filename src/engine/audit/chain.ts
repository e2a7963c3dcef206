/**
 * The format of an audit chain, and its writer. The MAC of a record covers the record and the MAC of the record before. Signed
 * checkpoints outside the store contain the length and the last MAC of a chain. They reveal a truncated chain.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { AuditQuery, AuditRecord, ChainedRecord } from '../ports.ts';
import { createTurns } from '../turns.ts';
import { answers, indexedKeys } from './keys.ts';

export interface Checkpoint {
  readonly chain: string;
  readonly count: number;
  /** The MAC of record number `count`. */
  readonly mac: string;
  readonly at: string;
  readonly signature: string;
}

/** The newest key first. Older keys still verify records from before a key rotation. */
export interface AuditKeys {
  readonly chain: readonly Uint8Array[];
  readonly checkpoint: readonly Uint8Array[];
}

/** A chain gets a checkpoint after this many records. */
export const CHECKPOINT_EVERY = 100;

/** The stored text, which the MAC covers. Serialising the record again could change the text. */
export const bodyOf = (record: AuditRecord): string => JSON.stringify(record);

export interface Link {
  readonly chain: string;
  readonly n: number;
  /** The MAC of the record before; the empty string for the first record. */
  readonly previous: string;
  readonly body: string;
}
export const macOf = (key: Uint8Array, { chain, n, previous, body }: Link): string =>
  createHmac('sha256', key)
    .update(`${JSON.stringify(chain)} ${n} ${previous}\n${body}`)
    .digest('base64url');

/** A note in a record about the newest checkpoint of its chain. It reveals that all copies of a checkpoint were removed. */
export interface CheckpointNote {
  /** The length of the newest checkpoint; null if there was none. */
  readonly count: number | null;
  /** In the first record of a process: the length of the chain when the process read that checkpoint. */
  readonly of?: number;
}

/** The note is the last key of the record, so that a regular expression finds it. */
export const withNote = (body: string, note: CheckpointNote | undefined): string =>
  note === undefined ? body : `${body.slice(0, -1)},"checkpoint":${JSON.stringify(note)}}`;
const NOTED = /,"checkpoint":\{"count":(?:\d+|null)(?:,"of":\d+)?\}\}$/;
export const withoutNote = (body: string): string => (noteIn(body) === undefined ? body : body.replace(NOTED, '}'));
export function noteIn(body: string): CheckpointNote | undefined {
  return body.endsWith('}}') && NOTED.test(body) ? (JSON.parse(body) as { checkpoint?: CheckpointNote }).checkpoint : undefined;
}

const signatureOf = (key: Uint8Array, { chain, count, mac, at }: Omit<Checkpoint, 'signature'>): string =>
  createHmac('sha256', key)
    .update(`checkpoint ${JSON.stringify([chain, count, mac, at])}`)
    .digest('base64url');

export function signCheckpoint(key: Uint8Array, facts: Omit<Checkpoint, 'signature'>): Checkpoint {
  const { chain, count, mac, at } = facts;
  return { chain, count, mac, at, signature: signatureOf(key, facts) };
}

export const isOurs = (keys: AuditKeys, checkpoint: Checkpoint): boolean =>
  keys.checkpoint.some((key) => same(signatureOf(key, checkpoint), checkpoint.signature));

export async function signedByUs(keys: AuditKeys, checkpoints: readonly Checkpoint[]): Promise<Checkpoint[]> {
  const turns = createTurns();
  const ours: Checkpoint[] = [];
  for (const checkpoint of checkpoints) {
    if (isOurs(keys, checkpoint)) ours.push(checkpoint);
    if (turns.isOver()) await turns.next();
  }
  return ours;
}

export function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** A record with the columns by which the store finds it. The MAC does not cover these columns. */
export interface Filed {
  readonly record: ChainedRecord;
  readonly at: string;
  readonly principal: unknown;
  /** The stored index keys; undefined if the store cannot file a record under other keys than its own. */
  readonly keys?: unknown;
}

/** The content of a record; undefined if the store files the record under another time, person or key. */
function contentOf({ record, at, principal, keys }: Filed): Partial<AuditRecord> | undefined {
  try {
    const body = JSON.parse(record.body) as Partial<AuditRecord> | null;
    if (body?.principal !== principal || typeof body?.at !== 'string' || Date.parse(body.at) !== Date.parse(at)) return undefined;
    return hasKeys(body, keys) ? body : undefined;
  } catch {
    return undefined;
  }
}
/** Writes of older versions name no records and were stored without keys. */
const hasKeys = (body: Partial<AuditRecord>, keys: unknown): boolean =>
  keys === undefined || (Array.isArray(keys) ? isDeepStrictEqual(new Set(keys), new Set(indexedKeys(body))) : body.records === undefined);

export const markMisfiled = (filed: Filed): ChainedRecord =>
  contentOf(filed) === undefined ? { ...filed.record, misfiled: true } : filed.record;

/** How many rows one step reads if a query has conditions that the store compares row by row. */
const STEP = 500;

/** Returns the records of a query without misfiled ones, which the verification reports. `page` may return rows that do not match. */
export async function findRecords(query: AuditQuery, page: (query: AuditQuery) => Promise<readonly Filed[]>): Promise<ChainedRecord[]> {
  const all: ChainedRecord[] = [];
  const take = (query.keys ?? []).length > 0 ? Math.max(query.limit, STEP) : query.limit;
  const turns = createTurns();
  for (let { before, limit } = query; ; limit = take) {
    const rows = await page({ ...query, before, limit });
    for (const filed of rows) {
      const content = contentOf(filed);
      if (content !== undefined && answers(content, query)) all.push(filed.record);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit || all.length >= query.limit) return all.slice(0, query.limit);
    before = { at: last.at, chain: last.record.chain, n: last.record.n };
    if (turns.isOver()) await turns.next();
  }
}

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
