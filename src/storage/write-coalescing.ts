/** Write coalescing: all data that a turn of the event loop writes to a stream goes out in one system call. */
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
