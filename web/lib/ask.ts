/** Sends a question and yields the server-sent events of the answer. */
import { OFFLINE, ApiError, send } from './api.ts';
import type { AssistantEvent, ErrorAnswer } from './contract.ts';

/** The error for a stream without `[DONE]` and for an answer that is not JSON. */
const broken = () =>
  new ApiError({ status: 'error', code: OFFLINE, message: 'The answer was interrupted.', suggestedAction: '', retryable: true });

/** Yields the value of each `data:` line. A line may be split over several chunks. */
export async function* lines(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += value;
      const parts = rest.split(/\r?\n/);
      rest = parts.pop() ?? '';
      for (const line of parts) if (line.startsWith('data:')) yield line.slice(5).trimStart();
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

export async function* ask(query: string, conversationId: string | undefined, signal: AbortSignal): AsyncGenerator<AssistantEvent> {
  const answer = await send('/api/query', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query, ...(conversationId !== undefined && { conversationId }) }),
    signal,
  }).catch((error: unknown) => {
    if (signal.aborted) return undefined;
    throw error;
  });
  if (!answer) return;
  if (!answer.ok || !answer.body)
    throw new ApiError((await answer.json().catch(() => broken().answer)) as ErrorAnswer, answer.headers.get('x-request-id') ?? '');
  let finished = false;
  try {
    for await (const line of lines(answer.body)) {
      if (line === '[DONE]') {
        finished = true;
        return;
      }
      yield JSON.parse(line) as AssistantEvent;
    }
  } catch (error) {
    if (signal.aborted) return;
    throw error instanceof ApiError ? error : broken();
  }
  if (!finished && !signal.aborted) throw broken();
}
