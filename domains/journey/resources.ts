/** MCP resources of the journey as Markdown. A URI selects rows of the index, never a file. */
import { z } from 'zod';
import { line } from '../../src/declare/fields.ts';
import type { Filter } from '../../src/declare/filter.ts';
import { desc } from '../../src/declare/order.ts';
import { adrNotFound, findDecision, type Reader } from './decisions.ts';
import { journey, staff } from './domain.ts';
import { evolutionOf, LATEST, lessonsOf, notesFor, pageOf, versionsIn } from './pages.ts';
import { adrName, type Kind, keyOf } from './record.ts';
import { type Whole, whole } from './schemas.ts';
import { byTime } from './format.ts';

const MOST = 200;
const name = (what: string) => line(120).min(1).describe(what);

const ofKind = (search: Reader, kind: Kind) => newest(search, search.where({ kind }));
const newest = (search: Reader, filter: Filter): Promise<Whole[]> =>
  search.many(whole, 'records', filter, { order: desc('day', 'record_id'), limit: MOST });

/** Completions that contain the typed text. Those that begin with it come first. */
function completing(begun: string, all: Iterable<string>): string[] {
  const typed = begun.toLowerCase();
  const found = [...new Set(all)].filter((each) => each.toLowerCase().includes(typed)).toSorted();
  return [
    ...found.filter((each) => each.toLowerCase().startsWith(typed)),
    ...found.filter((each) => !each.toLowerCase().startsWith(typed)),
  ];
}

export const failures = journey.resource({
  name: 'failures',
  uri: 'journey://failures/{topic}',
  version: 1,
  title: 'What went wrong',
  description: 'The full text of failures of this project about a topic or a component: what happened, why, and what was learned.',
  roles: staff,
  input: z.object({ topic: name('A topic or a component, such as sqlite, or plain words') }),
  errors: { FAILURES_NOT_FOUND: 'Find topics with get_context, or list all failures with query_failures and no topic.' },
  async text({ topic }, { search, fail }) {
    const [key, only] = [keyOf(topic), search.where({ kind: 'failure' })];
    const named = search.any(search.where({ topic_keys: key }), search.where({ component_keys: key }), search.where({ key }));
    let rows = await newest(search, search.all(only, named));
    if (rows.length === 0 && key !== '')
      rows = await search.many(whole, 'records', only, { words: topic, order: desc('_score', 'record_id'), limit: 10 });
    else rows = rows.toSorted(byTime);
    if (rows.length === 0) throw fail('FAILURES_NOT_FOUND', { topic });
    return pageOf(`Failures: ${topic}`, rows, 'query_failures finds them.');
  },
  complete: {
    topic: async (begun, { search }) =>
      completing(
        begun,
        (await ofKind(search, 'failure')).flatMap(({ topics, components }) => [...topics, ...components].map(keyOf)),
      ),
  },
});

export const decisions = journey.resource({
  name: 'decisions',
  uri: 'journey://decisions/{adr-id}',
  version: 1,
  title: 'Architecture decision',
  description: 'The full text of one architecture decision record of this project, by its number in any spelling: ADR-0004, adr-4, 4.',
  roles: staff,
  input: z.object({ adr_id: name('Its number, such as ADR-0004 or 4') }),
  errors: { ADR_NOT_FOUND: adrNotFound },
  text: async ({ adr_id }, { search, fail }) => ((await findDecision(search, whole, adr_id)) ?? fail('ADR_NOT_FOUND', { adr_id })).content,
  complete: {
    adr_id: async (begun, { search }) =>
      completing(
        begun,
        (await ofKind(search, 'decision')).flatMap(({ number }) => (number === null ? [] : [adrName(number)])),
      ),
  },
});

export const evolution = journey.resource({
  name: 'evolution',
  uri: 'journey://evolution/{component}',
  version: 1,
  title: 'How a component evolved',
  description: 'What was decided, changed and learned about one component of this project, the oldest first, with links to the records.',
  roles: staff,
  input: z.object({ component: name('A component, such as storage') }),
  errors: { COMPONENT_NOT_FOUND: 'search_journey shows the components of each record.' },
  async text({ component }, { search, fail }) {
    const rows = await newest(search, search.where({ component_keys: keyOf(component) }));
    return rows.length === 0 ? fail('COMPONENT_NOT_FOUND', { component }) : evolutionOf(component, rows);
  },
  complete: {
    component: async (begun, { search }) =>
      completing(
        begun,
        (await newest(search, search.where({}))).flatMap(({ components }) => components.map(keyOf)),
      ),
  },
});

export const lessons = journey.resource({
  name: 'lessons',
  uri: 'journey://lessons',
  version: 1,
  title: 'Lessons learned',
  description: 'What this project has learned: its lessons, and what each failure taught.',
  roles: staff,
  input: z.object({}),
  text: async (_input, { search }) => lessonsOf(await ofKind(search, 'lesson'), await ofKind(search, 'failure')),
});

export const phoenix = journey.resource({
  name: 'phoenix',
  uri: 'journey://phoenix/{version}',
  version: 1,
  title: 'Recovery notes',
  description: 'What to do after a crash, a loss or a restore, for one version of this project. "latest" is the newest version with notes.',
  roles: staff,
  input: z.object({ version: name('A version such as 0.1.0, or latest') }),
  errors: { VERSION_NOT_FOUND: 'Read journey://phoenix/latest, or find recovery notes with search_journey, with kind "recovery".' },
  async text({ version }, { search, fail }) {
    const notes = notesFor(keyOf(version), await ofKind(search, 'recovery'));
    if (notes === undefined || notes.length === 0) throw fail('VERSION_NOT_FOUND', { version });
    return pageOf(`Recovery: ${version}`, notes.toSorted(byTime).toReversed(), 'search_journey finds them, with kind "recovery".');
  },
  complete: { version: async (begun, { search }) => completing(begun, [LATEST, ...versionsIn(await ofKind(search, 'recovery'))]) },
});
