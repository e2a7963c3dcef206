/** The servers and tools of the running gateway, as one person may use them. */
import type { ErrorAnswer } from '../../declare/errors.ts';
import type { Schema } from '../terminal/values.ts';
import type { Client } from './client.ts';

export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly kind: string;
  readonly roles: readonly string[];
  readonly atOnceWhen?: string | null | undefined;
  /** The name of the rows; null if the tool does not list rows. */
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

/** Empty if the gateway refuses the list: the answer of a call is then shown without the descriptions of its fields. */
export async function listedServers(client: Client): Promise<readonly ListedServer[]> {
  const found = await fetchServers(client);
  return 'answer' in found ? [] : found;
}
