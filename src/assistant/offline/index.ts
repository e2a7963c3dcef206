/** The assistant that needs no network: everything it knows it reads off the tools' declarations. It thinks in a worker thread. */
import type { Registry } from '../../core/registry.ts';
import type { Model, Turn } from '../model.ts';
import { dayOf } from './calendar.ts';
import type { Job } from './job.ts';
import { rounds } from './memory.ts';
import { createWorkerQueue, type QueueOptions } from './worker-queue.ts';

const OFFLINE = 'offline';

export function offlineModel(registry: Registry, options: Omit<QueueOptions, 'registry'> = {}): Model {
  const queue = createWorkerQueue({ ...options, registry });
  return {
    name: OFFLINE,
    async *answer(turn, signal) {
      yield* await queue.run({ principal: turn.person.principal, job: jobFor(turn), signal });
    },
    warm: () => queue.warm(),
    close: () => queue.close(),
  };
}

function jobFor({ person, now, said, every }: Turn): Job {
  const { realm, username, name, email, employeeId, roles } = person;
  return {
    asker: { realm, username, name, email, employeeId, roles },
    today: dayOf(now),
    rounds: rounds(said),
    offered: every.map((each) => each.name),
  };
}
