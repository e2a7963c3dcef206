/** Updates the copies that domains have of other domains' rows from the change feeds, in the background. */
import type { Contract, ChangeFeedCalls } from '../declare/contracts.ts';
import { Failure } from '../declare/errors.ts';
import { clientOf, type ContractCaller } from '../engine/contract-caller.ts';
import type { ChangeCopy, ChangeSource, Logger } from '../engine/ports.ts';

const EVERY_MS = 2000;
/** The upper limit of the exponential backoff after failures. */
const LONGEST_MS = 16_000;
/** The longest time that a start waits for the first update. */
const START_MS = 5000;

export interface CopySyncOptions {
  readonly sourceOf: (contract: Contract<ChangeFeedCalls>) => ChangeSource;
  readonly copies: readonly ChangeCopy[];
  readonly log: Logger;
  readonly everyMs?: number;
}

export interface CopySync {
  close(): Promise<void>;
}

/** Resolves when every copy is up to date or has failed once, at most after START_MS. Never rejects. */
export async function syncCopies({ sourceOf, copies, log, everyMs = EVERY_MS }: CopySyncOptions): Promise<CopySync> {
  const stopping = new AbortController();
  const subscriptions = copies.map((copy) => follow({ source: sourceOf(copy.contract), copy, log, everyMs }, stopping.signal));
  let late: NodeJS.Timeout | undefined;
  await Promise.race([
    Promise.all(subscriptions.map(({ begun }) => begun)),
    new Promise((resolve) => (late = setTimeout(resolve, START_MS))),
  ]);
  clearTimeout(late);
  return {
    async close() {
      stopping.abort();
      await Promise.all(subscriptions.map(({ ended }) => ended));
    },
  };
}

interface Following {
  readonly source: ChangeSource;
  readonly copy: ChangeCopy;
  readonly log: Logger;
  readonly everyMs: number;
}

function follow({ source, copy, log, everyMs }: Following, signal: AbortSignal): { begun: Promise<void>; ended: Promise<void> } {
  const names = { server: copy.domain, contract: copy.contract.id };
  let at: number | undefined;
  let failures = 0;
  const attempt = async () => {
    try {
      at = await catchUp({ source, copy }, at, signal);
      if (failures > 0) log.info(names, 'the copy is up to date again');
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      at = undefined;
      // One log line per outage, without the driver's message.
      if (failures++ === 0)
        log.warn({ ...names, code: error instanceof Failure ? error.code : 'INTERNAL_ERROR' }, 'the copy cannot be updated at the moment');
    }
  };
  const begun = attempt();
  const goOn = async () => {
    await begun;
    while (!signal.aborted) {
      await pause(Math.min(everyMs * 2 ** Math.min(failures, 10), Math.max(everyMs, LONGEST_MS)), signal);
      if (!signal.aborted) await attempt();
    }
  };
  return { begun, ended: goOn() };
}

/** Applies the feed page by page, with one transaction per page. Returns the new position. */
async function catchUp(
  { source, copy }: Pick<Following, 'source' | 'copy'>,
  known: number | undefined,
  signal: AbortSignal,
): Promise<number> {
  let at = known ?? (await copy.position());
  while (!signal.aborted) {
    const { last, changes } = await source.after(at, signal);
    // The provider was restored from an older backup, so the copy begins again at 0.
    const to = last < at ? 0 : (changes.at(-1)?.n ?? at);
    if (to === at) return at;
    at = await copy.take(last < at ? [] : changes, at, to);
  }
  return at;
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    // `unref`, because this timer must not keep the process running.
    const timer = setTimeout(done, ms).unref();
    signal.addEventListener('abort', done);
  });

/** Reads a feed from the domain that provides it. */
export const sourceFrom =
  (contracts: ContractCaller) =>
  (contract: Contract<ChangeFeedCalls>): ChangeSource => ({
    after: async (after, signal) => {
      const page = await clientOf(contracts, contract, { person: undefined, requestId: contract.id, signal }).after({ after });
      return page as Awaited<ReturnType<ChangeSource['after']>>;
    },
  });
