/** Resolves the intent of an utterance: selects a tool, checks the permission, and executes the tool or explains the refusal. */
import { opens } from '../../engine/access.ts';
import { planAnalysis } from './analysis-plan.ts';
import { overlaps, type Utterance } from './annotate.ts';
import type { TurnContext } from './context.ts';
import { ANAPHORA } from './ellipsis.ts';
import { executeIntent } from './execute-intent.ts';
import type { Frame, PreviousTurn, IntentResult, IntentHints } from './frame.ts';
import { isConfident } from './intent-confidence.ts';
import { requestsAnother, refersToShownRows, scoreIntents, type ScoredIntent } from './intent-scoring.ts';
import { isAboutSelf, findersFor } from './lookup.ts';
import { namesRecordKind, seesOwnOnly } from './nouns.ts';
import { speechActOf, stripPoliteness, commandsToolVerb } from './rank.ts';
import { toolInQuestion } from './rules.ts';
import { unmatchedWords, rowsIn, type ShownRows } from './rows.ts';
import { isAboutRules, mayChange, type SentenceType } from './sentence-type.ts';
import { stopWords, fold, stem as stemOf } from './tokenise.ts';

const NO_PREVIOUS_TURN: PreviousTurn = { shown: [], utterance: undefined, entry: undefined };

export function resolveIntent(
  context: TurnContext,
  utterance: Utterance,
  { previous = NO_PREVIOUS_TURN, hints = {} }: { previous?: PreviousTurn; hints?: IntentHints } = {},
): Frame {
  const { index, allowed } = context;
  const frame = (result: IntentResult, input: Readonly<Record<string, unknown>> = {}, shown: readonly ShownRows[] = []): Frame => ({
    utterance,
    entry: 'entry' in result ? result.entry : undefined,
    input,
    shown,
    result,
  });
  const { sentence } = context;
  const about = isAboutRules(sentence) ? toolInQuestion(context, utterance, sentence.type) : undefined;
  if (about) return frame({ type: 'rules', entry: about, asked: sentence.type });
  const figures = sentence.type === 'order' ? undefined : planAnalysis(context, utterance);
  if (figures) {
    const { tool, entry, input, leftOut } = figures;
    return frame({ type: 'figures', entry, answer: context.memory.call(tool, input), leftOut }, input);
  }
  const scored = scoreIntents(context, utterance, { pool: index.entries, previous, hints });
  const ranked = mayChange(sentence) ? scored : scored.filter(({ entry }) => !entry.mutates);
  const wished = scored[0] && !ranked.includes(scored[0]) && isConfident(index, scored[0], utterance) ? scored[0].entry : undefined;
  if (wished && LEAVES_ALONE.has(sentence.type)) return frame({ type: 'left-alone', asked: sentence.type, entry: wished });
  const mine = ranked.filter(({ entry }) => allowed.has(entry.name));
  const others = ranked.filter(({ entry }) => !allowed.has(entry.name));
  const [other] = others.filter(({ entry }) => entry.tool.roles.some((role) => index.roles[context.person.realm].includes(role)));
  // "Approve it": prefers a permitted tool for the rows shown last.
  const pointed =
    previous.shown.length > 0 && (ANAPHORA.test(utterance.text) || utterance.words.length === 1) && speechActOf(utterance) === 'command'
      ? mine.find(
          (each) =>
            commandsToolVerb(each.entry, utterance) &&
            (refersToShownRows(each, previous) || requestsAnother(each.entry, utterance, previous)),
        )
      : undefined;
  // A change needs the best score. A read that fits well may win with a lower score.
  const sure = mine[0] && (mine[0].entry === hints.entry || isConfident(index, mine[0], utterance)) ? mine[0] : undefined;
  const look =
    sure || utterance.words.length === 0 || speechActOf(utterance) === 'command'
      ? undefined
      : mine.find(
          (each) =>
            !each.entry.mutates &&
            each.exampleCoverage >= 0.6 &&
            each.coverage >= 0.2 &&
            fillsExampleValue(each) &&
            2 * each.filled.unexplained.length <= utterance.words.length &&
            each.total > (mine[0]?.total ?? 0) - 0.25 &&
            isConfident(index, each, utterance),
        );
  const best = pointed ?? sure ?? look ?? mine[0];
  // A missing permission is reported only if the utterance clearly asks for that tool.
  const meant =
    other &&
    (other.entry.mutates
      ? other.filled.missing.length === 0 || namesRecordKind(index, other.entry, utterance)
      : (other.exampleCoverage >= 0.35 &&
          fillsExampleValue(other) &&
          !other.entry.slots.some(({ kind, key }) => kind === 'query' && key in other.filled.input)) ||
        namesRecordKind(index, other.entry, utterance));
  const strange = other?.entry.slots.some(
    ({ key }) =>
      index.knownValues.has(key) &&
      typeof other.filled.input[key] === 'string' &&
      !index.knownValues.get(key)?.has(fold(String(other.filled.input[key]))) &&
      other.exampleCoverage < 0.8,
  );
  const named =
    best?.entry.mutates &&
    other?.entry.mutates &&
    isConfident(index, best, utterance) &&
    namesRecordKind(index, best.entry, utterance) &&
    !namesRecordKind(index, other.entry, utterance);
  const apart =
    other?.entry.mutates &&
    previous.entry &&
    previous.entry.tool.domain !== other.entry.tool.domain &&
    ANAPHORA.test(utterance.text) &&
    !namesRecordKind(index, other.entry, utterance);
  if (
    other &&
    meant &&
    !strange &&
    !pointed &&
    !named &&
    !apart &&
    other.total >= 0.36 &&
    isConfident(index, other, utterance) &&
    (!best || other.total > best.total + 0.15 || !isConfident(index, best, utterance))
  ) {
    return frame({ type: 'refused', entry: other.entry, roles: !opens(other.entry.tool, context.person.roles) });
  }
  if (!best || !(hints.entry === best.entry || best === pointed || isConfident(index, best, utterance))) {
    const order = speechActOf(utterance) === 'command';
    return (
      (order ? undefined : searchKnowledge(context, utterance, frame)) ??
      frame({ type: 'no-intent', near: mine.slice(0, 4).map(({ entry }) => entry), order })
    );
  }
  if (EVERYONE.test(utterance.text) && !isAboutSelf(utterance) && !best.entry.mutates && seesOwnOnly(best.entry, context.person))
    return frame({ type: 'refused', entry: best.entry, roles: true, others: true });
  let first: Frame | undefined;
  const tried = new Set<string>();
  for (const each of pointed
    ? [pointed]
    : mine
        .filter(
          (candidate) =>
            candidate.total <= best.total &&
            candidate.total > best.total - (best.entry.mutates || !utterance.names.some((name) => name.isCertain) ? 0.22 : 0.4) &&
            (candidate === best || (isConfident(index, candidate, utterance) && candidate.entry.mutates === best.entry.mutates)),
        )
        .slice(0, 3)) {
    // If a name was not found, another tool is tried, unless it would search with the same finder.
    const where = each.filled.references.map(({ slot }) => findersFor(context, each.entry, slot)[0]?.name ?? '').join() || each.entry.name;
    if (tried.has(where)) continue;
    if (
      first &&
      [...utterance.ids, ...utterance.names.filter((name) => name.isCertain)].some(
        (span) => !each.filled.used.some((used) => overlaps(used, span)),
      )
    )
      continue;
    tried.add(where);
    const done = executeIntent(context, each, { utterance, previous, hints, frame });
    if (done.result.type !== 'not-found' && !foundNoMatch(done) && !lacksInput(done)) return done;
    if (done.result.type === 'not-found' && done.result.wrong > 0) return done;
    first ??= done;
    const elsewhere =
      foundNoMatch(done) && !each.entry.tool.lastResort && each.entry.slots.some(({ kind, key }) => kind === 'query' && key in done.input)
        ? searchKnowledge(context, utterance, frame)
        : undefined;
    if (elsewhere) return elsewhere;
  }
  return first ?? frame({ type: 'no-intent', near: [], order: false });
}

/** Types of sentences that speak of a change without asking for data. */
const LEAVES_ALONE: ReadonlySet<SentenceType> = new Set(['negation', 'condition', 'doubt', 'what-if']);

const EVERYONE = /\b(?:everyone|everybody|all (?:the |our )?(?:employees|staff|people|colleagues))(?:'?s?'?)\b/i;
/** An example with a name, such as "Who is Priya?", does not match an utterance without a name. */
const fillsExampleValue = ({ example, filled }: ScoredIntent): boolean => {
  const keys = Object.keys(example?.input ?? {});
  return keys.length === 0 || keys.some((key) => key in filled.input || filled.references.some(({ slot }) => slot.key === key));
};

const lacksInput = ({ result }: Frame): boolean =>
  result.type === 'answered' &&
  !result.entry.mutates &&
  result.answer.status === 'error' &&
  (result.answer.code === 'VALIDATION_ERROR' || (result.about !== undefined && result.answer.code.endsWith('_NOT_FOUND')));

function foundNoMatch({ result }: Frame): boolean {
  if (result.type !== 'answered' || result.answer.status !== 'success' || result.entry.tool.kind !== 'list') return false;
  if (rowsIn(result.answer).length > 0) return unmatchedWords(result.entry, rowsIn(result.answer)[0], result.input).length > 0;
  return result.entry.slots.some(({ kind, key }) => (kind === 'query' || kind === 'name') && key in result.input);
}

/** Searches the knowledge base if no tool fits. A row matches if it contains most of the words. */
function searchKnowledge(
  context: TurnContext,
  utterance: Utterance,
  frame: (result: IntentResult, input?: Readonly<Record<string, unknown>>, shown?: readonly ShownRows[]) => Frame,
): Frame | undefined {
  const entry = [...context.allowed.values()].find(({ tool }) => tool.lastResort);
  const query = entry?.slots.find(({ kind }) => kind === 'query');
  const words = utterance.words.filter(
    ({ token }) =>
      !stopWords.has(token.word) &&
      token.word.length > 2 &&
      !/^(?:say|says|notes?|entry|entries|written|knowledge|base|explain|mean)$/.test(token.word),
  );
  if (
    !entry ||
    !query ||
    words.length === 0 ||
    words.length > 8 ||
    !/^(?:what|how|who|where|when|which|is|are|do|does|can|tell|explain)\b/i.test(stripPoliteness(utterance.text))
  )
    return undefined;
  const input = { [query.key]: words.map(({ token }) => token.word).join(' ') };
  const answer = context.memory.call(entry.name, input);
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
