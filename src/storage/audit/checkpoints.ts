import { type AuditKeys, CHECKPOINT_EVERY, type Checkpoint, isOurs, signCheckpoint } from '../../core/audit.ts';
import type { Clock, KeyValue, Logger } from '../../core/ports.ts';
import { openCheckpointFile, parseCheckpoint, readCheckpointFile } from './checkpoint-file.ts';

export interface Checkpoints {
  /**
   * Says how far a chain has come. It is written down every 100 records, within a second, and at close; `durable` is awaited before,
   * so that no checkpoint outlives a record that a power cut took. Returns at once: no call waits for a checkpoint.
   */
  checkpoint(chain: string, count: number, mac: string, durable?: () => Promise<void>): Promise<void>;
  /** The newest that is ours, from either place. */
  latest(chain: string): Promise<Checkpoint | undefined>;
  /** Everything written down, what is still to be written included. `here` as for `readCheckpoints`. */
  all(here?: (chain: string) => boolean): Promise<readonly Checkpoint[]>;
  /** Every chain that has one, whoever keeps it. */
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

/**
 * Everything written down, in both places. For a process that only looks, too. Replicas share the key-value store, but each keeps its
 * own calls: `here` says which chains this one must be able to show.
 */
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

/** Two places, neither of them the store that keeps the chain: a file, and the key-value store. */
export async function openCheckpoints({ file, kv, keys, clock, log, everyMs = 1_000 }: CheckpointsOptions): Promise<Checkpoints> {
  const [key] = keys.checkpoint;
  if (key === undefined) throw new Error('Checkpoints need a key.');
  const handle = await openCheckpointFile(file);
  const heads = new Map<string, Head>();
  const written = new Map<string, number>();
  const known = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> | undefined;

  const intoFile = async (news: readonly Checkpoint[]) => {
    await handle.appendFile(news.map((checkpoint) => `${JSON.stringify(checkpoint)}\n`).join(''));
    await handle.datasync();
  };
  const intoStore = async (news: readonly Checkpoint[]) => {
    for (const checkpoint of news) {
      const { chain, count } = checkpoint;
      if (!known.has(chain)) {
        const before = await storedCheckpoint(kv, chain);
        // What it once was is the evidence that the chain is an old copy now. It stays.
        if (before !== undefined && before.count > count && isOurs(keys, before)) {
          log?.error({ chain, count, before: before.count }, 'An audit chain is shorter than it was: run "tamshai audit verify".');
          continue;
        }
        known.add(chain);
      }
      // Each time: a store that was emptied would not know any more that there is this chain.
      await listChain(kv, chain);
      await kv.set(keyOf(chain), JSON.stringify(checkpoint), TEN_YEARS);
    }
  };
  /** One place is enough for now. True when at least one has it. */
  const write = async (news: readonly [string, Head][]): Promise<boolean> => {
    if (news.length === 0) return true;
    const at = clock.now().toISOString();
    const done = await Promise.allSettled(news.map(async ([, { durable }]) => durable?.()));
    if (done.some(({ status }) => status === 'rejected')) return false;
    const signed = news.map(([chain, { count, mac }]) => signCheckpoint(key, { chain, count, mac, at }));
    const places = await Promise.allSettled([intoFile(signed), intoStore(signed)]);
    const failed = places.filter(({ status }) => status === 'rejected').length;
    if (failed > 0) log?.warn({ places: failed }, 'A checkpoint of the audit trail could not be written everywhere.');
    if (failed === places.length) return false;
    for (const { chain, count } of signed) written.set(chain, count);
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
  return {
    async checkpoint(chain, count, mac, durable) {
      const head: Head = { count, mac, durable };
      heads.set(chain, head);
      // The first of a chain is written at once: from then on the chain cannot vanish.
      if (lag([chain, head]) < CHECKPOINT_EVERY) arm();
      else if (flushing === undefined) void flush();
    },
    async latest(chain) {
      const ours = (await all()).filter((checkpoint) => checkpoint.chain === chain && isOurs(keys, checkpoint));
      return ours.reduce<Checkpoint | undefined>((best, each) => (best === undefined || each.count > best.count ? each : best), undefined);
    },
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
