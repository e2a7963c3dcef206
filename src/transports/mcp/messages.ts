/** Reads what the MCP endpoint needs from JSON-RPC messages and their headers. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { LEGACY } from './client-info.ts';

export const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** The params of a tool call, or of the first tool call in a batch. */
export function toolCallIn(body: unknown): Readonly<Record<string, unknown>> | undefined {
  const message: unknown = Array.isArray(body) ? body.find((each) => isPlainObject(each) && each.method === 'tools/call') : body;
  if (!isPlainObject(message) || message.method !== 'tools/call') return undefined;
  return isPlainObject(message.params) ? message.params : {};
}

/** The request id in a cancellation. */
export function cancelledIn(body: unknown): unknown {
  const { method, params } = body as { method?: unknown; params?: { requestId?: unknown } };
  return method === 'notifications/cancelled' ? params?.requestId : undefined;
}

export interface ListenMessage {
  readonly id?: string | number;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

const FILTERS: ReadonlySet<string> = new Set(['toolsListChanged', 'promptsListChanged', 'resourcesListChanged']);

/**
 * The different resource URIs in a filter; undefined if the filter is malformed. Ignores filters for list changes, because our lists never
 * change.
 */
export function addressesIn(filter: unknown): readonly string[] | undefined {
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) return undefined;
  const { resourceSubscriptions: given = [], ...rest } = filter as Record<string, unknown>;
  if (!Array.isArray(given) || !given.every((uri) => typeof uri === 'string')) return undefined;
  if (!Object.entries(rest).every(([key, value]) => !FILTERS.has(key) || value === undefined || typeof value === 'boolean'))
    return undefined;
  return [...new Set(given as string[])];
}

/** True if the SDK would accept this request for a stream. */
export const isPlainStream = ({ headers }: IncomingMessage): boolean =>
  headers.accept?.includes('text/event-stream') === true &&
  (headers['mcp-protocol-version'] === undefined || (LEGACY as readonly unknown[]).includes(headers['mcp-protocol-version']));

/** The tool name from the headers, for a body that cannot be parsed. */
export const toolNamed = ({ 'mcp-name': name }: IncomingHttpHeaders): string | undefined =>
  typeof name === 'string' && /^[\w.-]{1,128}$/.test(name) ? name : undefined;

export const header = <K extends string>(key: K, value: string | string[] | undefined) =>
  (typeof value === 'string' ? { [key]: value } : {}) as { [key in K]?: string };
