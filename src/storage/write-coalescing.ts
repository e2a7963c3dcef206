import type { Writable } from 'node:stream';

/** What is asked in one turn of the event loop goes out in one write: a system call costs more than the question in it. */
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
