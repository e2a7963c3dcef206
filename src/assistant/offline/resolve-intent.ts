/** One question: which tool, with what, and what is still to be found out or asked. */
import { opens } from '../../core/access.ts';
import { CUSTOMER_ROLES, STAFF_ROLES } from '../../core/people.ts';
import { overlaps, type Reading } from './annotate.ts';
import type { Thinking } from './context.ts';
import { POINTING } from './ellipsis.ts';
import { carryOut } from './execute-intent.ts';
import type { Frame, Past, Result, Wish } from './frame.ts';
import { clear } from './intent-confidence.ts';
import { anotherOf, isNear, weigh, type Weighed } from './intent-scoring.ts';
import { aboutSelf, findersFor } from './lookup.ts';
import { namesItsThing, seesOwnOnly } from './nouns.ts';
import { actOf, bare, orderedBy } from './rank.ts';
import { missedIn, rowsIn, type Shown } from './rows.ts';
import { empty, fold, stem as stemOf } from './tokenise.ts';

const REALMS: Readonly<Record<string, readonly string[]>> = { staff: STAFF_ROLES, customer: CUSTOMER_ROLES };
const NOBODY: Past = { shown: [], reading: undefined, entry: undefined };

export function think(thinking: Thinking, reading: Reading, past: Past = NOBODY, wish: Wish = {}): Frame {
  const { index, allowed } = thinking;
  const frame = (result: Result, input: Readonly<Record<string, unknown>> = {}, shown: readonly Shown[] = []): Frame => ({
    reading,
    entry: 'entry' in result ? result.entry : undefined,
    input,
    shown,
    result,
  });
  const ranked = weigh(thinking, reading, index.entries, past, wish);
  const mine = ranked.filter(({ entry }) => allowed.has(entry.name));
  const others = ranked.filter(({ entry }) => !allowed.has(entry.name));
  const [other] = others.filter(({ entry }) => entry.tool.roles.some((role) => REALMS[thinking.person.realm]?.includes(role)));
  // "Approve it": what was just shown is meant, where somebody who may do so asks.
  const pointed =
    past.shown.length > 0 && (POINTING.test(reading.text) || reading.words.length === 1) && actOf(reading) === 'orders'
      ? mine.find((each) => orderedBy(each.entry, reading) && (isNear(each, past) || anotherOf(each.entry, reading, past)))
      : undefined;
  // A look that fits costs nothing; only what changes something has to be the best of all.
  const sure = mine[0] && (mine[0].entry === wish.entry || clear(index, mine[0], reading)) ? mine[0] : undefined;
  const look =
    sure || reading.words.length === 0 || actOf(reading) === 'orders'
      ? undefined
      : mine.find(
          (each) =>
            !each.entry.changes &&
            each.contains >= 0.6 &&
            each.covers >= 0.2 &&
            valued(each) &&
            2 * each.filled.left.length <= reading.words.length &&
            each.total > (mine[0]?.total ?? 0) - 0.25 &&
            clear(index, each, reading),
        );
  const best = pointed ?? sure ?? look ?? mine[0];
  // A right that is missing is spoken of only where that very thing was asked for.
  const meant =
    other &&
    (other.entry.changes
      ? other.filled.missing.length === 0 || namesItsThing(index, other.entry, reading)
      : (other.contains >= 0.35 &&
          valued(other) &&
          !other.entry.slots.some(({ kind, key }) => kind === 'query' && key in other.filled.input)) ||
        namesItsThing(index, other.entry, reading));
  const strange = other?.entry.slots.some(
    ({ key }) =>
      index.known.has(key) &&
      typeof other.filled.input[key] === 'string' &&
      !index.known.get(key)?.has(fold(String(other.filled.input[key]))) &&
      other.contains < 0.8,
  );
  const named =
    best?.entry.changes &&
    other?.entry.changes &&
    clear(index, best, reading) &&
    namesItsThing(index, best.entry, reading) &&
    !namesItsThing(index, other.entry, reading);
  // "It" is nothing of another part of the company than the one that was talked of.
  const apart =
    other?.entry.changes &&
    past.entry &&
    past.entry.tool.domain !== other.entry.tool.domain &&
    POINTING.test(reading.text) &&
    !namesItsThing(index, other.entry, reading);
  if (
    other &&
    meant &&
    !strange &&
    !pointed &&
    !named &&
    !apart &&
    other.total >= 0.36 &&
    clear(index, other, reading) &&
    (!best || other.total > best.total + 0.15 || !clear(index, best, reading))
  ) {
    return frame({ type: 'refused', entry: other.entry, roles: !opens(other.entry.tool, thinking.person.roles) });
  }
  if (!best || !(wish.entry === best.entry || best === pointed || clear(index, best, reading))) {
    const order = actOf(reading) === 'orders';
    return (
      (order ? undefined : written(thinking, reading, frame)) ??
      frame({ type: 'lost', near: mine.slice(0, 4).map(({ entry }) => entry), order })
    );
  }
  // What is everyone's is not for whoever sees only their own.
  if (EVERYONES.test(reading.text) && !aboutSelf(reading) && !best.entry.changes && seesOwnOnly(best.entry, thinking.person))
    return frame({ type: 'refused', entry: best.entry, roles: true, others: true });
  let first: Frame | undefined;
  const tried = new Set<string>();
  for (const each of pointed
    ? [pointed]
    : mine
        .filter(
          (candidate) =>
            candidate.total <= best.total &&
            candidate.total > best.total - (best.entry.changes || !reading.names.some((name) => name.sure) ? 0.22 : 0.4) &&
            (candidate === best || (clear(index, candidate, reading) && candidate.entry.changes === best.entry.changes)),
        )
        .slice(0, 3)) {
    // Another tool is tried where a name was found nowhere, not where it would be looked for in the same place.
    const where = each.filled.mentions.map(({ slot }) => findersFor(thinking, each.entry, slot)[0]?.name ?? '').join() || each.entry.name;
    if (tried.has(where)) continue;
    // Nor where there is no place for what was named.
    if (
      first &&
      [...reading.ids, ...reading.names.filter((name) => name.sure)].some((span) => !each.filled.used.some((used) => overlaps(used, span)))
    )
      continue;
    tried.add(where);
    const done = carryOut(thinking, each, reading, past, wish, frame);
    if (done.result.type !== 'unknown' && !foundNothing(done) && !notEnough(done)) return done;
    if (done.result.type === 'unknown' && done.result.wrong > 0) return done;
    first ??= done;
    // What was looked for in one collection of texts may stand in another.
    const elsewhere =
      foundNothing(done) && !each.entry.tool.lastResort && each.entry.slots.some(({ kind, key }) => kind === 'query' && key in done.input)
        ? written(thinking, reading, frame)
        : undefined;
    if (elsewhere) return elsewhere;
  }
  return first ?? frame({ type: 'lost', near: [], order: false });
}

const EVERYONES = /\b(?:everyone|everybody|all (?:the |our )?(?:employees|staff|people|colleagues))(?:'?s?'?)\b/i;
/** "Who is Priya?" is no pattern for a question that names nobody. */
const valued = ({ example, filled }: Weighed): boolean => {
  const keys = Object.keys(example?.input ?? {});
  return keys.length === 0 || keys.some((key) => key in filled.input || filled.mentions.some(({ slot }) => slot.key === key));
};

/** The tool needs more than was said; another may not. */
const notEnough = ({ result }: Frame): boolean =>
  result.type === 'answered' &&
  !result.entry.changes &&
  result.answer.status === 'error' &&
  (result.answer.code === 'VALIDATION_ERROR' || (result.about !== undefined && result.answer.code.endsWith('_NOT_FOUND')));

/** Nothing was found by a name or by words: they may be those of something else. */
function foundNothing({ result }: Frame): boolean {
  if (result.type !== 'answered' || result.answer.status !== 'success' || result.entry.tool.kind !== 'list') return false;
  if (rowsIn(result.answer).length > 0) return missedIn(result.entry, rowsIn(result.answer)[0], result.input).length > 0;
  return result.entry.slots.some(({ kind, key }) => (kind === 'query' || kind === 'name') && key in result.input);
}

/** No tool is for it, but somebody may have written it down: said only where most of the words are found there. */
function written(
  thinking: Thinking,
  reading: Reading,
  frame: (result: Result, input?: Readonly<Record<string, unknown>>, shown?: readonly Shown[]) => Frame,
): Frame | undefined {
  const entry = [...thinking.allowed.values()].find(({ tool }) => tool.lastResort);
  const query = entry?.slots.find(({ kind }) => kind === 'query');
  const words = reading.words.filter(
    ({ token }) =>
      !empty.has(token.word) &&
      token.word.length > 2 &&
      !/^(?:say|says|notes?|entry|entries|written|knowledge|base|explain|mean)$/.test(token.word),
  );
  if (
    !entry ||
    !query ||
    words.length === 0 ||
    words.length > 8 ||
    !/^(?:what|how|who|where|when|which|is|are|do|does|can|tell|explain)\b/i.test(bare(reading.text))
  )
    return undefined;
  const input = { [query.key]: words.map(({ token }) => token.word).join(' ') };
  const answer = thinking.memory.ask(entry.name, input);
  if (answer.status !== 'success') return undefined;
  const rows = rowsIn(answer).filter((row) => {
    const text = new Set(
      fold(
        Object.values(row)
          .filter((value) => typeof value === 'string')
          .join(' '),
      )
        .split(/[^a-z0-9]+/)
        .map(stemOf),
    );
    return (
      words.filter(({ stem, token }) => text.has(stem) || token.word.split('-').every((part) => text.has(stemOf(part)))).length >=
      Math.max(1, words.length * 0.6)
    );
  });
  if (rows.length === 0) return undefined;
  const { metadata: _, ...found } = answer;
  return frame({ type: 'answered', entry, input, answer: { ...found, data: rows.slice(0, 3) }, about: undefined, called: '' }, input, [
    { entry, rows },
  ]);
}
