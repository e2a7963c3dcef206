/** The assistant that needs no network: everything it knows it reads off the tools' declarations. */
import { opens } from '../../core/access.ts';
import type { Registry } from '../../core/registry.ts';
import type { Model, Step, Turn } from '../model.ts';
import { dayOf } from './calendar.ts';
import { type Entry, type Index, learn } from './learn.ts';
import { Needs, rounds } from './memory.ts';
import { talk } from './talk.ts';

export const OFFLINE = 'offline';

const learned = new WeakMap<Registry, Index>();
const indexOf = (registry: Registry): Index => {
  const known = learned.get(registry) ?? learn(registry);
  learned.set(registry, known);
  return known;
};

/** Reading takes about a second, and nobody has to wait for it at the start: the first question is rarely there so soon. */
const A_MOMENT = 300;

export function offlineModel(registry: Registry): Model {
  setTimeout(() => indexOf(registry), A_MOMENT).unref();
  return {
    name: OFFLINE,
    async *answer(turn, signal) {
      signal.throwIfAborted();
      yield* steps(indexOf(registry), turn);
    },
  };
}

function* steps(index: Index, { person, now, said, every }: Turn): Generator<Step> {
  // Where nothing more may be called, nothing is offered; what was called before is still understood.
  const names = new Set(every.length > 0 ? every.map(({ name }) => name) : index.entries.filter(({ tool }) => opens(tool, person.roles)).map(({ name }) => name));
  const allowed = new Map<string, Entry>(index.entries.filter(({ name }) => names.has(name)).map((entry) => [entry.name, entry]));
  const asked = rounds(said);
  try {
    const text = talk({ index, person, today: dayOf(now), allowed }, asked);
    for (const piece of text.split(/(?<=\n\n)/)) yield { type: 'text', text: piece };
  } catch (error) {
    if (!(error instanceof Needs)) throw error;
    if (every.length === 0) {
      yield { type: 'text', text: 'I could not finish this: it takes more look-ups than one question allows. Please name what you mean more exactly.' };
      return;
    }
    const made = asked.at(-1)?.made.length ?? 0;
    yield { type: 'call', call: { id: `offline-${asked.length}-${made + 1}`, name: error.tool, input: error.input } };
  }
}
