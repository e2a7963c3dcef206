/** Sends HTTP requests byte by byte, for malformed requests that no client would send. */
import { connect, type Socket } from 'node:net';

export interface RawReply {
  readonly status: number;
  readonly head: string;
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  readonly body: { readonly status?: string; readonly code?: string; readonly message?: string } | undefined;
}

export interface RawRequest {
  readonly port: number;
  readonly path: string;
  readonly method?: string;
  /** The header lines exactly as sent. Host and Content-Length are not added. */
  readonly lines: readonly string[];
  readonly body?: string;
}

/** Sends the bytes and reads until the server closes the connection. */
export function exchange(port: number, write: (socket: Socket) => void): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => write(socket));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      // The server keeps the connection of an event stream open, even if the request says Connection: close.
      if (text.endsWith('\r\n0\r\n\r\n')) socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

export function replyIn(text: string): RawReply {
  const end = text.indexOf('\r\n\r\n');
  const head = end < 0 ? text : text.slice(0, end);
  const rest = end < 0 ? '' : text.slice(end + 4);
  let body: RawReply['body'];
  try {
    body = JSON.parse(rest) as RawReply['body'];
  } catch {
    body = undefined;
  }
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, text: rest, body };
}

export const sendRaw = async ({ port, path, method = 'POST', lines, body = '' }: RawRequest): Promise<RawReply> =>
  replyIn(await exchange(port, (socket) => socket.write([`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n'))));
