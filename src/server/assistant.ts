/** Opens the assistant with the configured model. */
import { type Assistant, createAssistant } from '../assistant/assistant.ts';
import { createToolbox } from '../assistant/toolbox.ts';
import { createConversations } from '../assistant/conversations.ts';
import { LIMITS } from '../assistant/loop.ts';
import type { Model } from '../assistant/model.ts';
import { createLlm } from '../assistant/models/llm.ts';
import { createOfflineModel } from '../assistant/offline/index.ts';
import type { KeyValue } from '../engine/ports.ts';
import { recorder } from '../engine/audit/recorder.ts';
import { missingFrom } from '../gateway/listing.ts';
import type { Config } from './config.ts';
import { readPhrases } from './phrases.ts';
import type { Tools } from './tools.ts';

export interface AssistantOptions {
  readonly config: Pick<Config, 'model' | 'tokensPerQuestion'>;
  readonly tools: Pick<Tools, 'runtime' | 'backend'>;
  readonly sealed: KeyValue;
  /** Overrides the configured model. */
  readonly model: Model | undefined;
}

export function openAssistant({ config, tools: { runtime, backend }, sealed, model }: AssistantOptions): Assistant {
  const { registry, clock, log, audit } = runtime;
  return createAssistant(
    {
      registry,
      clock,
      log,
      toolbox: createToolbox(registry),
      limits: { ...LIMITS, tokens: config.tokensPerQuestion },
      model: model ?? (config.model ? createLlm(config.model, log) : createOfflineModel(registry, { phrases: readPhrases(registry) })),
      call: (request) => backend(request.server).call(request),
      unavailable: (servers) => missingFrom(registry, backend, servers),
      recordRefusal: async (request, tool, code) => {
        await audit.append(recorder.refusedByAssistant({ runtime, request, tool, started: performance.now() }, code));
      },
    },
    createConversations(sealed, clock),
  );
}
