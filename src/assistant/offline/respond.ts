/** The answer in words: the figure that was asked for first, then the rows. */
import type { Answer } from '../../core/answer.ts';
import type { Reading } from './annotate.ts';
import type { Frame, Result } from './frame.ts';
import type { Entry } from './index-tools.ts';
import { seesOwnOnly } from './nouns.ts';
import { lowered, named, plural, type Speaking, stopped, titleOf } from './respond-fields.ts';
import { rows } from './respond-list.ts';
import { one } from './respond-record.ts';
import { type Row, rowsIn } from './rows.ts';
import { isId } from './schema.ts';
import { cell, columns, label, table, value } from './table.ts';

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
  if (answer.status === 'pending_confirmation')
    return `${stopped(answer.message.replace(/\s*(?:Nothing has changed yet\.|Approve or deny.*$)/gi, ''))} Nothing changes until you approve it: please check the card and decide there.`;
  const given = Object.entries(result.input).find(([key]) => speaking.index.oneself.has(key))?.[1];
  // Another's rows, for someone who sees their own: that there are none would be only half the truth.
  if (
    given !== undefined &&
    given !== speaking.person.employeeId &&
    seesOwnOnly(entry, speaking.person) &&
    (answer.status === 'error' || rowsIn(answer).length === 0)
  ) {
    return `You may only see your own ${plural(entry)}${result.called === '' ? '' : `, not those of ${cell(result.called)}`}.`;
  }
  if (answer.status === 'error') return failed(result, answer);
  if (entry.changes) return done(entry, answer);
  const list = answer.metadata;
  const text =
    list || Array.isArray(answer.data)
      ? rows(speaking, result, rowsIn(answer), list, reading)
      : one(speaking, entry, (answer.data ?? {}) as Row, reading);
  const { others = [], unplaced = [], among } = result;
  const newest = among ? `\n\nThis is the newest of ${among.count} ${plural(among.entry)}.` : '';
  const more =
    others.length > 0
      ? `\n\n${others.length === 1 ? 'One other fits' : `${others.length} others fit`} as well: ${others
          .slice(0, 5)
          .map((row) => `"${titleOf(row)}"`)
          .join(', ')}${others.length > 5 ? ', …' : ''}.`
      : '';
  return `${text}${newest}${more}${unplaced.length > 0 ? `\n\nI could not narrow this down by ${unplaced.map((part) => `"${cell(part)}"`).join(' and ')}.` : ''}`;
}

function failed(result: Result & { type: 'answered' }, { code, message, suggestedAction }: Extract<Answer, { status: 'error' }>): string {
  const about =
    result.called !== '' && code.endsWith('_NOT_FOUND') ? `I could not find ${cell(result.called)} among what you may see. ` : '';
  const may =
    code === 'INSUFFICIENT_PERMISSIONS' || code === 'SEPARATION_OF_DUTIES'
      ? 'You may not do that. '
      : result.entry.changes && about === ''
        ? 'I cannot do that. '
        : '';
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

const COUNTS: Readonly<Record<number, string>> = { 2: 'Two', 3: 'Three', 4: 'Four', 5: 'Five', 6: 'Six' };
function which({ rows: found, source, entry, called, all }: Result & { type: 'which' }): string {
  const what = plural(source);
  const several =
    all && entry.changes
      ? `I can only do this one at a time, each with its own approval. There are ${found.length} ${what} it could be:`
      : undefined;
  const named = called !== undefined && found.every((row) => titleOf(row).toLowerCase().split(/\s+/).includes(called.toLowerCase()));
  const head =
    several ??
    (named
      ? `${COUNTS[found.length] ?? found.length} ${what} are called ${cell(called)}.`
      : `${found.length} ${what}${called ? ` match "${cell(called)}"` : ' could be meant'}:`);
  return `${head}\n\n${table(source.row, found.slice(0, 10), [], 5)}\n\nWhich one do you mean?`;
}
function missing({ slot, entry }: Result & { type: 'missing' }): string {
  const what = label(slot.key.replace(/_id$/, '')).toLowerCase();
  const least = slot.schema.minLength ?? 0;
  const options =
    slot.values.length > 0 ? ` It can be ${slot.values.map((each) => each.toLowerCase().replaceAll('_', ' ')).join(', ')}.` : '';
  const need = slot.kind === 'prose' && least > 1 ? ` Please say it in at least ${least} characters.` : '';
  const hint = slot.description && !/[a-z]_[a-z]/.test(slot.description) ? ` (${lowered(slot.description)})` : '';
  return slot.kind === 'id' || slot.kind === 'number-id'
    ? `Which ${what} do you mean? Please name it${entry.changes ? `, so that I can ${lowered(entry.tool.title)}` : ''}.`
    : `To ${lowered(entry.tool.title)} I need one more thing: what is the ${what}${hint}?${options}${need}`;
}
function unknown({ called, finder, answer, entry, wrong }: Result & { type: 'unknown' }): string {
  if (wrong > 0 && finder)
    return `None of the ${wrong} ${plural(finder)}${called ? ` of "${cell(called)}"` : ''} is in a state that allows this. ${stateRule(entry)}`.trim();
  if (answer?.status === 'error')
    return `I could not look up "${cell(called)}": ${stopped(answer.message)} ${toolNamesInWords(answer.suggestedAction)}`;
  return `I could not find "${cell(called)}"${finder ? ` among the ${plural(finder)} that you may see` : ''}. Please check the name, or say more about it.`;
}
/** "Only APPROVED invoices can be paid." */
const stateRule = ({ tool }: Entry): string =>
  Object.values(tool.errors)
    .map((text) => /\bOnly\b[^.;]*\bcan\b[^.;]*/.exec(typeof text === 'string' ? text : text.hint)?.[0])
    .filter((rule) => rule !== undefined)
    .map((rule) => `${toolNamesInWords(rule)}.`)
    .slice(0, 1)
    .join(' ');
function refused({ person }: Speaking, { entry, roles, others }: Result & { type: 'refused' }): string {
  const what = lowered(entry.tool.title);
  if (others) return `You may only see your own ${plural(entry)}: you do not have permission to see those of others.`;
  if (!roles) return `I cannot do that here: "${what}" changes something, and this way of asking only reads.`;
  return person.realm === 'customer'
    ? `You do not have permission for that ("${what}"): it is not available to your account.`
    : `You do not have permission for that: "${what}" is only for ${named(entry.tool.roles)}. Ask someone who holds one of these roles.`;
}
function lost(speaking: Speaking, { near, order }: Result & { type: 'lost' }): string {
  const ideas = near
    .filter((entry) => speaking.allowed.has(entry.name))
    .slice(0, 3)
    .map((entry) => entry.examples.find(({ works }) => works)?.ask)
    .filter((ask) => ask !== undefined);
  return `I cannot ${order ? 'do' : 'answer'} that: none of the tools that you may use does it.${ideas.length > 0 ? ` You could ask, for example:\n\n${ideas.map((ask) => `- ${ask}`).join('\n')}` : ''}`;
}
