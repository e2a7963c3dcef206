/** A job: one turn of the offline model as a pure function, which can run in a worker thread. */
import { opens } from '../../engine/access.ts';
import type { Step } from '../model.ts';
import { MAX_TOKENS } from './annotate.ts';
import type { Asker } from './asker.ts';
import { continueDialogue } from './dialogue.ts';
import type { IndexedTool, ToolIndex } from './index-tools.ts';
import { CallRequired, type Round } from './memory.ts';
import { tokenise } from './tokenise.ts';

export interface Job {
  readonly asker: Asker;
  readonly today: string;
  readonly rounds: readonly Round[];
  /** Names of the tools that the turn may call. Empty if the question has reached its call limit. */
  readonly offered: readonly string[];
}
/** Messages of the worker thread: `ready` once, then one reply per job. */
export type Reply = { readonly ready: true } | { readonly steps: readonly Step[] } | { readonly error: unknown };

export function answerJob(index: ToolIndex, { asker, today, rounds, offered }: Job): Step[] {
  const names = new Set(offered);
  const known = ({ name, tool }: IndexedTool): boolean => (names.size > 0 ? names.has(name) : opens(tool, asker.roles));
  // If no tools are offered, all tools of the asker's roles are used, because the earlier calls must still be understood.
  const allowed = new Map<string, IndexedTool>(index.entries.filter(known).map((entry) => [entry.name, entry]));
  try {
    const text = continueDialogue({ index, person: asker, today, allowed }, recent(rounds));
    return text.split(/(?<=\n\n)/).map((piece) => ({ type: 'text', text: piece }));
  } catch (error) {
    if (!(error instanceof CallRequired)) throw error;
    if (names.size === 0) return [{ type: 'text', text: TOO_MANY_CALLS }];
    const made = rounds.at(-1)?.calls.length ?? 0;
    return [{ type: 'call', call: { id: `offline-${rounds.length}-${made + 1}`, name: error.tool, input: error.input } }];
  }
}

const MOST_EARLIER_TOKENS = 2 * MAX_TOKENS;
/** Keeps the latest rounds within the token budget, so that the work of a job does not grow with the conversation. */
function recent(rounds: readonly Round[]): readonly Round[] {
  let left = MOST_EARLIER_TOKENS;
  let first = Math.max(0, rounds.length - 1);
  while (first > 0) {
    left -= Math.min(MAX_TOKENS, tokenise(rounds[first - 1]?.text ?? '').length);
    if (left < 0) break;
    first -= 1;
  }
  return rounds.slice(first);
}

const TOO_MANY_CALLS = 'I could not finish this: it takes more look-ups than one question allows. Please name what you mean more exactly.';
