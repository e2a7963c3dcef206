/** Writes the HTTP responses of the MCP endpoint. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Failure } from '../../declare/errors.ts';
import { sendFailure } from '../request.ts';
import type { Exchange } from './exchange.ts';

export const METHODS = 'GET, POST, DELETE';

/** Longer strings are encoded to a buffer once. Shorter strings are cheaper to write as they are. */
const ENCODE_FROM = 4_096;

/** Sends a JSON response in pieces, because joining them would copy the prepared buffers. */
export function send(res: ServerResponse, { requestId }: Exchange, answer: readonly (string | Buffer)[]): void {
  const pieces = answer.map((piece) => (typeof piece === 'string' && piece.length > ENCODE_FROM ? Buffer.from(piece) : piece));
  let length = 0;
  for (const piece of pieces) length += Buffer.byteLength(piece);
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': length, 'x-request-id': requestId });
  const last = pieces.length - 1;
  for (let i = 0; i < last; i++) res.write(pieces[i]);
  res.end(pieces[last]);
}

/** Sends one body with the error answer for HTTP clients and the JSON-RPC error for MCP clients. */
export function refuse(
  res: ServerResponse,
  failed: Failure,
  { code, headers }: { readonly code: number; readonly headers: OutgoingHttpHeaders },
): void {
  const allow = failed.status === 405 && { allow: METHODS };
  const wait = typeof failed.details?.retryAfterSeconds === 'number' && { 'retry-after': String(failed.details.retryAfterSeconds) };
  sendFailure(res, failed, {
    headers: { ...headers, ...allow, ...wait },
    extra: { jsonrpc: '2.0', id: null, error: { code, message: failed.message } },
  });
}

/** Sends the exact message of the SDK, because clients start a new session when they read "Session not found". */
export function noSession(res: ServerResponse, { requestId }: Exchange): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' }, id: null });
  res.writeHead(404, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'x-request-id': requestId });
  res.end(body);
}
