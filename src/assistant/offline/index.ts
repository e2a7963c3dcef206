/** The assistant that needs no network: everything it knows it reads off the tools' declarations. */
import { opens } from '../../core/access.ts';
import type { Registry } from '../../core/registry.ts';
import type { Model, Step, Turn } from '../model.ts';
import { dayOf } from './calendar.ts';
import { type Entry, type Index, learning } from './learn.ts';
import { Needs, rounds } from './memory.ts';
import { talk } from './talk.ts';

export const OFFLINE = 'offline';

const learned = new WeakMap<Registry, Index>();
const underWay = new WeakMap<Registry, Generator<undefined, Index>>();

/** One step further; what is known when all were taken. */
function read(registry: Registry): Index | undefined {
  const known = learned.get(registry);
  if (known !== undefined) return known;
  const reading = underWay.get(registry) ?? learning(registry);
  underWay.set(registry, reading);
  const step = reading.next();
  if (!step.done) return undefined;
  learned.set(registry, step.value);
  return step.value;
}

/** Whoever asks before all is read waits for the rest. */
function indexOf(registry: Registry): Index {
  for (;;) {
    const known = read(registry);
    if (known !== undefined) return known;
  }
}

/** Reading takes about a second, and nobody has to wait for it: not at the start, nor while it goes on. */
const A_MOMENT = 300;
function readOn(registry: Registry): void {
  if (read(registry) === undefined) setImmediate(() => readOn(registry)).unref();
}

export function offlineModel(registry: Registry): Model {
  setTimeout(() => readOn(registry), A_MOMENT).unref();
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
