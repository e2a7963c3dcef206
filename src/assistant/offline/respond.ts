/** Words the result of an intent as an answer. */
import type { Answer } from '../../declare/answer.ts';
import type { Utterance } from './annotate.ts';
import type { DialogueContext } from './context.ts';
import type { Frame, IntentResult } from './frame.ts';
import type { IndexedTool } from './index-tools.ts';
import { seesOwnOnly } from './nouns.ts';
import { lowerFirst, joinRoles, pluralOf, type ResponseContext, endSentence, displayName } from './respond-fields.ts';
import { describeRows } from './respond-list.ts';
import { describeFigures } from './respond-figures.ts';
import { explainRules } from './rules.ts';
import { describeRecord } from './respond-record.ts';
import { type Row, rowsIn } from './rows.ts';
import { isId } from './schema.ts';
import { escapeMarkdown, selectColumns, fieldLabel, renderTable, formatValue } from './table.ts';

export function respond(context: DialogueContext, frame: Frame): string {
  const { result, utterance } = frame;
  switch (result.type) {
    case 'answered':
      return reportAnswer(context, result, utterance);
    case 'ambiguous':
      return askWhich(result);
    case 'missing-slot':
      return askForSlot(result);
    case 'not-found':
      return reportNotFound(result);
    case 'refused':
      return reportRefusal(context, result);
    case 'figures':
      return describeFigures(result.entry, result.answer, result.leftOut);
    case 'rules':
      return explainRules(context, result.entry, { asked: result.asked, utterance });
    case 'left-alone':
      return `Nothing was changed. ${explainRules(context, result.entry, { asked: 'what-if', utterance })}`;
    case 'no-intent':
      return reportNoIntent(context, result);
  }
}

function reportAnswer(context: ResponseContext, result: IntentResult & { type: 'answered' }, utterance: Utterance): string {
  const { answer, entry } = result;
  if (answer.status === 'pending_confirmation')
    return (
      `${endSentence(answer.message.replace(/\s*(?:Nothing has changed yet\.|Approve or deny.*$)/gi, ''))} Nothing changes until ` +
      'you approve it: please check the card and decide there.'
    );
  const given = Object.entries(result.input).find(([key]) => context.index.selfKeys.has(key))?.[1];
  // The person sees only their own rows, so "there are none" would mislead.
  if (
    given !== undefined &&
    given !== context.person.employeeId &&
    seesOwnOnly(entry, context.person) &&
    (answer.status === 'error' || rowsIn(answer).length === 0)
  ) {
    return `You may only see your own ${pluralOf(entry)}${result.called === '' ? '' : `, not those of ${escapeMarkdown(result.called)}`}.`;
  }
  if (answer.status === 'error') return reportError(result, answer);
  if (entry.mutates) return reportChange(entry, answer);
  const list = answer.metadata;
  const text =
    list || Array.isArray(answer.data)
      ? describeRows(context, result, { found: rowsIn(answer), list, utterance })
      : describeRecord(context, entry, { row: (answer.data ?? {}) as Row, utterance });
  const { others = [], unplaced = [], among } = result;
  const newest = among ? `\n\nThis is the newest of ${among.count} ${pluralOf(among.entry)}.` : '';
  const more =
    others.length > 0
      ? `\n\n${others.length === 1 ? 'One other fits' : `${others.length} others fit`} as well: ${others
          .slice(0, 5)
          .map((row) => `"${displayName(row)}"`)
          .join(', ')}${others.length > 5 ? ', …' : ''}.`
      : '';
  const leftOut =
    unplaced.length > 0
      ? `I could not narrow this down by ${unplaced.map((part) => `"${escapeMarkdown(part)}"`).join(' and ')}: no filter takes it.\n\n`
      : '';
  return `${leftOut}${text}${newest}${more}`;
}

function reportError(
  result: IntentResult & { type: 'answered' },
  { code, message, suggestedAction }: Extract<Answer, { status: 'error' }>,
): string {
  const about =
    result.called !== '' && code.endsWith('_NOT_FOUND') ? `I could not find ${escapeMarkdown(result.called)} among what you may see. ` : '';
  const may =
    code === 'INSUFFICIENT_PERMISSIONS' || code === 'SEPARATION_OF_DUTIES'
      ? 'You may not do that. '
      : result.entry.mutates && about === ''
        ? 'I cannot do that. '
        : '';
  return `${about}${may}${endSentence(message)} ${/[a-z]+_[a-z]+/.test(suggestedAction) ? toolNamesInWords(suggestedAction) : suggestedAction}`.trim();
}
/** Hints contain tool names, which people read as words. */
const toolNamesInWords = (text: string): string => text.replace(/\b([a-z]+(?:_[a-z]+)+)\b/g, (name) => name.replaceAll('_', ' '));

function reportChange(entry: IndexedTool, answer: Extract<Answer, { status: 'success' }>): string {
  if (answer.message !== undefined) return answer.message;
  const [row] = rowsIn(answer);
  if (!row) return `Done: ${lowerFirst(entry.tool.title)}.`;
  const shape = entry.rowSchema;
  const facts = selectColumns(shape, [row], { most: 5 }).map(
    (key) => `${lowerFirst(fieldLabel(key))} ${formatValue(row[key], shape.properties?.[key], key)}`,
  );
  const id = Object.keys(row).find((key) => isId(key) && String(row[key]).length < 12);
  return `Done: ${lowerFirst(entry.tool.title)}${facts.length > 0 ? ` (${[...(id ? [`${lowerFirst(fieldLabel(id))} ${String(row[id])}`] : []), ...facts].join(', ')})` : ''}.`;
}

const NUMBER_NAMES: Readonly<Record<number, string>> = { 2: 'Two', 3: 'Three', 4: 'Four', 5: 'Five', 6: 'Six' };
function askWhich({ rows: found, source, entry, called, all }: IntentResult & { type: 'ambiguous' }): string {
  const what = pluralOf(source);
  const several =
    all && entry.mutates
      ? `I can only do this one at a time, each with its own approval. There are ${found.length} ${what} it could be:`
      : undefined;
  const named = called !== undefined && found.every((row) => displayName(row).toLowerCase().split(/\s+/).includes(called.toLowerCase()));
  const head =
    several ??
    (named
      ? `${NUMBER_NAMES[found.length] ?? found.length} ${what} are called ${escapeMarkdown(called)}.`
      : `${found.length} ${what}${called ? ` match "${escapeMarkdown(called)}"` : ' could be meant'}:`);
  return `${head}\n\n${renderTable(source.rowSchema, found.slice(0, 10), { most: 5 })}\n\nWhich one do you mean?`;
}
function askForSlot({ slot, entry }: IntentResult & { type: 'missing-slot' }): string {
  const what = fieldLabel(slot.key.replace(/_id$/, '')).toLowerCase();
  const least = slot.schema.minLength ?? 0;
  const options =
    slot.values.length > 0 ? ` It can be ${slot.values.map((each) => each.toLowerCase().replaceAll('_', ' ')).join(', ')}.` : '';
  const need = slot.kind === 'prose' && least > 1 ? ` Please say it in at least ${least} characters.` : '';
  const hint = slot.description && !/[a-z]_[a-z]/.test(slot.description) ? ` (${lowerFirst(slot.description)})` : '';
  return slot.kind === 'id' || slot.kind === 'number-id'
    ? `Which ${what} do you mean? Please name it${entry.mutates ? `, so that I can ${lowerFirst(entry.tool.title)}` : ''}.`
    : `What is the ${what}${hint}? I need it for "${lowerFirst(entry.tool.title)}".${options}${need}`;
}
function reportNotFound({ called, finder, answer, entry, wrong }: IntentResult & { type: 'not-found' }): string {
  if (wrong > 0 && finder)
    return (
      `None of the ${wrong} ${pluralOf(finder)}${called ? ` of "${escapeMarkdown(called)}"` : ''} is in a state that ` +
      `allows this. ${stateRule(entry)}`
    ).trim();
  if (answer?.status === 'error')
    return `I could not look up "${escapeMarkdown(called)}": ${endSentence(answer.message)} ${toolNamesInWords(answer.suggestedAction)}`;
  return (
    `I could not find "${escapeMarkdown(called)}"${finder ? ` among the ${pluralOf(finder)} that you may see` : ''}. Please check ` +
    'the name, or say more about it.'
  );
}
/** The rule from the error hints: "Only APPROVED invoices can be paid." */
const stateRule = ({ tool }: IndexedTool): string =>
  Object.values(tool.errors)
    .map((text) => /\bOnly\b[^.;]*\bcan\b[^.;]*/.exec(typeof text === 'string' ? text : text.hint)?.[0])
    .filter((rule) => rule !== undefined)
    .map((rule) => `${toolNamesInWords(rule)}.`)
    .slice(0, 1)
    .join(' ');
function reportRefusal({ person }: ResponseContext, { entry, roles, others }: IntentResult & { type: 'refused' }): string {
  const what = lowerFirst(entry.tool.title);
  if (others) return `You may only see your own ${pluralOf(entry)}: you do not have permission to see those of others.`;
  if (!roles) return `I cannot do that here: "${what}" changes something, and this way of asking only reads.`;
  return person.realm === 'customer'
    ? `You do not have permission for that ("${what}"): it is not available to your account.`
    : `You do not have permission for that: "${what}" is only for ${joinRoles(entry.tool.roles)}. Ask someone ` +
        'who holds one of these roles.';
}
function reportNoIntent(context: ResponseContext, { near, order }: IntentResult & { type: 'no-intent' }): string {
  const concepts = near
    .filter((entry) => context.allowed.has(entry.name))
    .slice(0, 3)
    .map((entry) => entry.examples.find(({ succeeds }) => succeeds)?.question)
    .filter((ask) => ask !== undefined);
  return (
    `I cannot ${order ? 'do' : 'answer'} that: none of the tools that you may use does ` +
    `it.${concepts.length > 0 ? ` You could ask, for example:\n\n${concepts.map((ask) => `- ${ask}`).join('\n')}` : ''}`
  );
}
