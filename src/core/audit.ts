/**
 * The trail is made of chains: each record carries a code over itself and the record before, made with a key that its store does not
 * hold. Signed checkpoints, kept elsewhere, say how long a chain was and how it ended, so that a cut tail or an old copy shows.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AuditChains, AuditQuery, AuditRecord, ChainedRecord } from './ports.ts';
import { createTurns } from './turns.ts';

export interface Checkpoint {
  readonly chain: string;
  readonly count: number;
  /** The code of record number `count`. */
  readonly mac: string;
  readonly at: string;
  readonly signature: string;
}

/** The newest key first; older ones still vouch for what was written before a change of keys. */
export interface AuditKeys {
  readonly chain: readonly Uint8Array[];
  readonly checkpoint: readonly Uint8Array[];
}

export interface VerifiedChain {
  readonly chain: string;
  readonly count: number;
  /** Up to here a checkpoint vouches that nothing was cut off; what follows is newer than the last one. */
  readonly checkpointed: number;
}

export type AuditVerdict =
  | { readonly ok: true; readonly chains: readonly VerifiedChain[] }
  | { readonly ok: false; readonly chain: string; readonly n: number; readonly problem: string };

/** A chain that grew by this many records has had a checkpoint. */
export const CHECKPOINT_EVERY = 100;

/** The bytes that are stored, and that the code is computed over. They are never made again from what they say. */
export const bodyOf = (record: AuditRecord): string => JSON.stringify(record);

/** Of the record before the first there is no code: it is the empty text. */
export const macOf = (key: Uint8Array, chain: string, n: number, previous: string, body: string): string =>
  createHmac('sha256', key)
    .update(`${JSON.stringify(chain)} ${n} ${previous}\n${body}`)
    .digest('base64url');

/**
 * What a record says of the checkpoints of its own chain. Removing both copies of the checkpoints does not remove it: the record's
 * code covers it.
 */
export interface CheckpointNote {
  /** The newest checkpoint that was written; null where there was none. */
  readonly count: number | null;
  /** In the first record of a process: how many records the chain had when the process looked for that checkpoint. */
  readonly of?: number;
}

/** The note comes last in the record, so that it is found without parsing every record. */
export const withNote = (body: string, note: CheckpointNote | undefined): string =>
  note === undefined ? body : `${body.slice(0, -1)},"checkpoint":${JSON.stringify(note)}}`;
const NOTED = /,"checkpoint":\{"count":(?:\d+|null)(?:,"of":\d+)?\}\}$/;
export const withoutNote = (body: string): string => (noteIn(body) === undefined ? body : body.replace(NOTED, '}'));
function noteIn(body: string): CheckpointNote | undefined {
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

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** As a store has it, with what it says of the record to those who look for one: only the record itself has a code. */
export interface Filed {
  readonly record: ChainedRecord;
  readonly at: string;
  readonly principal: unknown;
}

function isMisfiled({ record, at, principal }: Filed): boolean {
  try {
    const said = JSON.parse(record.body) as Partial<AuditRecord> | null;
    return said?.principal !== principal || typeof said?.at !== 'string' || Date.parse(said.at) !== Date.parse(at);
  } catch {
    return true;
  }
}

/** For a walk along the chain. */
export const walked = (filed: Filed): ChainedRecord => (isMisfiled(filed) ? { ...filed.record, misfiled: true } : filed.record);

/**
 * For who looks for records: those alone that say of themselves what was looked for, and as many as there are. The rest shows when the
 * chain is walked.
 */
export async function found(query: AuditQuery, page: (query: AuditQuery) => Promise<readonly Filed[]>): Promise<ChainedRecord[]> {
  const all: ChainedRecord[] = [];
  for (let { before } = query; ; ) {
    const rows = await page({ ...query, before });
    all.push(...rows.filter((filed) => !isMisfiled(filed)).map(({ record }) => record));
    const last = rows.at(-1);
    if (last === undefined || rows.length < query.limit || all.length >= query.limit) return all.slice(0, query.limit);
    before = { at: last.at, chain: last.record.chain, n: last.record.n };
  }
}

const MISSING = 'The record is missing.';
const broken = (chain: string, n: number, problem: string) => ({ ok: false, chain, n, problem }) as const;

export interface VerifyOptions {
  /** Chains whose checkpoints must all be visible here; of the others only the newest may be. All, if left out. */
  readonly own?: ((chain: string) => boolean) | undefined;
  /** Reads the checkpoints once more: a chain that grows may name one that was written after the first reading. */
  readonly again?: (() => Promise<readonly Checkpoint[]>) | undefined;
}

/**
 * Walks every chain from its first record and holds it against the checkpoints. Read the checkpoints first: chains may grow while
 * they are walked, but never shrink. Stops at the first thing that is not as it was written.
 */
export async function verifyChains(
  sources: readonly AuditChains[],
  checkpoints: readonly Checkpoint[],
  keys: AuditKeys | undefined,
  { own = () => true, again = async () => checkpoints }: VerifyOptions = {},
): Promise<AuditVerdict> {
  if (keys === undefined || keys.chain.length === 0) return broken('', 0, 'Without the key of the trail nobody can vouch for it.');
  const marks = await marksOf(checkpoints, keys);
  if (!(marks instanceof Map)) return marks;

  const chains: VerifiedChain[] = [];
  const seen = new Set<string>();
  for (const source of sources) {
    for (const { chain, count } of await source.chains()) {
      if (seen.has(chain)) return broken(chain, 1, 'The chain is kept in two places: one of them is not ours.');
      seen.add(chain);
      const result = await walk(source, chain, count, marks.get(chain) ?? new Map(), keys.chain);
      if ('ok' in result) return result;
      const { named, ...verified } = result;
      const due = verified.count - OVERDUE_AFTER;
      const known = furthest(marks.get(chain));
      if (own(chain) && Math.max(named, due) > known) {
        const present = await again();
        if (!reaches(present, { chain, count: named }, keys)) return broken(chain, verified.count, checkpointsGone(verified.checkpointed));
        if (!reaches(present, { chain, count: due }, keys)) return broken(chain, verified.count, checkpointsOverdue(verified.checkpointed));
      }
      chains.push(verified);
    }
  }
  for (const [chain, known] of marks) if (!seen.has(chain) && furthest(known) > 0) return broken(chain, 1, 'The whole chain is missing.');
  return { ok: true, chains };
}

/** Not as arguments of Math.max: there may be more checkpoints than a function takes. */
function furthest(marks: ReadonlyMap<number, string> | undefined, least = NONE): number {
  let most = least;
  for (const count of marks?.keys() ?? []) most = Math.max(most, count);
  return most;
}
const reaches = (checkpoints: readonly Checkpoint[], at: { chain: string; count: number }, keys: AuditKeys): boolean =>
  at.count <= NONE || checkpoints.some((each) => each.chain === at.chain && each.count >= at.count && isOurs(keys, each));

/** So many records without a checkpoint are no longer a matter of a crash between a record and its checkpoint. */
const OVERDUE_AFTER = 10 * CHECKPOINT_EVERY;
const checkpointsOverdue = (checkpointed: number): string =>
  `The last checkpoint is older than its schedule: it is at record #${checkpointed}, and one is due every ${CHECKPOINT_EVERY} records. ` +
  'Look in the log for checkpoints that could not be written.';

/** Less than any checkpoint: a chain has its first one, at 0, before its first record. */
const NONE = -1;
const RESTORE = 'Restore checkpoints.jsonl from a backup and verify again; without it nobody can say whether records were cut off.';
const checkpointsGone = (checkpointed: number): string => {
  const left = checkpointed > 0 ? `the one at record #${checkpointed}` : 'are left';
  return `Checkpoints were removed: the chain had newer ones than ${left}. ${RESTORE}`;
};

type Marks = Map<string, Map<number, string>>;

/** What the end of each chain has been, at which length; or what is wrong with the checkpoints themselves. */
async function marksOf(checkpoints: readonly Checkpoint[], keys: AuditKeys): Promise<Marks | (AuditVerdict & { ok: false })> {
  const marks: Marks = new Map();
  const turns = createTurns();
  for (const checkpoint of checkpoints) {
    if (turns.isOver()) await turns.next();
    const { chain, count, mac } = checkpoint;
    if (!isOurs(keys, checkpoint)) return broken(chain, count, 'A checkpoint at this record is not signed with our key.');
    const known = marks.get(chain) ?? new Map<number, string>();
    marks.set(chain, known);
    if ((known.get(count) ?? mac) !== mac) return broken(chain, count, 'Two checkpoints disagree about this record: the chain was forked.');
    known.set(count, mac);
  }
  return marks;
}

async function walk(
  source: AuditChains,
  chain: string,
  count: number,
  marks: ReadonlyMap<number, string>,
  keys: readonly Uint8Array[],
): Promise<(VerifiedChain & { readonly named: number }) | (AuditVerdict & { ok: false })> {
  const notes = new Notes(marks);
  let n = 0;
  let rows = 0;
  let previous = '';
  const turns = createTurns();
  for await (const record of source.records(chain)) {
    rows++;
    if (record.n !== n + 1) return broken(chain, n + 1, record.n > n + 1 ? MISSING : 'There is a record here that does not belong.');
    n = record.n;
    if (!isLinked(record, chain, previous, keys)) return broken(chain, n, 'The record is not as it was written.');
    if ((marks.get(n) ?? record.mac) !== record.mac) {
      return broken(chain, n, 'A checkpoint knows another record here: an old copy was restored and written to.');
    }
    if (record.misfiled)
      return broken(chain, n, 'The record is as it was written, but its store says something else of it to those who look for it.');
    if (!notes.take(record)) return broken(chain, n, `Before this record checkpoints were removed. ${RESTORE}`);
    previous = record.mac;
    // Not every source waits for something between its records.
    if (turns.isOver()) await turns.next();
  }
  if (rows < count) return broken(chain, n + 1, 'There are more rows than records.');
  const checkpointed = furthest(marks, 0);
  if (n < checkpointed) return broken(chain, n + 1, `${MISSING} The chain was cut, or an old copy was restored.`);
  if (checkpointed === 0 && count > 2 * CHECKPOINT_EVERY)
    return broken(chain, n, `No checkpoint vouches for the end of this chain. ${RESTORE}`);
  // A chain that has any record has had a checkpoint.
  return { chain, count: n, checkpointed, named: n > 0 ? notes.most : NONE };
}

/** What the records of one chain say of its checkpoints, in order. */
class Notes {
  /** The highest checkpoint that was named, by the record that named it first. */
  readonly #named: { readonly n: number; readonly count: number }[] = [];
  readonly #present: ReadonlyMap<number, string>;

  constructor(present: ReadonlyMap<number, string>) {
    this.#present = present;
  }

  get most(): number {
    return this.#named.at(-1)?.count ?? 0;
  }

  /** False where the process of the record found fewer checkpoints than earlier records name, and they were not restored since. */
  take({ n, body }: ChainedRecord): boolean {
    const note = noteIn(body);
    if (note === undefined) return true;
    const { count, of = NONE } = note;
    const before = of === NONE ? NONE : (this.#named.findLast((each) => each.n <= of)?.count ?? 0);
    if (before > (count ?? NONE) && !this.#isRestored(before, of)) return false;
    if (count !== null && count > this.most) this.#named.push({ n, count });
    return true;
  }

  /** The process itself only wrote checkpoints after its own records: one up to `of` is from before. */
  #isRestored(before: number, of: number): boolean {
    for (const count of this.#present.keys()) if (count >= before && count <= of) return true;
    return false;
  }
}

const isLinked = (record: ChainedRecord, chain: string, previous: string, keys: readonly Uint8Array[]): boolean =>
  record.chain === chain && keys.some((key) => same(macOf(key, chain, record.n, previous, record.body), record.mac));
