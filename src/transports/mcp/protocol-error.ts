/** Converts an error answer into the JSON-RPC error that an MCP client receives. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { ErrorAnswer } from '../../core/errors.ts';

/** The union is the error's data: a stable code, and whether trying again can help. */
export const refusal = (answer: ErrorAnswer): ProtocolError =>
  new ProtocolError(answer.retryable ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams, answer.message, answer);
