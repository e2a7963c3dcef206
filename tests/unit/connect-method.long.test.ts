/** HTTP CONNECT detaches the connection from Node's HTTP server and its error listener: an error on it must not crash the process. */
import { Worker } from 'node:worker_threads';
import { afterEach, expect, it } from 'vitest';
import { type Listener, listen } from '../../src/server/listen.ts';
import { exchange } from '../raw-http.ts';

let listener: Listener | undefined;
const errors: Error[] = [];
const note = (error: Error) => errors.push(error);
afterEach(async () => {
  process.off('uncaughtException', note);
  await listener?.close();
});

/** Resets connections right after CONNECT. It runs in a worker thread, so that the reset comes while the server answers. */
const RESET = `
const { connect } = require('node:net');
const { parentPort, workerData: { port, times } } = require('node:worker_threads');
let left = times;
const next = () => {
  if (left-- <= 0) return parentPort.postMessage('done');
  const socket = connect(port, '127.0.0.1', () => {
    socket.write('CONNECT x HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n');
    setImmediate(() => socket.resetAndDestroy());
  });
  socket.on('error', () => {});
  socket.on('close', next);
};
for (let lane = 0; lane < 10; lane++) next();
`;

it('the process survives connections that are reset while it answers CONNECT', async () => {
  listener = await listen('gateway', { hosts: ['127.0.0.1'], port: 0 });
  process.on('uncaughtException', note);
  const worker = new Worker(RESET, { eval: true, workerData: { port: listener.port, times: 6_000 } });
  await new Promise((resolve) => worker.once('message', resolve));
  await worker.terminate();
  expect(errors).toEqual([]);
}, 60_000);

it('the answer to CONNECT does not replace the answer to an earlier request on the same connection', async () => {
  listener = await listen('gateway', { hosts: ['127.0.0.1'], port: 0 });
  listener.serve((_req, res) => setTimeout(() => res.end('the first'), 50));
  const head = ['GET / HTTP/1.1', 'Host: x', '', 'CONNECT x HTTP/1.1', 'Host: x', '', ''].join('\r\n');
  expect(await exchange(listener.port, (socket) => socket.write(head))).not.toContain('405');
});
