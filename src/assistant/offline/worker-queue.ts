/** The job queue of the offline model's worker thread. The queue is fair among people and limited per person. */
import { failure } from '../../declare/errors.ts';
import type { Registry } from '../../engine/registry.ts';
import { createTurns } from '../../engine/turns.ts';
import type { Step } from '../model.ts';
import { type Declarations, type Phrases, readDeclarations } from './declarations.ts';
import { createFairQueue } from './fair-queue.ts';
import type { Job } from './job.ts';
import { openThread, type Thread, type ThreadLimits, WORKER_FILE } from './thread.ts';

export interface QueueLimits extends ThreadLimits {
  readonly waitingPerPerson: number;
  readonly waitingInAll: number;
}
export const QUEUE_LIMITS: QueueLimits = { waitingPerPerson: 24, waitingInAll: 256, startMs: 60_000, jobMs: 5_000, memoryMb: 256 };

export interface QueueRequest {
  /** The owner of the job, which the worker thread does not receive. */
  readonly principal: string;
  readonly job: Job;
  readonly signal: AbortSignal;
}
export interface WorkerQueue {
  run(request: QueueRequest): Promise<readonly Step[]>;
  warm(): void;
  /** Rejects every job and ends the thread. */
  close(): Promise<void>;
}
export interface QueueOptions {
  readonly registry: Registry;
  readonly phrases?: Phrases;
  readonly limits?: Partial<QueueLimits>;
  readonly file?: URL;
}

interface QueuedJob {
  readonly job: Job;
  isSettled(): boolean;
  resolve(steps: readonly Step[]): void;
  reject(error: unknown): void;
}

const RETRY_SECONDS = 5;
const stopping = () => failure('SERVICE_UNAVAILABLE', 'The assistant is stopping.');

async function declarationsOf(registry: Registry, phrases: Phrases): Promise<Declarations> {
  const reading = readDeclarations(registry, phrases);
  const turns = createTurns();
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
    if (turns.isOver()) await turns.next();
  }
}

export function createWorkerQueue({ registry, phrases = new Map(), limits: given, file = WORKER_FILE }: QueueOptions): WorkerQueue {
  const limits = { ...QUEUE_LIMITS, ...given };
  const queue = createFairQueue<QueuedJob>();
  let starting: Promise<Thread> | undefined;
  let thread: Thread | undefined;
  let running: QueuedJob | undefined;
  let isWorking = false;
  let isClosed = false;

  async function start(): Promise<Thread> {
    const declarations = await declarationsOf(registry, phrases);
    if (isClosed) throw stopping();
    return (thread = openThread(file, declarations, limits));
  }
  function currentThread(): Promise<Thread> {
    if (thread && !thread.isAlive) thread = starting = undefined;
    starting ??= start().catch((error: unknown) => {
      starting = undefined;
      throw error;
    });
    return starting;
  }

  async function serve(waiting: QueuedJob): Promise<void> {
    let held: Thread | undefined;
    try {
      held = await currentThread();
      held.hold();
      await held.ready;
      if (!waiting.isSettled()) waiting.resolve(await held.run(waiting.job));
    } catch (error) {
      waiting.reject(error);
    } finally {
      held?.release();
    }
  }
  async function work(): Promise<void> {
    if (isWorking) return;
    isWorking = true;
    for (;;) {
      running = queue.take();
      if (!running) break;
      await serve(running);
    }
    isWorking = false;
  }

  function refusal(principal: string): Error | undefined {
    if (isClosed) return stopping();
    if (queue.sizeOf(principal) >= limits.waitingPerPerson)
      return failure('RATE_LIMITED', 'Too many of your questions are waiting for an answer.', { retryAfterSeconds: RETRY_SECONDS });
    if (queue.size >= limits.waitingInAll)
      return failure('RATE_LIMITED', 'Too many questions are waiting for an answer.', { retryAfterSeconds: RETRY_SECONDS });
    return undefined;
  }

  return {
    async run({ principal, job, signal }) {
      signal.throwIfAborted();
      const refused = refusal(principal);
      if (refused) throw refused;
      let isSettled = false;
      let onAbort = () => {};
      const answer = new Promise<readonly Step[]>((resolve, reject) => {
        const waiting: QueuedJob = { job, isSettled: () => isSettled, resolve, reject };
        // The thread finishes a running job, and the result is dropped.
        onAbort = () => {
          queue.remove(principal, waiting);
          reject(signal.reason as Error);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        queue.add(principal, waiting);
      });
      void work();
      try {
        return await answer;
      } finally {
        isSettled = true;
        signal.removeEventListener('abort', onAbort);
      }
    },
    warm() {
      if (!isClosed) void currentThread().catch(() => {});
    },
    async close() {
      isClosed = true;
      running?.reject(stopping());
      for (let each = queue.take(); each; each = queue.take()) each.reject(stopping());
      await thread?.close();
    },
  };
}
