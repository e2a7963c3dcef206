/**
 * Recognises well-formed requests of a few methods for the fast path. The SDK answers all other requests, so that all protocol errors come
 * from the SDK.
 */
import type { IncomingHttpHeaders } from 'node:http';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import { clientName, LEGACY, MODERN, opensUrls } from './client-info.ts';

export interface ClientFacts {
  readonly name: string | undefined;
  readonly opensUrls: boolean;
}

export type FastPathMethod = 'tools/call' | 'tools/list' | 'server/discover' | 'ping';

export interface FastPathRequest {
  readonly id: string | number;
  readonly method: FastPathMethod;
  readonly params: Params;
  /** The facts that a 2026 client states in every request; undefined for a 2025 client, which states them once per session. */
  readonly client: ClientFacts | undefined;
}

type Params = Readonly<Record<string, unknown>>;

interface MethodRules {
  readonly params: ReadonlySet<string>;
  readonly only?: 'modern' | 'legacy';
}

const METHODS: ReadonlyMap<unknown, MethodRules> = new Map<FastPathMethod, MethodRules>([
  ['tools/call', { params: new Set(['name', 'arguments', '_meta']) }],
  ['tools/list', { params: new Set(['_meta']) }],
  ['server/discover', { params: new Set(['_meta']), only: 'modern' }],
  ['ping', { params: new Set(['_meta']), only: 'legacy' }],
]);
const MESSAGE: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);
const ENVELOPE: ReadonlySet<string> = new Set([
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
]);
const RESERVED = 'io.modelcontextprotocol/';
const LEGACY_HEADERS: ReadonlySet<string | undefined> = new Set([...LEGACY, undefined]);

const isObject = (value: unknown): value is Params => typeof value === 'object' && value !== null && !Array.isArray(value);
const isId = (value: unknown): value is string | number => typeof value === 'string' || Number.isSafeInteger(value);
const hasOnly = (object: Params, keys: ReadonlySet<string>): boolean => {
  for (const key in object) if (!keys.has(key)) return false;
  return true;
};

export function recognise(headers: IncomingHttpHeaders, message: unknown): FastPathRequest | undefined {
  const type = headers['content-type'];
  if ((type !== 'application/json' && type !== 'application/json; charset=utf-8') || !isObject(message)) return undefined;
  const { id, method, params = {} } = message;
  const rules = METHODS.get(method);
  if (rules === undefined || message.jsonrpc !== '2.0' || !isId(id) || !hasOnly(message, MESSAGE)) return undefined;
  if (!isObject(params) || !hasOnly(params, rules.params)) return undefined;
  const { _meta: meta = {}, arguments: args = {} } = params;
  if (!isObject(meta) || !isObject(args) || (meta.progressToken !== undefined && !isId(meta.progressToken))) return undefined;
  if (method === 'tools/call' && typeof params.name !== 'string') return undefined;

  const version = headers['mcp-protocol-version'];
  if (version === MODERN) {
    if (rules.only === 'legacy' || headers['mcp-method'] !== method) return undefined;
    if (method === 'tools/call' && headers['mcp-name'] !== params.name) return undefined;
    const client = clientOf(headers, message, meta);
    return client && { id, method: method as FastPathMethod, params, client };
  }
  if (rules.only === 'modern' || !LEGACY_HEADERS.has(version as string | undefined)) return undefined;
  for (const key in meta) if (key.startsWith(RESERVED)) return undefined;
  const accept = headers.accept;
  if (accept === undefined || !accept.includes('application/json') || !accept.includes('text/event-stream')) return undefined;
  return { id, method: method as FastPathMethod, params, client: undefined };
}

/** Envelopes that the SDK has accepted. A client repeats its envelope in every request, so the SDK need not check it again. */
const envelopes = new LRUCache<string, ClientFacts>({ max: 1_000 });
const MAX_ENVELOPE_LENGTH = 4_096;

const withoutToken = ({ progressToken: _, ...envelope }: Params): Params => envelope;

function clientOf(headers: IncomingHttpHeaders, body: Params, meta: Params): ClientFacts | undefined {
  const envelope = meta.progressToken === undefined ? meta : withoutToken(meta);
  const key = JSON.stringify(envelope);
  const known = envelopes.get(key);
  if (known !== undefined) return known;
  for (const name in envelope) if (name.startsWith(RESERVED) && !ENVELOPE.has(name)) return undefined;
  const route = classifyInboundRequest({
    httpMethod: 'POST',
    protocolVersionHeader: MODERN,
    mcpMethodHeader: headers['mcp-method'] as string,
    body,
  });
  if (route.kind !== 'modern' || route.classification.revision !== MODERN || key.length > MAX_ENVELOPE_LENGTH) return undefined;
  const facts: ClientFacts = {
    name: clientName(envelope[CLIENT_INFO_META_KEY]),
    opensUrls: opensUrls(envelope[CLIENT_CAPABILITIES_META_KEY]),
  };
  envelopes.set(key, facts);
  return facts;
}
