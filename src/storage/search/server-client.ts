/** The HTTP client for Elasticsearch and OpenSearch. It translates driver errors to failures. */
import { Client, errors } from '@opensearch-project/opensearch';
import { Failure, failure } from '../../declare/errors.ts';

export interface Reply {
  readonly status: number;
  /** Not validated. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly header: (name: string) => string | undefined;
}
export interface SearchClient {
  /** `also` lists the error statuses that the caller handles. All others throw. */
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, also?: readonly number[]): Promise<Reply>;
  bulk(path: string, lines: readonly unknown[]): Promise<Reply>;
  /** A client with a longer timeout, for start-up and loading. */
  patient(): SearchClient;
  close(): Promise<void>;
}

const OPERATION_MS = 5_000;
const PATIENT_MS = 60_000;
const SOCKETS = 16;
/** The most requests at one time. Further ones would time out in the queue, so they are refused. */
const MOST_AT_ONCE = 256;

function toFailure(error: unknown): Error {
  if (error instanceof Failure) return error;
  if (error instanceof errors.TimeoutError) return failure('TIMEOUT', 'The search server took too long.');
  if (error instanceof errors.ResponseError) {
    const { statusCode } = error;
    if (statusCode === 401 || statusCode === 403) return failure('SERVICE_UNAVAILABLE', 'The search server does not accept our login.');
    if (statusCode === 429 || (statusCode ?? 500) >= 500) return failure('SERVICE_UNAVAILABLE', 'The search server cannot answer now.');
    return Object.assign(new Error(`the search server answered ${statusCode}`), { code: `HTTP_${statusCode}` });
  }
  if (error instanceof errors.OpenSearchClientError) return failure('SERVICE_UNAVAILABLE', 'The search server does not answer.');
  return error instanceof Error ? error : new Error('unknown');
}

export function createSearchClient(url: string): SearchClient {
  const client = new Client({ node: url, requestTimeout: OPERATION_MS, maxRetries: 0, agent: { keepAlive: true, maxSockets: SOCKETS } });
  let running = 0;
  const send = async (request: Parameters<Client['transport']['request']>[0], also: readonly number[], timeout: number): Promise<Reply> => {
    if (running >= MOST_AT_ONCE) throw failure('SERVICE_UNAVAILABLE', 'There are too many requests to the search server at once.');
    running++;
    try {
      const reply = await client.transport.request(request, { requestTimeout: timeout, maxRetries: 0, ignore: [...also] });
      const body: unknown = reply.body;
      return {
        status: reply.statusCode ?? 0,
        body: typeof body === 'object' && body !== null ? (body as Reply['body']) : {},
        header: (name) => (reply.headers as Record<string, string> | null)?.[name],
      };
    } catch (error) {
      throw toFailure(error);
    } finally {
      running--;
    }
  };
  const within = (ms: number): SearchClient => ({
    call: (method, path, body, also = []) =>
      send({ method, path, ...(body === undefined ? {} : { body: body as Record<string, unknown> }) }, also, ms),
    bulk: (path, lines) => send({ method: 'POST', path, bulkBody: lines as Record<string, unknown>[] }, [], PATIENT_MS),
    patient: () => within(PATIENT_MS),
    close: () => client.close(),
  });
  return within(OPERATION_MS);
}

/** Returns product and version. Some distributions do not answer at `/`; their nodes and headers name the product. */
export async function productOf(client: SearchClient): Promise<string> {
  const root = await client.call('GET', '/', undefined, [400, 404, 405]);
  const version = root.body['version'] as { number?: string; distribution?: string } | undefined;
  if (version?.number !== undefined) return `${version.distribution === 'opensearch' ? 'OpenSearch' : 'Elasticsearch'} ${version.number}`;
  const { body, header } = await client.call('GET', '/_nodes/_local?filter_path=nodes.*.version');
  const [node] = Object.values((body['nodes'] ?? {}) as Record<string, { version?: string }>);
  return `${header('x-elastic-product') ?? root.header('x-elastic-product') ?? 'OpenSearch'} ${node?.version ?? ''}`.trim();
}
