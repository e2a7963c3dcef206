/** Stores signed checkpoints of audit chains twice: in a file of the data folder and in the key-value store. */
import {
  type AuditKeys,
  type Checkpoint,
  CHECKPOINT_EVERY,
  type CheckpointNote,
  isOurs,
  signCheckpoint,
} from '../../engine/audit/chain.ts';
import type { Clock, KeyValue, Logger } from '../../engine/ports.ts';
import { openCheckpointFile, parseCheckpoint, readCheckpointFile } from './checkpoint-file.ts';

export interface Checkpoints {
  /**
   * Reports the length of a chain and returns at once. The checkpoint follows after 100 records or one second, and at close. `durable` runs
   * first: a checkpoint must not name a record that a power cut can remove.
   */
  checkpoint(chain: string, count: number, mac: string, durable?: () => Promise<void>): Promise<void>;
  /**
   * Call this before a process appends its first record. A new chain gets a checkpoint at 0. For an existing chain, the result is the note
   * that the first record must contain.
   */
  begin(chain: string, count: number, latest?: Checkpoint): Promise<CheckpointNote | undefined>;
  /** The chain's length at the newest checkpoint that this process has written to both copies. */
  confirmed(chain: string): number | undefined;
  /** The newest checkpoint with a valid signature, from both copies. */
  latest(chain: string): Promise<Checkpoint | undefined>;
  /** Writes pending checkpoints, then returns all. `here` selects the chains of the key-value store. */
  all(here?: (chain: string) => boolean): Promise<readonly Checkpoint[]>;
  /** The chains with a checkpoint in the key-value store. */
  chains(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface CheckpointsOptions {
  readonly file: string;
  readonly kv: KeyValue;
  readonly keys: AuditKeys;
  readonly clock: Clock;
  readonly log?: Logger | undefined;
  readonly everyMs?: number;
}

interface Head {
  readonly count: number;
  readonly mac: string;
  readonly durable: (() => Promise<void>) | undefined;
}

const TEN_YEARS = 10 * 365 * 86_400;
const CHAINS = 'audit:chains';
const keyOf = (chain: string) => `audit:checkpoint:${chain}`;

const chainsIn = (text: string | undefined): string[] => {
  try {
    const chains: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(chains) ? chains.map(String) : [];
  } catch {
    return [];
  }
};
const storedCheckpoint = async (kv: KeyValue, chain: string): Promise<Checkpoint | undefined> => {
  const text = await kv.get(keyOf(chain));
  return text === undefined ? undefined : parseCheckpoint(text);
};

/** Reads both copies. All processes share the key-value store, so `here` selects the chains of this process. */
export async function readCheckpoints(
  file: string,
  kv: KeyValue,
  here: (chain: string) => boolean = () => true,
): Promise<readonly Checkpoint[]> {
  const chains = chainsIn(await kv.get(CHAINS)).filter(here);
  const stored = await Promise.all(chains.map((chain) => storedCheckpoint(kv, chain)));
  return [...(await readCheckpointFile(file)), ...stored.filter((checkpoint) => checkpoint !== undefined)];
}

async function listChain(kv: KeyValue, chain: string): Promise<void> {
  for (;;) {
    const before = await kv.get(CHAINS);
    const chains = chainsIn(before);
    if (chains.includes(chain)) return;
    const after = JSON.stringify([...chains, chain]);
    if (before === undefined ? await kv.add(CHAINS, after, TEN_YEARS) : await kv.swap(CHAINS, before, after, TEN_YEARS)) return;
  }
}

export async function openCheckpoints({ file, kv, keys, clock, log, everyMs = 1_000 }: CheckpointsOptions): Promise<Checkpoints> {
  const [key] = keys.checkpoint;
  if (key === undefined) throw new Error('Checkpoints need a key.');
  let handle = await openCheckpointFile(file);
  const heads = new Map<string, Head>();
  const written = new Map<string, number>();
  const everywhere = new Map<string, number>();
  const known = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;

  const intoFile = async (pending: readonly Checkpoint[]) => {
    if ((await handle.stat()).nlink === 0) {
      log?.error({}, 'The checkpoint file was removed; a new one was created. Restore it and run "tamshai audit verify".');
      const removed = handle;
      handle = await openCheckpointFile(file);
      await removed.close();
    }
    await handle.appendFile(pending.map((checkpoint) => `${JSON.stringify(checkpoint)}\n`).join(''));
    await handle.datasync();
  };
  const intoStore = async (pending: readonly Checkpoint[]) => {
    for (const checkpoint of pending) {
      const { chain, count } = checkpoint;
      if (!known.has(chain)) {
        const before = await storedCheckpoint(kv, chain);
        // The stored checkpoint has a higher count, so this chain is an old copy. The store keeps the checkpoint as the proof.
        if (before !== undefined && before.count > count && isOurs(keys, before)) {
          log?.error({ chain, count, before: before.count }, 'An audit chain is shorter than it was: run "tamshai audit verify".');
          continue;
        }
        known.add(chain);
      }
      // The store may have been emptied, so each write lists the chain again.
      await listChain(kv, chain);
      await kv.set(keyOf(chain), JSON.stringify(checkpoint), TEN_YEARS);
    }
  };
  /** True if at least one copy was written. */
  const write = async (pending: readonly [string, Head][]): Promise<boolean> => {
    if (pending.length === 0) return true;
    const at = clock.now().toISOString();
    const done = await Promise.allSettled(pending.map(async ([, { durable }]) => durable?.()));
    if (done.some(({ status }) => status === 'rejected')) return false;
    const signed = pending.map(([chain, { count, mac }]) => signCheckpoint(key, { chain, count, mac, at }));
    const copies = await Promise.allSettled([intoFile(signed), intoStore(signed)]);
    const failed = copies.filter(({ status }) => status === 'rejected').length;
    if (failed > 0) log?.warn({ stores: failed }, 'A checkpoint of the audit log could not be written to every store.');
    if (failed === copies.length) return false;
    for (const { chain, count } of signed) {
      written.set(chain, count);
      if (failed === 0) everywhere.set(chain, count);
    }
    return true;
  };
  const lag = ([chain, { count }]: [string, Head]) => count - (written.get(chain) ?? -CHECKPOINT_EVERY);
  const behind = (by: number) => [...heads].filter((head) => lag(head) >= by);
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    flushing ??= write(behind(1)).then((ok) => {
      flushing = undefined;
      if (ok && behind(CHECKPOINT_EVERY).length > 0) void flush();
      else if (behind(1).length > 0) arm();
    });
    return flushing;
  };
  const arm = () => {
    timer ??= setTimeout(() => void flush(), everyMs).unref();
  };

  const all = async (here?: (chain: string) => boolean) => {
    await flushing;
    await flush();
    return readCheckpoints(file, kv, here);
  };
  const latest = async (chain: string) => {
    const ours = (await all()).filter((checkpoint) => checkpoint.chain === chain && isOurs(keys, checkpoint));
    return ours.reduce<Checkpoint | undefined>((best, each) => (best === undefined || each.count > best.count ? each : best), undefined);
  };
  return {
    async checkpoint(chain, count, mac, durable) {
      const head: Head = { count, mac, durable };
      heads.set(chain, head);
      // The first checkpoint is written at once. Without it, verification cannot notice a missing chain.
      if (lag([chain, head]) < CHECKPOINT_EVERY) arm();
      else if (flushing === undefined) void flush();
    },
    async begin(chain, count, known) {
      const newest = known ?? (await latest(chain));
      if (count > 0) return { count: newest?.count ?? null, of: count };
      if (newest === undefined) await intoFile([signCheckpoint(key, { chain, count: 0, mac: '', at: clock.now().toISOString() })]);
      return undefined;
    },
    confirmed: (chain) => everywhere.get(chain),
    latest,
    all,
    chains: async () => chainsIn(await kv.get(CHAINS)),
    async close() {
      await flushing;
      await flush();
      clearTimeout(timer);
      await handle.close();
    },
  };
}
