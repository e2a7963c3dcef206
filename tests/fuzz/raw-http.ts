/** Raw HTTP client for fuzz tests: sends bytes on a socket and parses every response with its own parser. */
import net from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface RawExchange {
  /** Final responses, without 1xx. */
  readonly answers: readonly RawAnswer[];
  /** Bytes after the last complete response; empty unless the connection was cut. */
  readonly rest: string;
  /** Whether the server closed the connection before the client did. */
  readonly isClosedByServer: boolean;
}

const QUIET_MS = 1_200;
const LONGEST_MS = 40_000;

/**
 * Writes all bytes and reads until the server closes. After a silence the client half-closes; rejects if the server still does not close.
 */
export function exchange(port: number, bytes: Buffer, isHead: (nth: number) => boolean = () => false): Promise<RawExchange> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let ended = false;
    const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => void socket.write(bytes));
    const end = () => {
      ended = true;
      socket.end();
    };
    let quiet = setTimeout(end, QUIET_MS);
    const longest = setTimeout(() => {
      socket.destroy();
      reject(new Error('The server neither answered nor closed the connection.'));
    }, LONGEST_MS);
    socket.on('data', (part) => {
      parts.push(part);
      clearTimeout(quiet);
      quiet = setTimeout(end, QUIET_MS);
    });
    socket.on('end', () => socket.end());
    // A reset also closes the connection; responses before it count.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(quiet);
      clearTimeout(longest);
      resolve({ ...parsed(Buffer.concat(parts).toString('latin1'), isHead), isClosedByServer: !ended });
    });
  });
}

function parsed(text: string, isHead: (nth: number) => boolean): { answers: RawAnswer[]; rest: string } {
  const answers: RawAnswer[] = [];
  let rest = text;
  for (;;) {
    const head = /^HTTP\/1\.1 (\d{3})[^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(rest);
    if (head === null) return { answers, rest };
    const status = Number(head[1]);
    const headers = Object.fromEntries(
      (head[2] ?? '')
        .split('\r\n')
        .filter((line) => line !== '')
        .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const after = rest.slice(head[0].length);
    if (status < 200) {
      rest = after;
      continue;
    }
    const found = bodyIn(after, headers, isHead(answers.length) || status === 204 || status === 304);
    if (found === undefined) return { answers, rest };
    answers.push({ status, headers, body: found.body });
    rest = found.rest;
  }
}

function bodyIn(text: string, headers: Readonly<Record<string, string>>, isEmpty: boolean): { body: string; rest: string } | undefined {
  if (isEmpty) return { body: '', rest: text };
  const length = headers['content-length'];
  if (length !== undefined)
    return text.length < Number(length) ? undefined : { body: text.slice(0, Number(length)), rest: text.slice(Number(length)) };
  if (headers['transfer-encoding'] !== 'chunked') return { body: text, rest: '' };
  let body = '';
  for (let rest = text; ; ) {
    const size = /^([0-9a-f]+)\r\n/i.exec(rest);
    if (size === null) return undefined;
    const [from, bytes] = [size[0].length, Number.parseInt(size[1] ?? '', 16)];
    body += rest.slice(from, from + bytes);
    rest = rest.slice(from + bytes + 2);
    if (bytes === 0) return { body, rest };
  }
}
