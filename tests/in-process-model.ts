/** The offline model in the process of the test, without its worker thread: a score of the source needs no build. */
import { dayIn } from '../src/declare/company.ts';
import type { Model } from '../src/assistant/model.ts';
import { type Phrases, readDeclarations } from '../src/assistant/offline/declarations.ts';
import { indexTools } from '../src/assistant/offline/index-tools.ts';
import { answerJob } from '../src/assistant/offline/job.ts';
import { roundsOf } from '../src/assistant/offline/memory.ts';
import type { Registry } from '../src/engine/registry.ts';

export function createInProcessModel(registry: Registry, phrases: Phrases): Model {
  const reading = readDeclarations(registry, phrases);
  let step = reading.next();
  while (!step.done) step = reading.next();
  const index = indexTools(step.value);
  return {
    name: 'offline',
    async *answer({ person, now, messages, allTools }) {
      yield* answerJob(index, {
        asker: person,
        today: dayIn(registry.company.timeZone, now),
        rounds: roundsOf(messages),
        offered: allTools.map(({ name }) => name),
      });
    },
  };
}
