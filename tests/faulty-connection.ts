/** A TCP proxy between the product and a server that can cut connections or go silent. */
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

type Mode = 'pass' | 'silent' | 'cut' | 'lost' | { readonly deafTo: string; readonly then: 'pass' | 'cut' };

export interface FaultyConnection {
  readonly port: number;
  /**
   * pass: forwards everything. silent: keeps connections open and forwards nothing. cut: closes connections and refuses new ones.
   * lost: open connections forward nothing more, but new ones work. deafTo: forwards the next request with the text, and drops its answer.
   */
  set(mode: Mode): void;
  close(): Promise<void>;
}

export async function openFaultyConnection(to: { readonly host: string; readonly port: number }): Promise<FaultyConnection> {
  let mode: Mode = 'pass';
  const open = new Set<Socket>();
  const lost = new WeakSet<Socket>();
  const server = createServer((near) => {
    if (mode === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(to.port, to.host);
    for (const [from, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('data', (chunk: Buffer) => {
        const deaf = typeof mode === 'object' && from === near && chunk.includes(mode.deafTo) ? mode : undefined;
        if (deaf)
          far.removeAllListeners('data').once('data', () => {
            mode = deaf.then;
            far.destroy();
          });
        if ((mode === 'pass' || typeof mode === 'object') && !lost.has(from)) other.write(chunk);
      });
      from.on('error', () => {});
      from.on('close', () => {
        open.delete(from);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    set(next) {
      mode = next === 'lost' ? 'pass' : next;
      if (next === 'lost') for (const socket of open) lost.add(socket);
      if (next === 'cut') for (const socket of open) socket.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
