/** The offline model: answers without a network, from an index of the tool declarations, in a worker thread. */
import { dayIn } from '../../declare/company.ts';
import type { Registry } from '../../engine/registry.ts';
import type { Model, Turn } from '../model.ts';
import type { Job } from './job.ts';
import { roundsOf } from './memory.ts';
import { createWorkerQueue, type QueueOptions } from './worker-queue.ts';

const MODEL_NAME = 'offline';

export function createOfflineModel(registry: Registry, options: Omit<QueueOptions, 'registry'> = {}): Model {
  const queue = createWorkerQueue({ ...options, registry });
  return {
    name: MODEL_NAME,
    async *answer(turn, signal) {
      yield* await queue.run({ principal: turn.person.principal, job: jobFor(turn, registry.company.timeZone), signal });
    },
    warm: () => queue.warm(),
    close: () => queue.close(),
  };
}

function jobFor({ person, now, messages, allTools }: Turn, timeZone: string): Job {
  const { realm, username, name, email, employeeId, roles } = person;
  return {
    asker: { realm, username, name, email, employeeId, roles },
    today: dayIn(timeZone, now),
    rounds: roundsOf(messages),
    offered: allTools.map((each) => each.name),
  };
}
