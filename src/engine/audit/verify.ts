/** Verifies the audit log: every chain against its MACs and the signed checkpoints. */
import type { AuditChains, ChainedRecord } from '../ports.ts';
import { createTurns } from '../turns.ts';
import { type AuditKeys, type Checkpoint, CHECKPOINT_EVERY, isOurs, type Link, macOf, noteIn, same } from './chain.ts';

export interface VerifiedChain {
  readonly chain: string;
  readonly count: number;
  /** The chain's length at its last checkpoint. Verification finds out if one of these records is missing. */
  readonly checkpointed: number;
}

export type AuditVerdict =
  | { readonly ok: true; readonly chains: readonly VerifiedChain[] }
  | { readonly ok: false; readonly chain: string; readonly n: number; readonly problem: string };

const MISSING = 'The record is missing.';
const broken = (chain: string, n: number, problem: string) => ({ ok: false, chain, n, problem }) as const;

export interface VerifyOptions {
  readonly keys: AuditKeys | undefined;
  /** Selects the chains whose checkpoints must all be readable here. The default is all chains. */
  readonly own?: ((chain: string) => boolean) | undefined;
  /** Reads the checkpoints again, because a growing chain can name a checkpoint that is newer than the first read. */
  readonly again?: (() => Promise<readonly Checkpoint[]>) | undefined;
}

/**
 * Verifies every chain against the checkpoints and stops at the first problem. The caller must read the checkpoints before this call,
 * because chains grow meanwhile.
 */
export async function verifyChains(
  sources: readonly AuditChains[],
  checkpoints: readonly Checkpoint[],
  { keys, own = () => true, again = async () => checkpoints }: VerifyOptions,
): Promise<AuditVerdict> {
  if (keys === undefined || keys.chain.length === 0) return broken('', 0, 'The audit log cannot be verified without its key.');
  const marks = await marksOf(checkpoints, keys);
  if (!(marks instanceof Map)) return marks;

  const chains: VerifiedChain[] = [];
  const seen = new Set<string>();
  for (const source of sources) {
    for (const { chain, count } of await source.chains()) {
      if (seen.has(chain)) return broken(chain, 1, 'Two stores contain this chain: one of them is a forgery.');
      seen.add(chain);
      const result = await walk(source, { chain, count }, { marks: marks.get(chain) ?? new Map(), keys: keys.chain });
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

/** Not `Math.max(...counts)`, which fails for a very long list. */
function furthest(marks: ReadonlyMap<number, string> | undefined, least = NONE): number {
  let most = least;
  for (const count of marks?.keys() ?? []) most = Math.max(most, count);
  return most;
}
const reaches = (checkpoints: readonly Checkpoint[], at: { chain: string; count: number }, keys: AuditKeys): boolean =>
  at.count <= NONE || checkpoints.some((each) => each.chain === at.chain && each.count >= at.count && isOurs(keys, each));

/** Verification fails if more records than this follow the last checkpoint. A crash cannot lose so many checkpoints. */
const OVERDUE_AFTER = 10 * CHECKPOINT_EVERY;
const checkpointsOverdue = (checkpointed: number): string =>
  `A checkpoint is overdue: the last one is at record #${checkpointed}, and one is due every ${CHECKPOINT_EVERY} records. ` +
  'Look in the log for checkpoints that could not be written.';

/** Means "no checkpoint". It is lower than 0, because the first checkpoint of a chain has the length 0. */
const NONE = -1;
const RESTORE = 'Restore checkpoints.jsonl from a backup and verify again; without it, nobody can tell whether records were removed.';
const checkpointsGone = (checkpointed: number): string => {
  const left = checkpointed > 0 ? `the one at record #${checkpointed}` : 'are left';
  return `Checkpoints were removed: the chain had newer ones than ${left}. ${RESTORE}`;
};

type Marks = Map<string, Map<number, string>>;

/** Maps chain and length to the MAC of the checkpoint. Returns the first problem with a checkpoint instead, if there is one. */
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
  { chain, count }: { readonly chain: string; readonly count: number },
  { marks, keys }: { readonly marks: ReadonlyMap<number, string>; readonly keys: readonly Uint8Array[] },
): Promise<(VerifiedChain & { readonly named: number }) | (AuditVerdict & { ok: false })> {
  const notes = new Notes(marks);
  let n = 0;
  let rows = 0;
  let previous = '';
  const turns = createTurns();
  for await (const record of source.records(chain)) {
    rows++;
    if (record.n !== n + 1)
      return broken(chain, n + 1, record.n > n + 1 ? MISSING : 'There is a record here that does not belong to the chain.');
    n = record.n;
    if (!isLinked(record, { chain, previous }, keys)) return broken(chain, n, 'The record is not as it was written.');
    if ((marks.get(n) ?? record.mac) !== record.mac) {
      return broken(chain, n, 'A checkpoint names another record here: an old copy was restored and written to.');
    }
    if (record.misfiled)
      return broken(chain, n, 'The record is as it was written, but its store files it under a wrong time or person, or not at all.');
    if (!notes.take(record)) return broken(chain, n, `Checkpoints were removed before this record. ${RESTORE}`);
    previous = record.mac;
    // Some sources never wait for I/O.
    if (turns.isOver()) await turns.next();
  }
  if (rows < count) return broken(chain, n + 1, 'The store counts more rows than records of this chain.');
  const checkpointed = furthest(marks, 0);
  if (n < checkpointed) return broken(chain, n + 1, `${MISSING} The chain was cut, or an old copy was restored.`);
  if (checkpointed === 0 && count > 2 * CHECKPOINT_EVERY) return broken(chain, n, `No checkpoint covers the end of this chain. ${RESTORE}`);
  // Each chain gets a checkpoint with the length 0 before its first record.
  return { chain, count: n, checkpointed, named: n > 0 ? notes.most : NONE };
}

/** The checkpoint notes in the records of one chain, in order. */
class Notes {
  /** The named checkpoints with increasing length, each with the first record that names it. */
  readonly #named: { readonly n: number; readonly count: number }[] = [];
  readonly #present: ReadonlyMap<number, string>;

  constructor(present: ReadonlyMap<number, string>) {
    this.#present = present;
  }

  get most(): number {
    return this.#named.at(-1)?.count ?? 0;
  }

  /** False if the process of the record found fewer checkpoints than earlier records name, and they are still missing. */
  take({ n, body }: ChainedRecord): boolean {
    const note = noteIn(body);
    if (note === undefined) return true;
    const { count, of = NONE } = note;
    const before = of === NONE ? NONE : (this.#named.findLast((each) => each.n <= of)?.count ?? 0);
    if (before > (count ?? NONE) && !this.#isRestored(before, of)) return false;
    if (count !== null && count > this.most) this.#named.push({ n, count });
    return true;
  }

  /** A checkpoint with a length of at most `of` is older than the process, so it was restored. */
  #isRestored(before: number, of: number): boolean {
    for (const count of this.#present.keys()) if (count >= before && count <= of) return true;
    return false;
  }
}

const isLinked = (record: ChainedRecord, { chain, previous }: Pick<Link, 'chain' | 'previous'>, keys: readonly Uint8Array[]): boolean =>
  record.chain === chain && keys.some((key) => same(macOf(key, { ...record, previous }), record.mac));
