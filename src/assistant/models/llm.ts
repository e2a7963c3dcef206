/** A model of words behind an address: Claude, or anything that speaks as OpenAI does. Their wire formats are the provider packages' to know. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, type LanguageModelV3, type LanguageModelV3Message, type LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { failure } from '../../core/errors.ts';
import type { Logger } from '../../core/ports.ts';
import { described, FIND_TOOLS } from '../toolbox.ts';
import type { Model, Said, Step, ToolCall, Turn } from '../model.ts';

export type WordModelSettings =
  | { readonly kind: 'anthropic'; readonly apiKey: string; readonly model: string; readonly baseUrl: string | undefined }
  | { readonly kind: 'openai'; readonly apiKey: string | undefined; readonly model: string; readonly baseUrl: string };

const MOST_TRIES = 3;
const LONGEST_WAIT_MS = 20_000;
const MOST_OUTPUT_TOKENS = 4_096;
/** No answer that the loop would take comes near it. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Nor does anything that a tool would take. */
const LONGEST_INPUT = 256 * 1024;
/** Too many questions, or too much work, at this moment. */
const BUSY = new Set([429, 503, 529]);

export function wordModel(settings: WordModelSettings, log: Logger): Model {
  const fetch = guarded(globalThis.fetch);
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
  return { name: settings.model, answer: (turn, signal) => answer(model, turn, signal, log) };
}

async function* answer(model: LanguageModelV3, turn: Turn, signal: AbortSignal, log: Logger): AsyncGenerator<Step> {
  const reader = (await begin(model, turn, signal, log)).getReader();
  try {
    for (;;) {
      const { done, value: part } = await reader.read().catch((error: unknown) => trouble(error, log));
      if (done) return;
      if (part.type === 'error') trouble(part.error, log);
      yield* stepsOf(part);
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function* stepsOf(part: LanguageModelV3StreamPart): Generator<Step> {
  if (part.type === 'text-delta') yield { type: 'text', text: part.delta };
  else if (part.type === 'tool-call')
    yield { type: 'call', call: { id: part.toolCallId.slice(0, 100), name: part.toolName, input: inputIn(part.input) } };
  else if (part.type === 'finish')
    yield { type: 'used', inputTokens: part.usage.inputTokens.total ?? 0, outputTokens: part.usage.outputTokens.total ?? 0 };
}

/** What is no object, or cannot be written down again, becomes none: the tool then says what it needs. */
function inputIn(text: string): ToolCall['input'] {
  if (text.length > LONGEST_INPUT) return {};
  try {
    const input: unknown = JSON.parse(text);
    JSON.stringify(input);
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as ToolCall['input']) : {};
  } catch {
    return {};
  }
}

/** Tried again where the endpoint is busy; once words have come, never: they would come twice. */
async function begin(
  model: LanguageModelV3,
  turn: Turn,
  signal: AbortSignal,
  log: Logger,
): Promise<ReadableStream<LanguageModelV3StreamPart>> {
  const offered = [...turn.tools.map(described), ...(turn.tools.length < turn.every.length || turn.tools.length === 0 ? [FIND_TOOLS] : [])];
  const options = {
    prompt: promptOf(turn),
    tools: offered.map(({ name, description, inputSchema }) => ({ type: 'function' as const, name, description, inputSchema })),
    maxOutputTokens: MOST_OUTPUT_TOKENS,
    abortSignal: signal,
  };
  for (let attempt = 1; ; attempt++) {
    try {
      return (await model.doStream(options)).stream;
    } catch (error) {
      if (signal.aborted || attempt >= MOST_TRIES || !(error instanceof APICallError) || !BUSY.has(error.statusCode ?? 0))
        trouble(error, log);
      else await wait(delayOf(error, attempt), signal);
    }
  }
}

function delayOf({ responseHeaders }: APICallError, attempt: number): number {
  const told = Number(responseHeaders?.['retry-after']) * 1000;
  return Math.min(Number.isFinite(told) && told >= 0 ? told : 500 * 2 ** attempt, LONGEST_WAIT_MS);
}

const wait = (ms: number, signal: AbortSignal) =>
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

/** In our words: what an endpoint says may hold its key, its address, or the question. */
function trouble(error: unknown, log: Logger): never {
  const status = error instanceof APICallError ? error.statusCode : undefined;
  log.warn({ error: error instanceof Error ? error.name : typeof error, status }, 'the model does not answer');
  if (status === 429 || status === 529) throw failure('SERVICE_UNAVAILABLE', 'The assistant has too much to do at the moment.');
  if (status === 401 || status === 403)
    throw failure('SERVICE_UNAVAILABLE', 'The assistant is not let in to its model. Whoever runs Tamshai has to look at the key.');
  throw failure('SERVICE_UNAVAILABLE', "The assistant's model does not answer.");
}

function promptOf({ instructions, said }: Turn): LanguageModelV3Message[] {
  const messages: LanguageModelV3Message[] = [{ role: 'system', content: instructions }];
  for (const each of said) {
    const last = messages.at(-1);
    const message = messageOf(each);
    // All answers to one turn stand together, and nothing empty may stand anywhere.
    if (message.role === 'tool' && last?.role === 'tool') last.content.push(...message.content);
    else if (message.content.length > 0) messages.push(message);
  }
  return messages;
}

function messageOf(said: Said): LanguageModelV3Message {
  if (said.by === 'person') return { role: 'user', content: [{ type: 'text', text: said.text }] };
  if (said.by === 'tool')
    return {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: said.call.id, toolName: said.call.name, output: { type: 'text', value: said.shown } }],
    };
  return {
    role: 'assistant',
    content: [
      ...(said.text.trim() === '' ? [] : [{ type: 'text' as const, text: said.text }]),
      ...said.calls.map(({ id, name, input }) => ({ type: 'tool-call' as const, toolCallId: id, toolName: name, input })),
    ],
  };
}

/** A key goes to the address that was set, and nowhere else; and nobody is made to read without end. */
const guarded =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'error' });
    if (!response.body) return response;
    let bytes = 0;
    const counted = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          if (bytes > MOST_BYTES) controller.error(new Error('too large'));
          else controller.enqueue(chunk);
        },
      }),
    );
    return new Response(counted, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
