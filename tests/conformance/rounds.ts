/** The tools of the MCP conformance suite that answer `input_required`, in one or more rounds, with a sealed request state. */
import {
  acceptedContent,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { openState, sealState } from '../../src/transports/mcp/seal.ts';
import { key } from '../unit/mcp-fixture.ts';

export type Came = CallToolResult | InputRequiredResult;
type Run = (args: Readonly<Record<string, unknown>>, context: ServerContext, server: Server) => Came | Promise<Came>;

const KEY = key('rounds');
const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });
type Kind = { readonly type: 'string' } | { readonly type: 'boolean' };
const form = (message: string, property: string, kind: Kind = { type: 'string' }) =>
  inputRequired.elicit({ message, requestedSchema: { type: 'object', properties: { [property]: kind }, required: [property] } });
const sample = (text: string) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 100 });

const binding = (tool: string) => ({ principal: 'alice', tool, args: {} });
const sealed = (tool: string, round: string) => sealState(KEY, binding(tool), { confirmationId: round, expiresAt: 0 });
/** The round in the client's request state; undefined on its first call. Throws where the state was not issued here. */
function roundOf(tool: string, { mcpReq }: ServerContext): string | undefined {
  const brought = mcpReq.requestState<unknown>();
  if (typeof brought !== 'string') return undefined;
  const state = openState(KEY, binding(tool), brought);
  if (!state)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', { reason: 'invalid_request_state' });
  return state.confirmationId;
}
const has = (context: ServerContext, name: string) => inputResponse(context.mcpReq.inputResponses, name).kind !== 'missing';

/** Requests one input with a sealed state, and accepts any answer to it. */
const once =
  (tool: string, done: string): Run =>
  (_args, context) => {
    const round = roundOf(tool, context);
    if (round !== undefined && has(context, 'confirm')) return said(done);
    return inputRequired({
      inputRequests: { confirm: form('Please confirm', 'ok', { type: 'boolean' }) },
      requestState: sealed(tool, 'one'),
    });
  };

export const ROUNDS: Readonly<Record<string, Run>> = {
  test_input_required_result_elicitation(_args, { mcpReq }) {
    const name = acceptedContent<{ name: string }>(mcpReq.inputResponses, 'user_name')?.name;
    if (typeof name === 'string') return said(`Hello, ${name}!`);
    return inputRequired({ inputRequests: { user_name: form('What is your name?', 'name') } });
  },
  test_input_required_result_sampling(_args, context) {
    if (has(context, 'capital_question')) return said('Paris it is.');
    return inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?') } });
  },
  test_input_required_result_list_roots(_args, { mcpReq }) {
    const view = inputResponse(mcpReq.inputResponses, 'client_roots');
    if (view.kind === 'roots') return said(`Roots: ${view.roots.map(({ uri }) => uri).join(', ')}`);
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  },
  test_input_required_result_request_state: once('test_input_required_result_request_state', 'state-ok'),
  test_input_required_result_tampered_state: once('test_input_required_result_tampered_state', 'state-ok'),
  test_input_required_result_multiple_inputs(_args, context) {
    const tool = 'test_input_required_result_multiple_inputs';
    roundOf(tool, context);
    if (['user_name', 'greeting', 'client_roots'].every((name) => has(context, name))) return said('All is answered.');
    return inputRequired({
      inputRequests: {
        user_name: form('What is your name?', 'name'),
        greeting: sample('Generate a greeting'),
        client_roots: inputRequired.listRoots(),
      },
      requestState: sealed(tool, 'one'),
    });
  },
  test_input_required_result_multi_round(_args, context) {
    const tool = 'test_input_required_result_multi_round';
    const round = roundOf(tool, context);
    if (round === 'two' && has(context, 'step2')) return said('Both steps are done.');
    if (round === 'one' && has(context, 'step1'))
      return inputRequired({
        inputRequests: { step2: form('Step 2: What is your favorite color?', 'color') },
        requestState: sealed(tool, 'two'),
      });
    return inputRequired({ inputRequests: { step1: form('Step 1: What is your name?', 'name') }, requestState: sealed(tool, 'one') });
  },
  test_input_required_result_capabilities(_args, _context, server) {
    const { elicitation, sampling } = server.getClientCapabilities() ?? ({} as ClientCapabilities);
    return inputRequired({
      inputRequests: {
        ...(sampling && { sampled: sample('Say something') }),
        ...(elicitation && { asked: form('Please confirm', 'ok', { type: 'boolean' }) }),
      },
      requestState: sealed('test_input_required_result_capabilities', 'one'),
    });
  },
  test_missing_capability(_args, _context, server) {
    if (!server.getClientCapabilities()?.sampling)
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    return said('The client can sample.');
  },
  test_streaming_elicitation: () => inputRequired({ inputRequests: { asked: form('Please confirm', 'ok', { type: 'boolean' }) } }),
  /** Only a client that requested log messages gets one. */
  async test_logging_tool(_args, { mcpReq }) {
    await mcpReq.log('info', 'something on the side');
    return said('Logged, where it was asked for.');
  },
};

/** A prompt that requests an input before it answers. */
export const ASKING_PROMPT = 'test_input_required_result_prompt';
export function askingPrompt({ mcpReq }: ServerContext) {
  const context = acceptedContent<{ context: string }>(mcpReq.inputResponses, 'user_context')?.context;
  if (context === undefined)
    return inputRequired({ inputRequests: { user_context: form('What context should the prompt use?', 'context') } });
  return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: `In the context of ${context}` } }] };
}
