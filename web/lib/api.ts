/** The HTTP client for the gateway. A cookie identifies the user; the CSRF token proves that this page sent the request. */
import type { Answer, ErrorAnswer } from './contract.ts';

const root = document.getElementById('app');
export const csrf = root?.dataset['csrf'] ?? '';

/** An error answer of the server, or OFFLINE if no server answers. */
export class ApiError extends Error {
  readonly answer: ErrorAnswer;
  readonly requestId: string;
  constructor(answer: ErrorAnswer, requestId = '') {
    super(answer.message);
    this.answer = answer;
    this.requestId = requestId;
  }
}

export const OFFLINE = 'OFFLINE';
const unreachable = (): ApiError =>
  new ApiError({
    status: 'error',
    code: OFFLINE,
    message: 'Tamshai cannot be reached.',
    suggestedAction: 'Check the connection and try again.',
    retryable: true,
  });

type Listener = () => void;
const ended = new Set<Listener>();
/** The listener is called when the server answers 401. */
export const onSessionEnded = (listener: Listener): (() => void) => {
  ended.add(listener);
  return () => ended.delete(listener);
};
export const sessionEnded = (): void => {
  for (const listener of ended) listener();
};

export interface JsonResponse {
  readonly body: unknown;
  readonly requestId: string;
  readonly ms: number;
  readonly status: number;
}

export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  try {
    const answer = await fetch(path, {
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      ...init,
      headers: { accept: 'application/json', 'x-tamshai-csrf': csrf, ...init.headers },
    });
    if (answer.status === 401) sessionEnded();
    return answer;
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw unreachable();
  }
}

/** The gateway always answers with JSON. Any other answer comes from a proxy, and counts as offline. */
export async function fetchJson(path: string, init: RequestInit = {}): Promise<JsonResponse> {
  const started = performance.now();
  const answer = await send(path, init);
  const requestId = answer.headers.get('x-request-id') ?? '';
  try {
    return { body: await answer.json(), requestId, ms: Math.round(performance.now() - started), status: answer.status };
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw unreachable();
  }
}

const isError = (body: unknown): body is ErrorAnswer =>
  typeof body === 'object' && body !== null && 'status' in body && body.status === 'error';

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  const { body, requestId } = await fetchJson(path, signal ? { signal } : {});
  if (isError(body)) throw new ApiError(body, requestId);
  return (body as { data: T }).data;
}

export async function remove(path: string): Promise<void> {
  const { body, requestId } = await fetchJson(path, { method: 'DELETE' });
  if (isError(body)) throw new ApiError(body, requestId);
}

export interface CallResult {
  readonly answer: Answer;
  readonly requestId: string;
  readonly ms: number;
}

/** Returns an error answer of the tool and does not throw it. */
export async function call(
  server: string,
  tool: string,
  { input, signal }: { readonly input: object; readonly signal?: AbortSignal | undefined },
): Promise<CallResult> {
  const { body, requestId, ms } = await fetchJson(`/api/tools/${encodeURIComponent(server)}/${encodeURIComponent(tool)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input }),
    ...(signal && { signal }),
  });
  return { answer: body as Answer, requestId, ms };
}
