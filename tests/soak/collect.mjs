// Loaded into the product before it starts: collects garbage when it is asked to, and says what is left. What a process holds on to can only be
// told from what it has not yet swept away after sweeping.
import { setFlagsFromString, writeHeapSnapshot } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Threads inherit what is loaded first, and have nobody to tell.
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
