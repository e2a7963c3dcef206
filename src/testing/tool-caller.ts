/** Calls tools as a chosen person at every endpoint: REST API and MCP of the gateway, and of the domain's own server. */
import { randomUUID } from 'node:crypto';
import type { Answer } from '../declare/answer.ts';
import type { Tool } from '../declare/tool.ts';
import { jsonSchema } from '../derive/answers.ts';
import type { CallResult, TestClient, TokenOptions } from './test-client.ts';

export const SURFACES = ['rest', 'mcp', 'direct', 'direct-mcp'] as const;
export type Endpoint = (typeof SURFACES)[number];

export interface Outcome {
  /** The HTTP status. */
  readonly status: number;
  readonly answer: Answer;
  /** The received body. */
  readonly text: string;
  readonly requestId: string;
  readonly result: CallResult | undefined;
  /** The JSON-RPC error, if there is no result. */
  readonly error: { readonly code: number; readonly message: string } | undefined;
}

export interface Who {
  readonly user: string;
  readonly roles?: readonly string[] | undefined;
}

export const today = (client: Pick<TestClient, 'clock'>): string => client.clock.now().toISOString().slice(0, 10);

/** Calls tools as a chosen person. Reuses each token for two minutes, because thousands of calls need many tokens. */
export class ToolCaller {
  readonly client: TestClient;
  readonly #tokens = new Map<string, { readonly token: Promise<string>; readonly until: number }>();
  constructor(client: TestClient) {
    this.client = client;
  }

  async token(who: string | Who, options: TokenOptions = {}): Promise<string> {
    const { user, roles } = typeof who === 'string' ? { user: who } : who;
    const key = JSON.stringify([user, roles, options]);
    const now = this.client.clock.now().getTime();
    const known = this.#tokens.get(key);
    if (known && known.until > now) return known.token;
    const token = this.client.token(user, { ...options, ...(roles && { roles }) });
    this.#tokens.set(key, { token, until: now + 120_000 });
    return token;
  }

  /** Forgets all tokens, because an account or the clock has changed. */
  forget(): void {
    this.#tokens.clear();
  }

  async call(
    endpoint: Endpoint,
    who: string | Who,
    tool: Tool,
    input: unknown,
    { name = tool.name, query = '' }: { name?: string; query?: string } = {},
  ): Promise<Outcome> {
    const server = tool.domain.name;
    const requestId = randomUUID();
    const headers = { 'x-request-id': requestId };
    if (endpoint === 'rest' || endpoint === 'direct') {
      const token = await this.token(who, endpoint === 'direct' ? { server } : {});
      const path = endpoint === 'direct' ? `/tools/${name}` : `/api/tools/${server}/${name}`;
      const { status, body, text } = await this.client.send('POST', path, {
        token,
        body: input,
        headers,
        server: endpoint === 'direct' ? server : undefined,
      });
      return { status, answer: body, text, requestId, result: undefined, error: undefined };
    }
    const own = endpoint === 'direct-mcp';
    const token = await this.token(who, { mcp: true, ...(own && { server }) });
    const params = { name: own ? name : `${server}_${name}`, arguments: input };
    const { status, text, result, error } = await this.client.rpc(token, 'tools/call', params, {
      headers,
      query,
      server: own ? server : undefined,
    });
    return { status, text, requestId, result, error, answer: result?.structuredContent as Answer };
  }

  async listed(who: string | Who, server?: string, query = ''): Promise<string[]> {
    const token = await this.token(who, { mcp: true, ...(server !== undefined && { server }) });
    const { result } = await this.client.rpc<{ tools: { name: string }[] }>(token, 'tools/list', {}, { server, query });
    return (result?.tools ?? []).map(({ name }) => name).toSorted();
  }
}

/** Runs `work` for all items, at most `atOnce` at a time. Returns the results in the order of the items. */
export async function concurrently<T, R>(items: readonly T[], work: (item: T) => Promise<R>, atOnce = 16): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += atOnce) results.push(...(await Promise.all(items.slice(at, at + atOnce).map(work))));
  return results;
}

export const codeOf = (answer: Answer | { status: string } | undefined): string =>
  answer === undefined ? 'nothing' : answer.status === 'error' && 'code' in answer ? answer.code : answer.status;

export type Property = Readonly<{
  type?: string;
  format?: string;
  enum?: readonly unknown[];
  anyOf?: readonly Property[];
  description?: string;
  maxLength?: number;
  minLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  multipleOf?: number;
  items?: Property;
  properties?: Readonly<Record<string, Property>>;
  pattern?: string;
  default?: unknown;
}>;
export const propertiesOf = (tool: Tool): [string, Property][] =>
  Object.entries((jsonSchema(tool.input, 'input')['properties'] ?? {}) as Record<string, Property>);

/** The inputs that the tool itself declares, without the filters that follow from the fields of a list. */
export const ownPropertiesOf = (tool: Tool): [string, Property][] =>
  propertiesOf(tool).filter(([key]) => tool.kind !== 'list' || Object.hasOwn(tool.ownInput.shape, key));

/** Words that reveal the implementation. A word that can be part of an English word must match as a whole word. */
const INSIDE =
  /undefined|\bNaN\b|\[object |\bat \S+ \(|node_modules|node:internal|\.ts:\d|\.js:\d|\bselect\b.+\bfrom\b|\binsert into\b|\bupdate \S+ set\b|syntax error|relation "|column "|permission denied|duplicate key|constraint|violates|row-level|ECONN|pg_|postgres|PGlite|sqlite|redis|zod|at position \d|JSON\.parse|Unexpected token/i;
/**
 * Returns the first word that reveals the implementation, with the text around it. Ignores cursors, because encrypted text can match by
 * chance.
 */
export function leakIn(text: string): string | undefined {
  const plain = text.replace(/(nextCursor\\*":\\*")[\w-]+/g, '$1');
  const found = INSIDE.exec(plain);
  return found ? `${found[0]} in ${plain.slice(Math.max(0, found.index - 40), found.index + 40)}` : undefined;
}
