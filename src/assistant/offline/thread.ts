/** One worker thread of the offline model. The thread runs one job at a time and is ended if a job exceeds its time limit. */
import { Worker } from 'node:worker_threads';
import { failure } from '../../declare/errors.ts';
import type { Step } from '../model.ts';
import type { Declarations } from './declarations.ts';
import type { Job, Reply } from './job.ts';

export interface ThreadLimits {
  readonly startMs: number;
  readonly jobMs: number;
  readonly memoryMb: number;
}
export interface Thread {
  readonly isAlive: boolean;
  /** Resolves when the declarations are indexed. */
  readonly ready: Promise<void>;
  run(job: Job): Promise<readonly Step[]>;
  /** Keeps the process from exiting until `release` is called. */
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

/** Node.js 20 cannot run TypeScript, so a process that runs from source uses the built worker. */
export const WORKER_FILE = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/src/assistant/offline/worker.js' : './worker.js',
  import.meta.url,
);

const tooSlow = () => failure('TIMEOUT', 'This question takes too long to understand. Please ask it in fewer words.');
const notStarted = () => failure('SERVICE_UNAVAILABLE', 'The assistant is still starting.');

export function openThread(file: URL, declarations: Declarations, { startMs, jobMs, memoryMb }: ThreadLimits): Thread {
  // The thread gets no environment variables, because they contain secrets, and no flags, because a thread refuses some flags.
  const worker = new Worker(file, {
    name: 'offline-model',
    workerData: declarations,
    env: {},
    argv: [],
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  let isAlive = true;
  let onReply: ((reply: Reply) => void) | undefined;
  worker.on('message', (reply: Reply) => onReply?.(reply));
  worker.on('messageerror', (error) => onReply?.({ error }));
  worker.on('error', (error) => end(error));
  worker.on('exit', () => end(new Error('The thread of the offline model ended')));
  function end(error: unknown): void {
    isAlive = false;
    onReply?.({ error });
  }
  const close = async (): Promise<void> => {
    isAlive = false;
    await worker.terminate();
  };

  function nextReply(ms: number, late: () => Error): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        onReply = undefined;
        reject(late());
        void close();
      }, ms).unref();
      onReply = (reply) => {
        onReply = undefined;
        clearTimeout(timer);
        if ('error' in reply) reject(reply.error as Error);
        else resolve(reply);
      };
    });
  }

  worker.unref();
  const ready = nextReply(startMs, notStarted).then(() => {});
  ready.catch(() => {});
  return {
    get isAlive() {
      return isAlive;
    },
    ready,
    async run(job) {
      if (!isAlive) throw new Error('The thread of the offline model ended');
      worker.postMessage(job);
      const reply = await nextReply(jobMs, tooSlow);
      return 'steps' in reply ? reply.steps : [];
    },
    hold: () => worker.ref(),
    release: () => worker.unref(),
    close,
  };
}
