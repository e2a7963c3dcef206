/** Measures the CPU time of the offline model per question, without tool calls. */
import type { Turn } from '../src/assistant/model.ts';
import { createOfflineModel } from '../src/assistant/offline/index.ts';
import { readPhrases } from '../src/server/phrases.ts';
import { opens } from '../src/engine/access.ts';
import { EXAMPLE_DAY } from '../src/derive/answers.ts';
import { qualifiedName } from '../src/engine/registry.ts';
import { person } from '../tests/test-runtime.ts';
import type { Line } from './lines.ts';
import { builtIn } from '../tests/registry.ts';

const GOAL = 50;

/** With `oneIn`, only every nth question is asked. */
export async function offlineModelLines(rounds: number, oneIn: number): Promise<Line[]> {
  const registry = builtIn;
  const phrases = readPhrases(registry);
  const model = createOfflineModel(registry, { phrases });
  const asked = registry.tools
    .flatMap((tool) =>
      tool.examples.map((example) => ({ ...example, others: phrases.get(qualifiedName(tool))?.get(example.question) ?? [] })),
    )
    .flatMap(({ as, question, others }) => [question, ...others].map((text) => ({ as, text })))
    .filter((_, n) => n % oneIn === 0);
  const measure = async ({ as, text }: (typeof asked)[number]): Promise<number> => {
    const asking = person(as);
    const every = registry.tools
      .filter((tool) => opens(tool, asking.roles))
      .map((tool) => ({ name: qualifiedName(tool), tool, inputSchema: {} }));
    const now = new Date(`${EXAMPLE_DAY}T12:00:00Z`);
    const turn: Turn = { person: asking, now, instructions: '', messages: [{ by: 'person', text }], tools: every, allTools: every };
    const before = process.cpuUsage();
    for await (const step of model.answer(turn, AbortSignal.timeout(60_000))) if (step.type !== 'text') break;
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const times: number[] = [];
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    for (const each of asked) {
      const took = await measure(each);
      if (round > 0) times.push(took);
    }
  }
  await model.close?.();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? 0;
  const note = `of ${asked.length} questions; median ${at(0.5).toFixed(1)} ms, longest ${at(1).toFixed(1)} ms`;
  return [{ what: 'offline model, CPU time of a question (95th percentile)', ratio: at(0.95), goal: GOAL, unit: 'ms', note }];
}
