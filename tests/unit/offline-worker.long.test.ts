/** The worker thread of the offline model: fair scheduling, failures of the thread, aborts, and no traces of past questions. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text as readAll } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import { readDeclarations } from '../../src/assistant/offline/declarations.ts';
import { createFairQueue } from '../../src/assistant/offline/fair-queue.ts';
import type { Job, Reply } from '../../src/assistant/offline/job.ts';
import { WORKER_FILE } from '../../src/assistant/offline/thread.ts';
import { createWorkerQueue, type QueueLimits, type WorkerQueue } from '../../src/assistant/offline/worker-queue.ts';
import { toys } from './offline-toy.ts';
import { rolesIn } from '../registry.ts';

const FAULTY = new URL('./offline-faulty-worker.mjs', import.meta.url);
const asker: Job['asker'] = {
  realm: 'staff',
  username: 'nina.patel',
  name: 'Nina Patel',
  email: 'nina.patel@tamshai.example',
  employeeId: undefined,
  roles: rolesIn('staff', ['employee', 'manager']),
};
const jobOf = (text: string): Job => ({
  asker,
  today: '2026-11-16',
  rounds: [{ text, calls: [] }],
  offered: ['zoo_list_animals', 'zoo_feed_animal'],
});

let queue: WorkerQueue;
afterEach(() => queue?.close());
const open = (limits: Partial<QueueLimits> = {}, file = FAULTY) => (queue = createWorkerQueue({ registry: toys, limits, file }));
const ask = async (text: string, principal = 'nina', signal = new AbortController().signal): Promise<string> =>
  (await queue.run({ principal, job: jobOf(text), signal })).map((step) => (step.type === 'text' ? step.text : '')).join('');

describe('scheduling', () => {
  test('a person with one question does not wait for all questions of another person', async () => {
    open();
    const order: string[] = [];
    const flood = Array.from({ length: 20 }, async (_, n) => order.push(await ask(`flood ${n}`, 'marcus')));
    const one = ask('one', 'nina').then((answer) => order.push(answer));
    await Promise.all([...flood, one]);
    // The thread is already answering the first question when the other person asks.
    expect(order.slice(0, 3)).toEqual(['1 flood 0', '2 one', '3 flood 1']);
    expect(order).toHaveLength(21);
  });

  test('people take turns, each with their own questions in order', () => {
    const turns = createFairQueue<string>();
    for (const item of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) turns.add(item.charAt(0), item);
    expect(turns.take()).toBe('a1');
    turns.add('d', 'd1');
    turns.remove('b', 'b2');
    expect(Array.from({ length: 6 }, () => turns.take())).toEqual(['b1', 'c1', 'a2', 'd1', 'a3', undefined]);
    expect(turns.size).toBe(0);
  });

  test('questions beyond the limit are refused with the time to retry', async () => {
    open({ waitingPerPerson: 2, waitingInAll: 3 });
    const waiting = [ask('1'), ask('2'), ask('3')];
    await expect(ask('4')).rejects.toMatchObject({ code: 'RATE_LIMITED', details: { retryAfterSeconds: 5 } });
    waiting.push(ask('5', 'marcus'));
    await expect(ask('6', 'frank')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(await Promise.all(waiting)).toHaveLength(4);
  });
});

describe('a thread that fails', () => {
  test.each(['throw', 'exit', 'memory'])('by "%s" makes only its current question fail, and the next one is answered', async (how) => {
    open({ memoryMb: 16 });
    expect(await ask('before')).toBe('1 before');
    const [failed, after] = await Promise.allSettled([ask(how), ask('after')]);
    expect(failed.status).toBe('rejected');
    expect(after).toEqual({ status: 'fulfilled', value: '1 after' });
  });

  test('by a timeout makes its question fail with one sentence, and the next one is answered', async () => {
    open({ jobMs: 3_000 });
    const [failed, after] = await Promise.allSettled([ask('forever'), ask('after')]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { code: 'TIMEOUT', message: expect.stringContaining('fewer words') } });
    expect(after).toEqual({ status: 'fulfilled', value: '1 after' });
  });

  test('to load makes each question fail', async () => {
    open({}, new URL('no-such-worker.mjs', import.meta.url));
    for (const text of ['one', 'two']) await expect(ask(text)).rejects.toThrow('no-such-worker');
  });
});

describe('an abandoned question', () => {
  test('that still waits is never given to the thread', async () => {
    open();
    const gone = new AbortController();
    const first = ask('first');
    const left = ask('left', 'marcus', gone.signal);
    gone.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(await first).toBe('1 first');
    expect(await ask('next')).toBe('2 next');
  });

  test('that is being answered ends at once, and its answer is dropped', async () => {
    open();
    await ask('start');
    const gone = new AbortController();
    const slow = ask('slow', 'marcus', gone.signal);
    const next = ask('next');
    setImmediate(() => gone.abort(new Error('gone')));
    await expect(slow).rejects.toThrow('gone');
    expect(await next).toBe('3 next');
  });

  test('is refused when the product stops', async () => {
    open();
    const waiting = [ask('one'), ask('two')];
    const settled = Promise.allSettled(waiting);
    await queue.close();
    for (const each of await settled) expect(each).toMatchObject({ status: 'rejected', reason: { code: 'SERVICE_UNAVAILABLE' } });
    await expect(ask('three')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});

describe('a past question', () => {
  test('does not affect the next question of anyone', async () => {
    open({}, WORKER_FILE);
    const followUps = ['and the ones asleep?', 'show more', 'yes, go ahead', 'feed it with food hay'];
    const before: string[] = [];
    for (const text of followUps) before.push(await ask(text));
    await ask('which animals are awake?', 'marcus');
    const after: string[] = [];
    for (const text of followUps) after.push(await ask(text));
    expect(after).toEqual(before);
  });

  test('leaves no text in the memory of the thread', async () => {
    const reading = readDeclarations(toys, new Map());
    let step = reading.next();
    while (!step.done) step = reading.next();
    const worker = new Worker(WORKER_FILE, { workerData: step.value, execArgv: [] });
    try {
      await once(worker, 'message');
      const give = async (text: string): Promise<Reply> => {
        worker.postMessage(jobOf(text));
        return ((await once(worker, 'message')) as [Reply])[0];
      };
      // The word is joined from two parts, so that no source text contains it.
      const secret = ['xylo', 'phonist'].join('');
      await give(`please feed ${secret} Quincey "${secret}" with food ${secret}s for $30 on 2026-11-20`);
      // V8 keeps the last text that a regular expression searched, so other questions follow.
      for (const text of ['which animals are asleep?', 'feed Bruno with food honey']) await give(text);
      const heap = await readAll(await worker.getHeapSnapshot());
      // Compares flags, because a failed comparison of the heap would print it.
      expect({ tool: heap.includes('zoo_list_animals'), secret: heap.includes(secret) }).toEqual({ tool: true, secret: false });
    } finally {
      await worker.terminate();
    }
  });
});

test('an idle thread does not prevent the process from exiting', async () => {
  const script = `
    import { createOfflineModel } from ${JSON.stringify(new URL('index.js', WORKER_FILE).href)};
    import { builtIn } from ${JSON.stringify(new URL('../../cli/registry.js', WORKER_FILE).href)};
    import { readPhrases } from ${JSON.stringify(new URL('../../server/phrases.js', WORKER_FILE).href)};
    const model = createOfflineModel(builtIn, { phrases: readPhrases(builtIn) });
    const person = { principal: 'p', realm: 'staff', username: 'u', name: 'U', email: 'u@x.example', roles: new Set(['employee']) };
    const messages = [{ by: 'person', text: 'hello' }];
    const turn = { person, now: new Date(), instructions: '', messages, tools: [], allTools: [] };
    for await (const step of model.answer(turn, new AbortController().signal)) if (step.type === 'text') process.stdout.write(step.text);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said, [code]] = await Promise.all([readAll(child.stdout), once(child, 'exit')]);
  expect(code).toBe(0);
  expect(said).toContain('You can ask me');
});
