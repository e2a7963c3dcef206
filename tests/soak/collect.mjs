// Preloaded into the product by the soak test: runs the garbage collector on request and reports the heap that remains.
// Only memory that survives a collection shows a leak.
import { setFlagsFromString, writeHeapSnapshot } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Worker threads load this file too, but have no channel to report on.
if (process.channel) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  process.on('message', ({ snapshot }) => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    if (snapshot) writeHeapSnapshot(snapshot);
    process.send({ heapUsed, external });
  });
  process.channel.unref();
}
