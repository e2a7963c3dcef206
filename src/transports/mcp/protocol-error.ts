/** Converts an error answer into the JSON-RPC error that an MCP client receives. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ErrorAnswer } from '../../declare/errors.ts';

/** The `data` of the error is the whole error answer. */
export const refusal = (answer: ErrorAnswer): ProtocolError =>
  new ProtocolError(answer.retryable ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams, answer.message, answer);
