/** Event streams: heartbeats while idle, and disconnection of clients that do not read. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { openEventStream } from '../../src/transports/sse.ts';

const opened: { server?: Server; socket?: Socket } = {};
afterEach(() => {
  opened.socket?.destroy();
  opened.server?.closeAllConnections();
  opened.server?.close();
});

/** Starts a server that answers with `serve`, and sends it one request. */
async function answering(serve: (res: ServerResponse) => void): Promise<Socket> {
  const server = createServer((_req, res) => serve(res));
  opened.server = server;
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  opened.socket = socket;
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  return socket;
}
const until = (socket: Socket, wanted: RegExp): Promise<string> =>
  new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (wanted.test(text)) resolve(text);
    });
  });

test('an idle stream gets a comment every 15 seconds, and none after its end', async () => {
  const beats: { every: number; beat: () => void; stopped: boolean }[] = [];
  const every = (beat: () => void, ms: number) => {
    const one = { every: ms, beat, stopped: false };
    beats.push(one);
    return () => void (one.stopped = true);
  };
  let stream: ReturnType<typeof openEventStream> | undefined;
  const socket = await answering((res) => {
    stream = openEventStream(res, {}, { every });
    beats[0]?.beat();
    stream.send({ type: 'text', text: 'a\n\ndata: b' });
    stream.done();
  });
  const text = await until(socket, /\[DONE\]/);
  expect(beats.map(({ every: ms }) => ms)).toEqual([15_000]);
  expect(text).toContain(': still here\n\n');
  expect(text.indexOf(': still here')).toBeLessThan(text.indexOf('data: {"type":"text","text":"a\\n\\ndata: b"}\n\n'));
  expect(beats[0]?.stopped).toBe(true);
});

test('a client that does not read is disconnected at the buffer limit, and its work is aborted', async () => {
  let aborted: Promise<void> | undefined;
  let sent = 0;
  const socket = await answering((res) => {
    const stream = openEventStream(res, {}, { maxBuffered: 64 * 1024 });
    aborted = new Promise((resolve) => stream.signal.addEventListener('abort', () => resolve(), { once: true }));
    const pump = () => {
      if (stream.signal.aborted || sent > 10_000) return;
      for (let at = 0; at < 20; at += 1) stream.send({ type: 'text', text: 'x'.repeat(4_000) });
      sent += 20;
      setImmediate(pump);
    };
    pump();
  });
  socket.pause();
  await new Promise<void>((resolve) => {
    const look = () => (aborted ? resolve() : setImmediate(look));
    look();
  });
  await aborted;
  // The operating system buffers some data too. If there were no limit, all forty megabytes would be sent.
  expect(sent).toBeLessThan(10_000);
});
