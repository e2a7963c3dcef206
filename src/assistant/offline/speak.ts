/** The answer in words: the figure that was asked for first, then the rows. */
import type { Answer, ListMetadata } from '../../core/answer.ts';
import { hiddenFrom } from '../../core/access.ts';
import { HIDDEN } from '../../core/display.ts';
import type { Role } from '../../core/people.ts';
import type { Asker } from './asker.ts';
import type { Entry, Index } from './learn.ts';
import { missedIn, nameOf, type Row, rowsIn } from './lookup.ts';
import { rowOf } from './learn.ts';
import { bare } from './rank.ts';
import type { Reading } from './read.ts';
import { isId, type Schema, solid } from './schema.ts';
import { cell, columns, label, money, table, value } from './table.ts';
import { alike } from './thesaurus.ts';
import type { Frame, Result } from './think.ts';
import { seesOwnOnly } from './things.ts';
import { empty, stem } from './words.ts';

export interface Speaking {
  readonly index: Index;
  readonly person: Asker;
  readonly allowed: ReadonlyMap<string, Entry>;
}
const named = (roles: readonly Role[]): string => (roles.length > 1 ? `${roles.slice(0, -1).join(', ')} or ${roles.at(-1)}` : (roles[0] ?? ''));
const lowered = (text: string): string => (/^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1));
export const plural = (entry: Entry): string => entry.tool.plural ?? lowered(entry.tool.title).replace(/^my /, '');

export function speak(speaking: Speaking, frame: Frame): string {
  const { result, reading } = frame;
  switch (result.type) {
    case 'answered':
      return answered(speaking, result, reading);
    case 'which':
      return which(result);
    case 'missing':
      return missing(result);
    case 'unknown':
      return unknown(result);
    case 'refused':
      return refused(speaking, result);
    case 'lost':
      return lost(speaking, result);
  }
}

function answered(speaking: Speaking, result: Result & { type: 'answered' }, reading: Reading): string {
  const { answer, entry } = result;
  if (answer.status === 'pending_confirmation') return `${stopped(answer.message.replace(/\s*(?:Nothing has changed yet\.|Approve or deny.*$)/gi, ''))} Nothing changes until you approve it: please check the card and decide there.`;
  const given = Object.entries(result.input).find(([key]) => speaking.index.oneself.has(key))?.[1];
  // Another's rows, for someone who sees their own: that there are none would be only half the truth.
  if (given !== undefined && given !== speaking.person.employeeId && seesOwnOnly(entry, speaking.person) && (answer.status === 'error' || rowsIn(answer).length === 0)) {
    return `You may only see your own ${plural(entry)}${result.called === '' ? '' : `, not those of ${cell(result.called)}`}.`;
  }
  if (answer.status === 'error') return failed(result, answer);
  if (entry.changes) return done(entry, answer);
  const list = answer.metadata;
  const text = list || Array.isArray(answer.data) ? rows(speaking, result, rowsIn(answer), list, reading) : one(speaking, entry, (answer.data ?? {}) as Row, reading);
  const { others = [], unplaced = [], among } = result;
  const newest = among ? `\n\nThis is the newest of ${among.count} ${plural(among.entry)}.` : '';
  const more = others.length > 0 ? `\n\n${others.length === 1 ? 'One other fits' : `${others.length} others fit`} as well: ${others.slice(0, 5).map((row) => `"${titleOf(row)}"`).join(', ')}${others.length > 5 ? ', …' : ''}.` : '';
  return `${text}${newest}${more}${unplaced.length > 0 ? `\n\nI could not narrow this down by ${unplaced.map((part) => `"${cell(part)}"`).join(' and ')}.` : ''}`;
}
const stopped = (text: string): string => (/[.!?:]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);

function failed(result: Result & { type: 'answered' }, { code, message, suggestedAction }: Extract<Answer, { status: 'error' }>): string {
  const about = result.called !== '' && code.endsWith('_NOT_FOUND') ? `I could not find ${cell(result.called)} among what you may see. ` : '';
  const may = code === 'INSUFFICIENT_PERMISSIONS' || code === 'SEPARATION_OF_DUTIES' ? 'You may not do that. ' : result.entry.changes && about === '' ? 'I cannot do that. ' : '';
  return `${about}${may}${stopped(message)} ${/[a-z]+_[a-z]+/.test(suggestedAction) ? toolNamesInWords(suggestedAction) : suggestedAction}`.trim();
}
/** A hint names tools for programs; a person reads what they do. */
const toolNamesInWords = (text: string): string => text.replace(/\b([a-z]+(?:_[a-z]+)+)\b/g, (name) => name.replaceAll('_', ' '));

function done(entry: Entry, answer: Extract<Answer, { status: 'success' }>): string {
  const [row] = rowsIn(answer);
  if (!row) return `Done: ${lowered(entry.tool.title)}.`;
  const shape = entry.row;
  const facts = columns(shape, [row], [], 5).map((key) => `${lowered(label(key))} ${value(row[key], shape.properties?.[key], key)}`);
  const id = Object.keys(row).find((key) => isId(key) && String(row[key]).length < 12);
  return `Done: ${lowered(entry.tool.title)}${facts.length > 0 ? ` (${[...(id ? [`${lowered(label(id))} ${String(row[id])}`] : []), ...facts].join(', ')})` : ''}.`;
}

const WHY = /\bwhy\b|\bwhat (?:was|is) the reason\b|\bhow come\b/i;
const HOW_IT_STANDS = /^(?:is|are|was|were|has|have|did|does) my\b|\b(?:status|state) of\b|\bwhere (?:does|do) .+ stand\b|\b(?:gone|go|went|goes) through\b/i;
/** "Frank Davis: rejection reason …, status …." */
export const factsOf = (shape: Schema, row: Row, keys: readonly string[]): string => {
  const title = titleOf(row);
  return `${title ? `${title}: ` : ''}${keys.map((key, at) => `${at === 0 && !title ? label(key) : lowered(label(key))} ${strong(value(row[key], shape.properties?.[key], key))}`).join(', ')}.`;
};
/** What was asked of a few rows, said of each of them before the table; of many, how many are how far. */
function said(shape: Schema, found: readonly Row[], reading: Reading, input: Readonly<Record<string, unknown>>): string {
  const text = bare(reading.text);
  const state = Object.keys(shape.properties ?? {}).find((key) => /(?:^|_)status$/.test(key) && solid(shape.properties?.[key]).enum);
  const stands = state !== undefined && !(state in input) && HOW_IT_STANDS.test(text) ? [state] : [];
  if (stands.length > 0 && state !== undefined && found.length > 3) {
    const counts = new Map<string, number>();
    for (const row of found) counts.set(value(row[state], shape.properties?.[state], state), (counts.get(value(row[state], shape.properties?.[state], state)) ?? 0) + 1);
    return `Of these, ${[...counts].map(([each, count]) => `${count} ${count === 1 ? 'is' : 'are'} ${strong(each)}`).join(', ')}.`;
  }
  const keys = [...new Set([...(WHY.test(text) || /^(?:whats?|what's|who|when|where|which|is|does|did|has|how)\b/i.test(text) ? asked(shape, reading) : []), ...stands])];
  if (keys.length === 0 || found.length > 3) return '';
  return found.flatMap((row) => {
    const own = keys.filter((key) => !isId(key) && row[key] !== null && row[key] !== undefined && row[key] !== HIDDEN && typeof row[key] !== 'object' && row[key] !== nameOf(row));
    return own.length > 0 ? [factsOf(shape, row, own)] : [];
  }).join(' ');
}

/** The fields that the question names. */
export function asked(shape: Schema, reading: Reading): string[] {
  const why = WHY.test(reading.text) ? Object.keys(shape.properties ?? {}).filter((key) => /(?:^|_)(?:reason|cause|why)$/.test(key)) : [];
  return [...why, ...namedIn(shape, reading).filter((key) => !why.includes(key))];
}
function namedIn(shape: Schema, reading: Reading): string[] {
  const words = reading.words.filter(({ token }) => !empty.has(token.word));
  return Object.keys(shape.properties ?? {}).filter((key) => {
    const parts = key.split('_').filter((part) => !/^(?:amount|total|name|number|id|date|at|count|percent|status|of)$/.test(part));
    return parts.length > 0 && parts.every((part) => words.some(({ token }) => token.stem === stem(part) || alike(token.word, part)));
  });
}

const HOW_MANY = /\bhow many\b|\bnumber of\b|\bcount\b|\bheadcount\b/i;
const WHETHER = /^(?:is|are|do|does|did|have|has|was|were|any)\b/i;

function rows(speaking: Speaking, { entry, input }: Result & { type: 'answered' }, found: readonly Row[], list: ListMetadata | undefined, reading: Reading): string {
  const what = plural(entry);
  const shape = entry.tool.kind === 'list' ? entry.row : rowOf(entry.tool.output);
  const summary = (list?.summary ?? {}) as Row;
  const told = sums(entry, summary, reading);
  if (found.length === 0) return `${WHETHER.test(reading.text) ? 'No. ' : ''}There are ${HOW_MANY.test(reading.text) ? '0' : 'no'} matching ${what}${told ? `. ${told}` : '.'}`.trim();
  const more = list?.hasMore === true;
  const counted = typeof summary['count'] === 'number' ? summary['count'] : undefined;
  const total = counted ?? (more ? undefined : found.length);
  const number = total === undefined ? `more than ${found.length}` : String(total);
  const noun = total === 1 ? singular(what) : what;
  const head = HOW_MANY.test(reading.text)
    ? `There ${total === 1 ? 'is' : 'are'} ${number} ${noun}${more ? ` (${list?.totalCount ?? `${found.length}+`})` : ''}.`
    : `${WHETHER.test(reading.text) && /^(?:any|are there|is there|do we have|are we|have we)\b/i.test(reading.text) ? 'Yes: ' : ''}${more ? `The first ${found.length} of ${counted ?? list?.totalCount ?? `${found.length}+`} ${what}` : `${found.length} ${found.length === 1 ? singular(what) : what}`}:`;
  const wanted = asked(shape, reading);
  const extreme = outstanding(shape, found, reading);
  const secret = hidden(speaking, entry, found, wanted);
  const rest = more ? `\n\nThis is not all: say "show more" for the next ${found.length === 1 ? 'one' : found.length}, or narrow it down${narrowing(entry)}.` : '';
  const doubt = ambiguous(found, reading, entry) ? '\n\nWhich one do you mean?' : '';
  const texts = found.length <= 3 ? texting(shape, found) : closest(entry, shape, found, input);
  const doubtful = texts === '' ? '' : unsaid(entry, found, input);
  const answer = extreme ? '' : said(shape, found, reading, input);
  const first = extreme ? `${more ? `Of the first ${found.length}, the` : 'The'} ${extreme.word} is ${titleOf(extreme.row) || 'this one'}: ${lowered(label(extreme.key))} ${strong(value(extreme.row[extreme.key], shape.properties?.[extreme.key], extreme.key))}.\n\n` : '';
  return `${doubtful}${answer ? `${answer}\n\n` : ''}${first}${head.replace(/:$/, told ? '.' : ':')}${told ? ` ${told}` : ''}${secret ? ` ${secret}` : ''}\n\n${found.length > 3 && texts ? `${texts}\n\n` : ''}${(found.length <= 3 ? texts : '') || table(shape, extreme ? extreme.sorted : found, extreme ? [extreme.key, ...wanted] : wanted)}${rest}${doubt}`;
}
/** "The biggest", "the oldest": by the first figure or day of the rows, where one of them was asked for. */
const EXTREMES: readonly [RegExp, 'figure' | 'day', 1 | -1][] = [[/\b(biggest|largest|highest|most (?:expensive|valuable))\b/i, 'figure', -1], [/\b(smallest|lowest|cheapest)\b/i, 'figure', 1], [/\b(newest|latest|most recent)\b/i, 'day', -1], [/\b(oldest|earliest)\b/i, 'day', 1]];
function outstanding(shape: Schema, found: readonly Row[], reading: Reading): { word: string; row: Row; key: string; sorted: readonly Row[] } | undefined {
  if (found.length < 2) return undefined;
  for (const [pattern, by, sign] of EXTREMES) {
    const word = pattern.exec(reading.text)?.[1];
    if (word === undefined) continue;
    const named = asked(shape, reading);
    const fits = (key: string): boolean => {
      const own = solid(shape.properties?.[key]);
      return found.some((row) => row[key] !== null && row[key] !== HIDDEN && row[key] !== undefined) && (by === 'figure' ? own.unit === 'USD' || (named.includes(key) && typeof found[0]?.[key] === 'number') : own.format === 'date' || own.format === 'date-time');
    };
    const keys = Object.keys(shape.properties ?? {}).filter(fits);
    const key = keys.find((each) => named.includes(each)) ?? keys[0];
    if (key === undefined) return undefined;
    // Among values of which some are hidden nobody can say which is the highest.
    if (found.some((each) => each[key] === HIDDEN)) return undefined;
    const size = (each: Row): number => (by === 'figure' ? Number(each[key]) : Date.parse(String(each[key])));
    const has = (each: Row): boolean => each[key] !== null && each[key] !== undefined;
    const sorted = [...found.filter(has).sort((a, b) => sign * (size(a) - size(b)) || 0), ...found.filter((each) => !has(each))];
    const [row] = sorted;
    return row ? { word: word.toLowerCase(), row, key, sorted } : undefined;
  }
  return undefined;
}
/** A few rows that are texts: the texts themselves. */
function texting(shape: Schema, found: readonly Row[]): string {
  const text = (row: Row | undefined, key: string): string => (typeof row?.[key] === 'string' ? row[key] : '');
  const keys = Object.entries(shape.properties ?? {}).filter(([, schema]) => schema.untrusted === true || solid(schema).untrusted === true).map(([each]) => each);
  const [key] = keys.filter((each) => found.every((row) => text(row, each).length > 40)).sort((a, b) => text(found[0], b).length - text(found[0], a).length);
  return key === undefined ? '' : found.map((row) => `- **${titleOf(row)}**: ${cell(text(row, key)).slice(0, 1200)}`).join('\n');
}
/** Of many texts that a search found, the one that fits best, in full. */
function closest(entry: Entry, shape: Schema, found: readonly Row[], input: Readonly<Record<string, unknown>>): string {
  if (!entry.tool.lastResort || !entry.slots.some(({ kind, key }) => kind === 'query' && key in input)) return '';
  const text = texting(shape, found.slice(0, 1));
  return text === '' ? '' : `The closest is:\n\n${text}`;
}
/** What was looked for and is nowhere in the best that was found: the person should know. */
function unsaid(entry: Entry, found: readonly Row[], input: Readonly<Record<string, unknown>>): string {
  const missed = missedIn(entry, found[0], input);
  return missed.length === 0 ? '' : `I found nothing that speaks of ${missed.map((word) => `"${cell(word)}"`).join(' and ')}, so this may not be what you mean.\n\n`;
}
const singular = (words: string): string => words.replace(/ies$/, 'y').replace(/people$/, 'person').replace(/([^s])s$/, '$1');
const narrowing = (entry: Entry): string => {
  const keys = entry.slots.filter(({ kind }) => ['choice', 'name', 'date', 'amount'].includes(kind)).map(({ base }) => base.replaceAll('_', ' '));
  return keys.length > 0 ? `, for example by ${[...new Set(keys)].slice(0, 3).join(', ')}` : '';
};
/** Two of one name, where one was asked for. */
const ambiguous = (found: readonly Row[], reading: Reading, entry: Entry): boolean =>
  found.length > 1 && found.length <= 8 && reading.names.length === 1 && reading.names[0]?.possessive === true && entry.slots.some(({ key }) => key === 'name');

/** Totals over all that match, as the tool adds them up. */
function sums(entry: Entry, summary: Row, reading: Reading): string {
  const parts = Object.entries(summary).filter(([key, given]) => given !== null && key !== 'count' && entry.tool.summary.includes(key)).map(([key, given]) => {
    const text = typeof given === 'number' && !isCount(key) ? money(given) : value(given, undefined, key);
    return `${lowered(label(key))} ${text}`;
  });
  if (parts.length === 0) return '';
  const lead = reading.whens.length > 0 || parts.length > 1 ? 'In all: ' : '';
  return `${lead === '' ? parts.join(', ').replace(/^./, (letter) => letter.toUpperCase()) : `${lead}${parts.join(', ')}`}.`;
}
const isCount = (key: string): boolean => /count|filed|open$|number/.test(key);

function hidden(speaking: Speaking, entry: Entry, found: readonly Row[], wanted: readonly string[]): string {
  const secret = wanted.filter((key) => found.length > 0 && found.every((row) => row[key] === HIDDEN));
  if (secret.length === 0) return '';
  const masks = hiddenFrom(entry.tool, speaking.person);
  const roles = [...new Set(masks.filter(({ hides, mask }) => secret.some((key) => alike(mask, key) || hides.toLowerCase().includes(key.replaceAll('_', ' ')))).flatMap(({ shownTo }) => shownTo))];
  return `${label(secret[0] ?? '')} is hidden from you: ${roles.length > 0 ? `only ${named(roles)} may see it` : 'your roles do not include it'}.`;
}

function one(speaking: Speaking, entry: Entry, row: Row, reading: Reading): string {
  const shape = entry.row;
  const wanted = asked(shape, reading);
  const secret = hidden(speaking, entry, [row], wanted);
  const simple = Object.keys(row).filter((key) => typeof row[key] !== 'object' && row[key] !== null && !isId(key));
  const title = titleOf(row);
  const first = wanted.filter((key) => simple.includes(key) && row[key] !== HIDDEN);
  const nested = Object.entries(row).filter(([, inner]) => inner !== null && typeof inner === 'object');
  // "Year to date" is what "ytd" holds.
  const meant = nested.find(([key, inner]) => !Array.isArray(inner) && key.length === 3 && new RegExp(`\\b${[...key].map((letter) => `${letter}\\w*`).join(' ')}\\b|\\b${key}\\b`, 'i').test(reading.text));
  const within = meant ? asked(solid(shape.properties?.[meant[0]]), reading).filter((key) => typeof (meant[1] as Row)[key] === 'number') : [];
  if (meant && within.length > 0) return one(speaking, entry, Object.fromEntries(Object.entries(row).filter(([key]) => key !== meant[0])), { ...reading, words: [] }).replace(/^[^\n]*/, `${title ? `${title}, ` : ''}${lowered(label(meant[0]))}: ${within.map((key) => `${lowered(label(key))} ${strong(value((meant[1] as Row)[key], solid(shape.properties?.[meant[0]]).properties?.[key], key))}`).join(', ')}.`);
  const matched = nested.flatMap(([key, inner]) => inside(key, inner, shape, reading));
  const lead = first.length > 0 ? `${title ? `${title}: ` : ''}${first.map((key, at) => `${at === 0 && !title ? label(key) : lowered(label(key))} ${strong(value(row[key], shape.properties?.[key], key))}`).join(', ')}.` : matched.length > 0 ? `${matched.join('; ')}.` : '';
  const shown = simple.filter((key) => !/^(?:created_at|updated_at|active|first_name|last_name)$/.test(key) && !(title !== '' && /^(?:name|title|subject)$/.test(key)));
  const facts = shown.filter((key) => !first.includes(key)).slice(0, 16).map((key) => `- ${label(key)}: ${key === 'content' || key === 'description' ? cell(String(row[key])) : value(row[key], shape.properties?.[key], key)}`);
  const parts = nested.map(([key, inner]) => part(key, inner, solid(shape.properties?.[key]), reading)).filter((text) => text !== '');
  return [secret, lead || (title === '' ? `${entry.tool.title}:` : `${title}:`), facts.join('\n'), ...parts].filter((text) => text !== '').join('\n\n');
}
const strong = (text: string): string => `**${text}**`;
const titleOf = (row: Row): string => cell(nameOf(row));

/** A row of a list inside that the question names: "how many sick days": the one of that type. */
function inside(key: string, inner: unknown, shape: Schema, reading: Reading): string[] {
  const rowsHere = Array.isArray(inner) ? inner.filter((each): each is Row => each !== null && typeof each === 'object') : [];
  const own = rowOf(solid(shape.properties?.[key]));
  return rowsHere.flatMap((row) => {
    const kind = Object.entries(row).find(([field, given]) => typeof given === 'string' && solid(own.properties?.[field]).enum && reading.words.some(({ token }) => token.word === given.toLowerCase() || alike(token.word, given.toLowerCase())));
    if (!kind) return [];
    const figures = Object.entries(row).filter(([, given]) => typeof given === 'number').map(([field, given]) => `${lowered(label(field))} ${value(given, own.properties?.[field], field)}`);
    return [`${value(kind[1], own.properties?.[kind[0]], kind[0]).replace(/^./, (letter) => letter.toUpperCase())}: ${figures.join(', ')}`];
  }).slice(0, 3);
}
function part(key: string, inner: unknown, schema: Schema, reading: Reading): string {
  if (Array.isArray(inner)) {
    if (inner.length === 0) return '';
    if (inner.every((each) => each === null || typeof each !== 'object')) return `${label(key)}: ${cell(inner.slice(0, 20).join(', '))}`;
    const found = inner.filter((each): each is Row => each !== null && typeof each === 'object').slice(0, 25);
    const shape = rowOf(schema);
    if (found.some((row) => Array.isArray(row[key]))) return tree(found, key, 0).slice(0, 60).join('\n');
    return `**${label(key)}**\n\n${table(shape, found, asked(shape, reading))}`;
  }
  const row = inner as Row;
  const facts = Object.entries(row).filter(([field, given]) => given !== null && typeof given !== 'object' && !isId(field)).map(([field, given]) => `${lowered(label(field))} ${value(given, schema.properties?.[field], field)}`);
  return facts.length > 0 ? `- ${label(key)}: ${facts.join(', ')}` : '';
}
/** What nests in itself, such as an org chart: by indentation. */
function tree(found: readonly Row[], key: string, depth: number): string[] {
  return found.flatMap((row) => {
    const count = Object.entries(row).find(([field, given]) => /count/.test(field) && typeof given === 'number' && given > 0);
    const facts = ['title', 'department'].map((field) => row[field]).filter((given) => typeof given === 'string').join(', ');
    const line = `${'  '.repeat(depth)}- ${titleIn(row)}${facts ? ` – ${cell(facts)}` : ''}${count ? ` (${String(count[1])})` : ''}`;
    const below = row[key];
    return [line, ...(Array.isArray(below) && depth < 6 ? tree(below.filter((each): each is Row => typeof each === 'object'), key, depth + 1) : [])];
  });
}
const titleIn = (row: Row): string => (typeof row['name'] === 'string' ? cell(row['name']) : titleOf(row));

const COUNTS: Readonly<Record<number, string>> = { 2: 'Two', 3: 'Three', 4: 'Four', 5: 'Five', 6: 'Six' };
function which({ rows: found, source, entry, called, all }: Result & { type: 'which' }): string {
  const what = plural(source);
  const several = all && entry.changes ? `I can only do this one at a time, each with its own approval. There are ${found.length} ${what} it could be:` : undefined;
  const named = called !== undefined && found.every((row) => titleOf(row).toLowerCase().split(/\s+/).includes(called.toLowerCase()));
  const head = several ?? (named ? `${COUNTS[found.length] ?? found.length} ${what} are called ${cell(called)}.` : `${found.length} ${what}${called ? ` match "${cell(called)}"` : ' could be meant'}:`);
  return `${head}\n\n${table(source.row, found.slice(0, 10), [], 5)}\n\nWhich one do you mean?`;
}
function missing({ slot, entry }: Result & { type: 'missing' }): string {
  const what = label(slot.key.replace(/_id$/, '')).toLowerCase();
  const least = slot.schema.minLength ?? 0;
  const options = slot.values.length > 0 ? ` It can be ${slot.values.map((each) => each.toLowerCase().replaceAll('_', ' ')).join(', ')}.` : '';
  const need = slot.kind === 'prose' && least > 1 ? ` Please say it in at least ${least} characters.` : '';
  const hint = slot.description && !/[a-z]_[a-z]/.test(slot.description) ? ` (${lowered(slot.description)})` : '';
  return slot.kind === 'id' || slot.kind === 'number-id'
    ? `Which ${what} do you mean? Please name it${entry.changes ? `, so that I can ${lowered(entry.tool.title)}` : ''}.`
    : `To ${lowered(entry.tool.title)} I need one more thing: what is the ${what}${hint}?${options}${need}`;
}
function unknown({ called, finder, answer, entry, wrong }: Result & { type: 'unknown' }): string {
  if (wrong > 0 && finder) return `None of the ${wrong} ${plural(finder)}${called ? ` of "${cell(called)}"` : ''} is in a state that allows this. ${stateRule(entry)}`.trim();
  if (answer?.status === 'error') return `I could not look up "${cell(called)}": ${stopped(answer.message)} ${toolNamesInWords(answer.suggestedAction)}`;
  return `I could not find "${cell(called)}"${finder ? ` among the ${plural(finder)} that you may see` : ''}. Please check the name, or say more about it.`;
}
/** "Only APPROVED invoices can be paid." */
const stateRule = ({ tool }: Entry): string =>
  Object.values(tool.errors).map((text) => /\bOnly\b[^.;]*\bcan\b[^.;]*/.exec(typeof text === 'string' ? text : text.hint)?.[0]).filter((rule) => rule !== undefined).map((rule) => `${toolNamesInWords(rule)}.`).slice(0, 1).join(' ');
function refused({ person }: Speaking, { entry, roles, others }: Result & { type: 'refused' }): string {
  const what = lowered(entry.tool.title);
  if (others) return `You may only see your own ${plural(entry)}: you do not have permission to see those of others.`;
  if (!roles) return `I cannot do that here: "${what}" changes something, and this way of asking only reads.`;
  return person.realm === 'customer'
    ? `You do not have permission for that ("${what}"): it is not available to your account.`
    : `You do not have permission for that: "${what}" is only for ${named(entry.tool.roles)}. Ask someone who holds one of these roles.`;
}
function lost(speaking: Speaking, { near, order }: Result & { type: 'lost' }): string {
  const ideas = near.filter((entry) => speaking.allowed.has(entry.name)).slice(0, 3).map((entry) => entry.examples.find(({ works }) => works)?.ask).filter((ask) => ask !== undefined);
  return `I cannot ${order ? 'do' : 'answer'} that: none of the tools that you may use does it.${ideas.length > 0 ? ` You could ask, for example:\n\n${ideas.map((ask) => `- ${ask}`).join('\n')}` : ''}`;
}
