// A worker thread that fails in the way that the question names. Other questions are answered with the number of jobs so far
// and the question.
import { parentPort } from 'node:worker_threads';

let jobs = 0;
const failures = {
  throw: () => {
    throw new Error('thrown in the thread');
  },
  exit: () => process.exit(3),
  memory: () => {
    const kept = [];
    for (;;) kept.push(Array.from({ length: 100_000 }, () => kept.length));
  },
  forever: () => {
    for (;;);
  },
  slow: () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500),
};

parentPort.on('message', ({ rounds }) => {
  jobs += 1;
  const text = rounds.at(-1).text;
  failures[text]?.();
  parentPort.postMessage({ steps: [{ type: 'text', text: `${jobs} ${text}` }] });
});
parentPort.postMessage({ ready: true });
