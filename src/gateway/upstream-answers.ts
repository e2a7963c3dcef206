/** Validates answers of remote servers against the called tool, as strictly as the input of callers. */
import { z } from 'zod';
import type { Answer } from '../declare/answer.ts';
import { answerOf, errorAnswer, pendingAnswer, resultOf } from '../derive/answers.ts';
import { isRetryable } from '../declare/errors.ts';
import { MAX_IDS, type Notice } from '../declare/resources.ts';
import type { Tool } from '../declare/tool.ts';

/** The error codes that any tool of a remote server may answer. Other codes must be declared by the tool. */
const EXPECTED: ReadonlySet<string> = new Set([
  'VALIDATION_ERROR',
  'INSUFFICIENT_PERMISSIONS',
  'SEPARATION_OF_DUTIES',
  'IDENTITY_NOT_LINKED',
  'USER_MISMATCH',
  'FIELD_HIDDEN',
  'TOO_MANY_GROUPS',
  'INVALID_CURSOR',
  'CONFIRMATION_NOT_FOUND',
  'CHANGED_SINCE_APPROVAL',
  'PAYLOAD_TOO_LARGE',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
  'DATABASE_ERROR',
  'SERVICE_UNAVAILABLE',
  'TIMEOUT',
]);

const NONE_SUCH: ReadonlySet<string> = new Set(['TOOL_NOT_FOUND', 'RESOURCE_NOT_FOUND', 'PROMPT_NOT_FOUND']);

/** An `act` can also answer pending_confirmation, because the gateway can require an approval (`approvalBecause`). */
const shapeOf = (tool: Tool, of: 'call' | 'execution'): z.ZodType => {
  if (of === 'execution') return resultOf(tool);
  return tool.kind === 'act' ? z.union([answerOf(tool), pendingAnswer]) : answerOf(tool);
};
const schemas = { call: new WeakMap<Tool, z.ZodType>(), execution: new WeakMap<Tool, z.ZodType>() };

/** Throws for an answer that this tool cannot give. Unknown members are removed. */
export function parseAnswer(text: string, tool: Tool | undefined, of: 'call' | 'execution'): Answer {
  const shape = tool ? (schemas[of].get(tool) ?? shapeOf(tool, of)) : errorAnswer;
  if (tool) schemas[of].set(tool, shape);
  const answer = shape.parse(JSON.parse(text)) as Answer;
  if (answer.status === 'pending_confirmation') {
    const { action, mcpServer } = answer.confirmationData;
    if (action !== tool?.name || mcpServer !== tool.domain.name) throw new Error('the card is of another tool');
  }
  if (answer.status !== 'error') return answer;
  const own = tool !== undefined && answer.code in tool.errors;
  if (!own && !EXPECTED.has(answer.code) && !(tool === undefined && NONE_SUCH.has(answer.code)))
    throw new Error('the tool cannot return this error code');
  // The gateway knows from the code whether a retry can help. The server knows whether work has begun.
  return { ...answer, retryable: answer.retryable && !own && isRetryable(answer.code) };
}

const notices = z.object({
  status: z.literal('success'),
  data: z.array(
    z.object({
      resource_uri: z.string(),
      tx_id: z.int(),
      change_type: z.enum(['upsert', 'delete']),
      changed_ids: z.array(z.string()).max(MAX_IDS),
    }),
  ),
});
export const parseNotices = (text: string): readonly Notice[] => notices.parse(JSON.parse(text)).data;
