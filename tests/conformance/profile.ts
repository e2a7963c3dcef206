/** The tools, resources and prompts that the MCP conformance suite expects, served by the product's own transport. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CallToolResult, ProtocolError, ProtocolErrorCode, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { openSqliteKeyValue } from '../../src/storage/kv/sqlite.ts';
import { createHostGuard, loopbackAddresses } from '../../src/transports/request.ts';
import { type McpFeature, createMcpTransport } from '../../src/transports/mcp/index.ts';
import { callerOf, key } from '../unit/mcp-fixture.ts';
import { ASKING_PROMPT, askingPrompt, type Came, ROUNDS } from './rounds.ts';

/** The smallest valid media files: an image of one red pixel, and silent audio. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';
const text = (said: string) => ({ type: 'text' as const, text: said });
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

type Run = (args: Readonly<Record<string, unknown>>, context: ServerContext, server: Server) => Came | Promise<Came>;
/** Sends a form elicitation to a client of a 2025 revision. */
async function asked(
  context: ServerContext,
  message: string,
  properties: object,
  required: readonly string[] = [],
): Promise<CallToolResult> {
  const { action, content } = await context.mcpReq.elicitInput({
    message,
    requestedSchema: { type: 'object', properties: properties as never, required: [...required] },
  });
  return { content: [text(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`)] };
}
const TOOLS: Readonly<Record<string, Run>> = {
  ...ROUNDS,
  test_simple_text: () => ({ content: [text('This is a simple text response for testing.')] }),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [
      {
        type: 'resource',
        resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource content.' },
      },
    ],
  }),
  test_multiple_content_types: () => ({
    content: [
      text('Multiple content types test:'),
      image,
      {
        type: 'resource',
        resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data","value":123}' },
      },
    ],
  }),
  test_error_handling: () => ({ content: [text('This tool intentionally returns an error for testing')], isError: true }),
  json_schema_2020_12_tool: (args) => ({ content: [text(`JSON Schema 2020-12 tool called with: ${JSON.stringify(args)}`)] }),
  async test_sampling(args, context) {
    const { content } = await context.mcpReq.requestSampling({
      messages: [{ role: 'user', content: text(String(args['prompt'])) }],
      maxTokens: 100,
    });
    return { content: [text(`LLM response: ${'text' in content ? content.text : ''}`)] };
  },
  test_elicitation: (args, context) =>
    asked(
      context,
      String(args['message']),
      { username: { type: 'string', description: 'Your answer' }, email: { type: 'string', description: 'Your address' } },
      ['username', 'email'],
    ),
  test_elicitation_sep1034_defaults: (_args, context) =>
    asked(context, 'Please look at these values.', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  test_elicitation_sep1330_enums: (_args, context) =>
    asked(context, 'Please choose.', {
      untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
      titledSingle: {
        type: 'string',
        oneOf: [
          { const: 'value1', title: 'First Option' },
          { const: 'value2', title: 'Second Option' },
          { const: 'value3', title: 'Third Option' },
        ],
      },
      legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
      untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
      titledMulti: {
        type: 'array',
        items: {
          anyOf: [
            { const: 'value1', title: 'First Choice' },
            { const: 'value2', title: 'Second Choice' },
            { const: 'value3', title: 'Third Choice' },
          ],
        },
      },
    }),
  async test_tool_with_logging(_args, context) {
    for (const said of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await context.mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data: said } });
      await pause(50);
    }
    return { content: [text('Tool with logging executed successfully')] };
  },
  async test_tool_with_progress(_args, context) {
    const progressToken = context.mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await context.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: progressToken ?? 0, progress, total: 100 },
      });
      await pause(50);
    }
    return { content: [text(String(progressToken ?? 'none'))] };
  },
};
const SCHEMAS: Readonly<Record<string, object>> = {
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  },
};
const listed = Object.keys(TOOLS).map((name) => ({
  name,
  description: `${name}, for the conformance suite`,
  inputSchema: SCHEMAS[name] ?? { type: 'object', properties: {} },
}));
const listing = { tools: listed, bytes: Buffer.from(JSON.stringify({ tools: listed }).slice(1, -1)) };

const RESOURCES = [
  { uri: 'test://static-text', name: 'Static text', description: 'A static text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'Static binary', description: 'A static image', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'Watched', description: 'Can be subscribed to', mimeType: 'text/plain' },
];
function contentsOf(uri: string) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined)
    return { uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) };
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: PNG };
  if (uri === 'test://static-text' || uri === 'test://watched-resource')
    return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' };
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource not found: ${uri}`, { uri });
}

const argument = (name: string) => ({ name, description: name, required: true });
const PROMPTS = [
  { name: 'test_simple_prompt', description: 'Without arguments', arguments: [] },
  { name: 'test_prompt_with_arguments', description: 'With two arguments', arguments: [argument('arg1'), argument('arg2')] },
  { name: 'test_prompt_with_embedded_resource', description: 'With a resource', arguments: [argument('resourceUri')] },
  { name: 'test_prompt_with_image', description: 'With an image', arguments: [] },
  { name: ASKING_PROMPT, description: 'Asks first', arguments: [] },
];
const said = (content: object) => ({ role: 'user' as const, content: content as never });
function messagesOf(name: string, args: Readonly<Record<string, string>>) {
  if (name === 'test_simple_prompt') return [said(text('This is a simple prompt for testing.'))];
  if (name === 'test_prompt_with_arguments') return [said(text(`Prompt with arguments: arg1='${args['arg1']}', arg2='${args['arg2']}'`))];
  if (name === 'test_prompt_with_image') return [said(image), said(text('Please analyze the image above.'))];
  if (name === 'test_prompt_with_embedded_resource')
    return [
      said({
        type: 'resource',
        resource: { uri: args['resourceUri'], mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
      }),
      said(text('Please process the embedded resource above.')),
    ];
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${name}`);
}

const feature: McpFeature = {
  capabilities: { logging: {}, completions: {}, prompts: {}, resources: { subscribe: true } },
  install(server) {
    server.setRequestHandler('tools/call', ({ params }, context) => {
      const run = Object.hasOwn(TOOLS, params.name) ? TOOLS[params.name] : undefined;
      if (!run) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
      return run(params.arguments ?? {}, context, server);
    });
    server.setRequestHandler('resources/list', () => ({ resources: RESOURCES }));
    server.setRequestHandler('resources/templates/list', () => ({
      resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'By id', mimeType: 'application/json' }],
    }));
    server.setRequestHandler('resources/read', ({ params }) => ({ contents: [contentsOf(params.uri)] }));
    server.setRequestHandler('resources/subscribe', () => ({}));
    server.setRequestHandler('resources/unsubscribe', () => ({}));
    server.setRequestHandler('prompts/list', () => ({ prompts: PROMPTS }));
    server.setRequestHandler('prompts/get', ({ params }, context) =>
      params.name === ASKING_PROMPT ? askingPrompt(context) : { messages: messagesOf(params.name, params.arguments ?? {}) },
    );
    server.setRequestHandler('completion/complete', () => ({
      completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false },
    }));
    server.setRequestHandler('logging/setLevel', () => ({}));
  },
};

export interface Profile {
  readonly url: string;
  close(): Promise<void>;
}

export async function startProfile(fastPath: boolean): Promise<Profile> {
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  const server = createServer((req, res) => handler(req, res));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const handler = createMcpTransport({
    serverInfo: { name: 'conformance', title: 'Conformance', version: '1.0.0' },
    guard: createHostGuard(loopbackAddresses(port)),
    // The suite does not sign in: every caller is Alice.
    authenticate: () => callerOf('alice'),
    challenge: () => 'Bearer',
    recheck: async () => {},
    select: () => undefined,
    list: () => listing,
    call: () => undefined,
    describe: () => '',
    ticket: async () => ({ state: 'unknown' }),
    stateKey: key('conformance'),
    kept: openSqliteKeyValue(':memory:'),
    clock: { now: () => new Date() },
    log: quiet,
    features: [feature],
    limits: { sessionsPerPerson: 1_000 },
    fastPath,
  });
  return {
    url: `http://localhost:${port}/mcp`,
    async close() {
      await handler.close();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
