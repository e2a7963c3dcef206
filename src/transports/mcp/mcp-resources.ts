/** The port of the MCP endpoint for resources, prompts, completion and subscriptions. */
import type { ServerCapabilities } from '@modelcontextprotocol/server';
import type { Answer } from '../../declare/answer.ts';
import type { Caller } from '../../engine/caller.ts';
import type { Notice } from '../../declare/resources.ts';
import type { ToolCall } from './tool-call.ts';

export type ResourceCall = Pick<ToolCall, 'caller' | 'servers' | 'requestId' | 'signal' | 'clientName'>;
type Servers = ReadonlySet<string> | undefined;
export type Reference = { readonly type: 'ref/prompt'; readonly name: string } | { readonly type: 'ref/resource'; readonly uri: string };

/** Lists contain only what the caller's roles allow. Methods that return an answer run the pipeline of a tool call. */
export interface McpResources {
  readonly capabilities: ServerCapabilities;
  resources(caller: Caller, servers: Servers): readonly object[];
  templates(caller: Caller, servers: Servers): readonly object[];
  prompts(caller: Caller, servers: Servers): readonly object[];
  /** The answer's `data` is the text, or a value that becomes JSON. */
  read(uri: string, call: ResourceCall): Promise<{ readonly answer: Answer; readonly mimeType: string }>;
  prompt(
    name: string,
    given: Readonly<Record<string, string>>,
    call: ResourceCall,
  ): Promise<{ readonly answer: Answer; readonly description: string }>;
  complete(reference: Reference, argument: { readonly name: string; readonly value: string }, call: ResourceCall): Promise<Answer>;
  /** Checks that the caller may subscribe. The answer's `data` is a transaction number; notices begin after it. */
  subscribe(uri: string, call: ResourceCall): Promise<{ readonly answer: Answer; readonly server: string; readonly uri: string }>;
  unsubscribe(uri: string, call: ResourceCall): Promise<{ readonly answer: Answer; readonly uri: string }>;
  /** Waits for changes after the transaction. Throws a Failure if the caller may no longer read them. */
  changes(server: string, caller: Caller, after: number): Promise<readonly Notice[]>;
}
