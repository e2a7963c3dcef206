/** Fetches the servers and tools that one person may use from the running gateway. */
import type { ErrorAnswer } from '../../declare/errors.ts';
import type { Schema } from '../terminal/values.ts';
import type { Client } from './client.ts';

export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly kind: string;
  readonly roles: readonly string[];
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly examples: readonly { readonly ask: string; readonly input: object }[];
  readonly atOnceWhen?: string | null | undefined;
  /** The plural noun of the rows, or null if the tool is not a list. */
  readonly plural: string | null;
  readonly outputSchema: { readonly properties: { readonly data: Schema } };
}
export interface ListedServer {
  readonly name: string;
  readonly title: string;
  readonly tools: readonly ListedTool[];
}
export interface Refused {
  readonly status: number;
  readonly answer: ErrorAnswer;
}

export async function fetchServers(client: Client): Promise<readonly ListedServer[] | Refused> {
  const { body, status } = await client.get('/api/user/mcp-tools');
  if (body.status !== 'success') return { status, answer: body as unknown as ErrorAnswer };
  return (body['data'] as { servers: readonly ListedServer[] }).servers;
}

/** Returns an empty list if the gateway refuses. Answers are then shown without field descriptions. */
export async function listedServers(client: Client): Promise<readonly ListedServer[]> {
  const found = await fetchServers(client);
  return 'answer' in found ? [] : found;
}
