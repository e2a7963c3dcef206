/** Runs the offline model over every tool on the sample data; as a program, it serves the HTTP API that the question bank needs. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Message, Model, ToolCall } from '../src/assistant/model.ts';
import type { Phrases } from '../src/assistant/offline/declarations.ts';
import { createOfflineModel } from '../src/assistant/offline/index.ts';
import { readPhrases } from '../src/server/phrases.ts';
import { opens } from '../src/engine/access.ts';
import type { Answer } from '../src/declare/answer.ts';
import { qualifiedName, type Registry } from '../src/engine/registry.ts';
import { openTestRuntime, person, type TestRuntime } from './test-runtime.ts';
import { builtIn } from './registry.ts';

export interface Asked {
  readonly text: string;
  readonly calls: readonly {
    readonly server: string;
    readonly tool: string;
    readonly input: Readonly<Record<string, unknown>>;
    readonly answer: Answer;
  }[];
  readonly said: readonly Message[];
}
export interface AssistantHarness {
  readonly testRuntime: TestRuntime;
  readonly registry: Registry;
  ask(who: string, question: string, before?: readonly Message[]): Promise<Asked>;
  close(): Promise<void>;
}
const MOST_CALLS = 12;

export async function openAssistantHarness(
  registry: Registry = builtIn,
  { create = createOfflineModel }: { create?: (registry: Registry, options: { phrases: Phrases }) => Model } = {},
): Promise<AssistantHarness> {
  const testRuntime = await openTestRuntime({ tools: registry.tools });
  const model = create(registry, { phrases: readPhrases(registry) });
  return {
    testRuntime,
    registry,
    async ask(who, question, before = []) {
      const asking = person(who);
      const every = registry.tools
        .filter((tool) => opens(tool, asking.roles))
        .map((tool) => ({ name: qualifiedName(tool), tool, inputSchema: {} }));
      const said: Message[] = [...before, { by: 'person', text: question }];
      const calls: Asked['calls'][number][] = [];
      for (;;) {
        let text = '';
        const wanted: ToolCall[] = [];
        for await (const step of model.answer(
          { person: asking, now: testRuntime.clock.now(), instructions: '', messages: said, tools: every, allTools: every },
          AbortSignal.timeout(60_000),
        )) {
          if (step.type === 'text') text += step.text;
          else if (step.type === 'call') wanted.push(step.call);
        }
        said.push({ by: 'model', text, calls: wanted });
        if (wanted.length === 0 || calls.length >= MOST_CALLS) return { text, calls, said };
        for (const call of wanted) {
          const tool = every.find(({ name }) => name === call.name)?.tool;
          if (!tool) throw new Error(`${call.name} was not offered`);
          const answer = await testRuntime.call(who, tool.domain.name, tool.name, call.input);
          calls.push({ server: tool.domain.name, tool: tool.name, input: call.input, answer });
          said.push({ by: 'tool', call, answer, promptText: '' });
        }
      }
    },
    async close() {
      await model.close?.();
      await testRuntime.close();
    },
  };
}

export async function serveAssistantHarness(port: number): Promise<{ url: string; close(): Promise<void> }> {
  const harness = await openAssistantHarness();
  const conversations = new Map<string, readonly Message[]>();
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const who = (request.headers.authorization ?? '').replace('Bearer ', '');
      const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as { query?: string; conversationId?: string };
      const [, , api, domain = '', tool = ''] = `/${request.url ?? ''}`.split('/').slice(1);
      if (request.url === '/api/query') {
        const id = body.conversationId ?? `c-${conversations.size}`;
        const { text, calls, said } = await harness.ask(who, body.query ?? '', conversations.get(id));
        conversations.set(id, said);
        const events: unknown[] = [{ type: 'start', conversationId: id }];
        for (const { server: from, tool: name, input, answer } of calls) {
          events.push({ type: 'tool_call', server: from, tool: name, input }, { type: 'tool_result', server: from, tool: name, ...answer });
          if (answer.status === 'pending_confirmation') events.push({ type: 'pending_confirmation', ...answer });
          if (answer.status === 'success' && answer.metadata?.hasMore) events.push({ type: 'pagination', hasMore: true });
        }
        events.push({ type: 'text', text }, { type: 'stop' });
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(`${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`);
      } else if (api === 'tools') {
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify(await harness.testRuntime.call(who, domain, tool, body)));
      } else response.writeHead(200).end('{}');
    })().catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close();
      await harness.close();
    },
  };
}

const [, , port] = process.argv;
if (process.argv[1]?.endsWith('assistant-harness.ts') && port !== undefined)
  process.stdout.write(`${(await serveAssistantHarness(Number(port))).url}\n`);
