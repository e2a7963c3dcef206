/** Reads request bodies: bounded in size and time, uncompressed, UTF-8 only. */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Failure, failure } from '../declare/errors.ts';
import { type JsonRules, parseJson } from './json.ts';

export interface BodyLimits {
  readonly bytes: number;
  readonly ms: number;
}

/** Whether a body has an encoding other than `identity` and `chunked`. Such bodies are refused, since no layer decodes them. */
export const isPacked = ({ 'content-encoding': encoding, 'transfer-encoding': transfer }: IncomingHttpHeaders): boolean =>
  (encoding !== undefined && encoding.toLowerCase() !== 'identity') || (transfer !== undefined && transfer.toLowerCase() !== 'chunked');
export const packed = () => failure('UNSUPPORTED_MEDIA_TYPE', 'Compressed bodies are not accepted.');
export const tooSlow = (ms: number) => failure('REQUEST_TIMEOUT', `The request was not complete within ${ms / 1000} seconds.`);

export const BODY_LIMITS: BodyLimits = { bytes: 256 * 1024, ms: 15_000 };

export const tooLarge = ({ bytes }: BodyLimits = BODY_LIMITS) =>
  failure('PAYLOAD_TOO_LARGE', `The body is larger than ${bytes / 1024} kB.`);

/** Rejects as soon as the body is known to be too large, compressed or too slow. */
export function readBody(req: IncomingMessage, limits: BodyLimits = BODY_LIMITS): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (isPacked(req.headers)) {
      reject(packed());
      return;
    }
    if (Number(req.headers['content-length'] ?? 0) > limits.bytes) {
      reject(tooLarge(limits));
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (settle: () => void) => {
      clearTimeout(deadline);
      req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onError);
      settle();
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limits.bytes) finish(() => reject(tooLarge(limits)));
      else chunks.push(chunk);
    };
    const onEnd = () => finish(() => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)));
    const onClose = () => finish(() => reject(failure('VALIDATION_ERROR', 'The connection closed before the body was complete.')));
    // The HTTP listener emits a Failure as `error` on the request when the body is too slow or malformed.
    const onError = (error: Error) =>
      finish(() => reject(error instanceof Failure ? error : failure('VALIDATION_ERROR', 'The request is malformed.')));
    const deadline = setTimeout(() => finish(() => reject(tooSlow(limits.ms))), limits.ms);
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onError);
    // A reset connection emits an error after close; without a listener it would end the process.
    req.on('error', () => undefined);
  });
}

/** Refuses invalid UTF-8: Node's own decoding would silently replace broken bytes by U+FFFD. */
export function decodeText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw failure('VALIDATION_ERROR', 'The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  if (text.charCodeAt(0) === 0xfeff) throw failure('VALIDATION_ERROR', 'The body begins with a byte order mark; remove it.');
  return text;
}

export async function readJson(req: IncomingMessage, rules: JsonRules, limits?: BodyLimits): Promise<unknown> {
  return parseJson(decodeText(await readBody(req, limits)), rules);
}
