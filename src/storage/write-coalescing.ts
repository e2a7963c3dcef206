/** Write coalescing: one system call sends all data that one event loop turn writes to a stream. */
import type { Writable } from 'node:stream';

export function createWriteCoalescer(): (stream: Writable) => void {
  const held = new Set<Writable>();
  return (stream) => {
    if (held.has(stream)) return;
    held.add(stream);
    stream.cork();
    setImmediate(() => {
      held.delete(stream);
      stream.uncork();
    });
  };
}
