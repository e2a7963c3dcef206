/** The LLM client: Claude, or any OpenAI-compatible endpoint. The provider packages implement the wire formats. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, type LanguageModelV3, type LanguageModelV3Message, type LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { failure } from '../../declare/errors.ts';
import type { Logger } from '../../engine/ports.ts';
import { promptTool, FIND_TOOLS } from '../toolbox.ts';
import type { Model, Message, Step, ToolCall, Turn } from '../model.ts';

export type LlmSettings =
  | { readonly kind: 'anthropic'; readonly apiKey: string; readonly model: string; readonly baseUrl: string | undefined }
  | { readonly kind: 'openai'; readonly apiKey: string | undefined; readonly model: string; readonly baseUrl: string };

const MAX_ATTEMPTS = 3;
const MAX_DELAY_MS = 20_000;
const MAX_OUTPUT_TOKENS = 4_096;
/** Far above any answer that the loop accepts. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
/** Far above any input that a tool accepts. */
const MAX_INPUT_CHARACTERS = 256 * 1024;
/** Status codes of a rate limit or an overload. */
const RETRYABLE_STATUS = new Set([429, 503, 529]);

export function createLlm(settings: LlmSettings, log: Logger): Model {
  const fetch = boundedFetch(globalThis.fetch);
  const model: LanguageModelV3 =
    settings.kind === 'anthropic'
      ? createAnthropic({
          apiKey: settings.apiKey,
          fetch,
          ...(settings.baseUrl !== undefined && { baseURL: settings.baseUrl }),
        }).languageModel(settings.model)
      : createOpenAICompatible({
          name: 'llm',
          baseURL: settings.baseUrl,
          fetch,
          includeUsage: true,
          ...(settings.apiKey !== undefined && { apiKey: settings.apiKey }),
        }).languageModel(settings.model);
  return { name: settings.model, answer: (turn, signal) => answer(model, turn, { signal, log }) };
}

async function* answer(model: LanguageModelV3, turn: Turn, { signal, log }: { signal: AbortSignal; log: Logger }): AsyncGenerator<Step> {
  const reader = (await openStream(model, turn, { signal, log })).getReader();
  try {
    for (;;) {
      const { done, value: part } = await reader.read().catch((error: unknown) => throwUnavailable(error, log));
      if (done) return;
      if (part.type === 'error') throwUnavailable(part.error, log);
      yield* stepsOf(part);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function* stepsOf(part: LanguageModelV3StreamPart): Generator<Step> {
  if (part.type === 'text-delta') yield { type: 'text', text: part.delta };
  else if (part.type === 'tool-call')
    yield { type: 'call', call: { id: part.toolCallId.slice(0, 100), name: part.toolName, input: parseInput(part.input) } };
  else if (part.type === 'finish')
    yield { type: 'used', inputTokens: part.usage.inputTokens.total ?? 0, outputTokens: part.usage.outputTokens.total ?? 0 };
}

/** Input that is not a JSON object becomes an empty object. The tool's validation error then tells the LLM which fields are required. */
function parseInput(text: string): ToolCall['input'] {
  if (text.length > MAX_INPUT_CHARACTERS) return {};
  try {
    const input: unknown = JSON.parse(text);
    JSON.stringify(input);
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as ToolCall['input']) : {};
  } catch {
    return {};
  }
}

/** Retries only before the stream starts, because a later retry would repeat text. */
async function openStream(
  model: LanguageModelV3,
  turn: Turn,
  { signal, log }: { signal: AbortSignal; log: Logger },
): Promise<ReadableStream<LanguageModelV3StreamPart>> {
  const offered = [
    ...turn.tools.map(promptTool),
    ...(turn.tools.length < turn.allTools.length || turn.tools.length === 0 ? [FIND_TOOLS] : []),
  ];
  const options = {
    prompt: promptOf(turn),
    tools: offered.map(({ name, description, inputSchema }) => ({ type: 'function' as const, name, description, inputSchema })),
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    abortSignal: signal,
  };
  for (let attempt = 1; ; attempt++) {
    try {
      return (await model.doStream(options)).stream;
    } catch (error) {
      if (signal.aborted || attempt >= MAX_ATTEMPTS || !(error instanceof APICallError) || !RETRYABLE_STATUS.has(error.statusCode ?? 0))
        throwUnavailable(error, log);
      else await delay(delayOf(error, attempt), signal);
    }
  }
}

function delayOf({ responseHeaders }: APICallError, attempt: number): number {
  const retryAfter = Number(responseHeaders?.['retry-after']) * 1000;
  return Math.min(Number.isFinite(retryAfter) && retryAfter >= 0 ? retryAfter : 500 * 2 ** attempt, MAX_DELAY_MS);
}

const delay = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });

/** Never passes on the endpoint's own message, which may contain the API key, the address or the question. */
function throwUnavailable(error: unknown, log: Logger): never {
  const status = error instanceof APICallError ? error.statusCode : undefined;
  log.warn({ error: error instanceof Error ? error.name : typeof error, status }, 'the LLM does not answer');
  if (status === 429 || status === 529) throw failure('SERVICE_UNAVAILABLE', "The assistant's LLM is overloaded at the moment.");
  if (status === 401 || status === 403)
    throw failure('SERVICE_UNAVAILABLE', "The assistant's LLM refuses the API key. The operator has to check it.");
  throw failure('SERVICE_UNAVAILABLE', "The assistant's LLM does not answer.");
}

function promptOf({ instructions, messages }: Turn): LanguageModelV3Message[] {
  const prompt: LanguageModelV3Message[] = [{ role: 'system', content: instructions }];
  for (const each of messages) {
    const last = prompt.at(-1);
    const message = messageOf(each);
    // Providers expect all tool results of a turn in one message, and refuse empty messages.
    if (message.role === 'tool' && last?.role === 'tool') last.content.push(...message.content);
    else if (message.content.length > 0) prompt.push(message);
  }
  return prompt;
}

function messageOf(message: Message): LanguageModelV3Message {
  if (message.by === 'person') return { role: 'user', content: [{ type: 'text', text: message.text }] };
  if (message.by === 'tool')
    return {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: message.call.id,
          toolName: message.call.name,
          output: { type: 'text', value: message.promptText },
        },
      ],
    };
  return {
    role: 'assistant',
    content: [
      ...(message.text.trim() === '' ? [] : [{ type: 'text' as const, text: message.text }]),
      ...message.calls.map(({ id, name, input }) => ({ type: 'tool-call' as const, toolCallId: id, toolName: name, input })),
    ],
  };
}

/** Refuses redirects, so that the API key goes to the configured address only, and limits the response size. */
const boundedFetch =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'error' });
    if (!response.body) return response;
    let bytes = 0;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          if (bytes > MAX_RESPONSE_BYTES) controller.error(new Error('too large'));
          else controller.enqueue(chunk);
        },
      }),
    );
    return new Response(counted, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
