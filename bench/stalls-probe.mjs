// Reports the longest event loop turns of the measured process over a Unix socket (loaded with `node --import`). A timer of 1 ms reads the
// clock and the CPU time of the main thread. It cannot fire during a turn, so the largest difference shows the longest turn. The clock
// includes waiting for a core; CPU time does not.
import { unlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const TICK_MS = 1;
const THREAD_CPU_CLOCK = 3;
/** A WebAssembly module with only a memory. WASI writes the time into it. */
const MEMORY_ONLY = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 5, 3, 1, 0, 1, 7, 10, 1, 6, 109, 101, 109, 111, 114, 121, 2, 0]);

const socket = process.env['BENCH_STALLS_PROBE'];
delete process.env['BENCH_STALLS_PROBE'];
delete process.env['NODE_OPTIONS'];
if (isMainThread && socket !== undefined) await start(socket);

/** The CPU time of the calling thread in ms. Node 20 reports only the sum of all threads, so this uses WASI. */
async function threadCpu() {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  const { WASI } = await import('node:wasi');
  const wasi = new WASI({ version: 'preview1' });
  process.emitWarning = emitWarning;
  const instance = new WebAssembly.Instance(new WebAssembly.Module(MEMORY_ONLY), {});
  wasi.initialize(instance);
  const view = new DataView(instance.exports.memory.buffer);
  const { clock_time_get: read } = wasi.wasiImport;
  return () => {
    read(THREAD_CPU_CLOCK, 1n, 0);
    return Number(view.getBigUint64(0, true)) / 1e6;
  };
}

async function start(path) {
  const cpu = await threadCpu();
  let worst = { cpuMs: 0, clockMs: 0, gcMs: 0 };
  let last = { cpu: cpu(), clock: performance.now() };
  const tick = () => {
    const now = { cpu: cpu(), clock: performance.now() };
    worst.cpuMs = Math.max(worst.cpuMs, now.cpu - last.cpu);
    worst.clockMs = Math.max(worst.clockMs, now.clock - last.clock - TICK_MS);
    last = now;
  };
  setInterval(tick, TICK_MS).unref();
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) worst.gcMs = Math.max(worst.gcMs, duration);
  }).observe({ entryTypes: ['gc'] });
  try {
    unlinkSync(path);
  } catch {}
  createServer((connection) => {
    // Each line asks for the longest turn since the line before.
    connection.on('data', () => {
      tick();
      connection.write(`${JSON.stringify(worst)}\n`);
      worst = { cpuMs: 0, clockMs: 0, gcMs: 0 };
    });
    connection.on('error', () => connection.destroy());
    connection.unref();
  })
    .listen(path)
    .unref();
}
