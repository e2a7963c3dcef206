import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { failure } from '../core/errors.ts';
import { type JsonRules, parseJson } from './json.ts';

export interface BodyLimits {
  readonly bytes: number;
  readonly ms: number;
}

export const BODY_LIMITS: BodyLimits = { bytes: 256 * 1024, ms: 15_000 };

export const tooLarge = ({ bytes }: BodyLimits = BODY_LIMITS) => failure('PAYLOAD_TOO_LARGE', `The body is larger than ${bytes / 1024} kB.`);

/** The whole body, or a failure as soon as it is known to be too large, packed, or too slow. */
export function readBody(req: IncomingMessage, limits: BodyLimits = BODY_LIMITS): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const encoding = req.headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      reject(failure('UNSUPPORTED_MEDIA_TYPE', 'Compressed bodies are not accepted.'));
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
      req.off('data', onData).off('end', onEnd).off('close', onClose);
      settle();
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limits.bytes) finish(() => reject(tooLarge(limits)));
      else chunks.push(chunk);
    };
    const onEnd = () => finish(() => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)));
    const onClose = () => finish(() => reject(failure('VALIDATION_ERROR', 'The connection closed before the body was complete.')));
    const deadline = setTimeout(() => finish(() => reject(failure('TIMEOUT', 'The body did not arrive in time.'))), limits.ms);
    req.on('data', onData).on('end', onEnd).on('close', onClose);
    // A reset connection also closes; without a listener its error would end the process.
    req.on('error', () => undefined);
  });
}

/** UTF-8 or nothing: Node's own decoding would quietly put U+FFFD in place of broken bytes. */
export function decodeText(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw failure('VALIDATION_ERROR', 'The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  if (text.charCodeAt(0) === 0xfeff) throw failure('VALIDATION_ERROR', 'The body begins with a byte order mark; leave it out.');
  return text;
}

export async function readJson(req: IncomingMessage, rules: JsonRules, limits?: BodyLimits): Promise<unknown> {
  return parseJson(decodeText(await readBody(req, limits)), rules);
}
