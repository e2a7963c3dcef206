/** Answers who may do something, how it is done and what it leads to, from the declaration of its tool. */
import { type Utterance, annotate } from './annotate.ts';
import type { DialogueContext } from './context.ts';
import type { IndexedTool, ToolIndex } from './index-tools.ts';
import { namesRecordKind } from './nouns.ts';
import { commandVerbs, mentionsToolVerb, rankTools } from './rank.ts';
import { endSentence, joinRoles } from './respond-fields.ts';
import type { SentenceType } from './sentence-type.ts';
import { fieldLabel } from './table.ts';
import { areSynonyms } from './thesaurus.ts';
import { stopWords } from './tokenise.ts';

/** The words that ask about rules. What follows them names the action. */
const FRAMES: readonly RegExp[] = [
  /^(?:(?:can|could|would) you )?(?:please )?(?:tell|explain|show|teach)(?: to)?(?: me| us)? /i,
  /^(?:so|and|but|ok|okay|hey|hi|well)[,\s]+/i,
  /^how (?:do|does|can|could|should|would|might|must|am|is|are|to)(?: (?:i|we|you|one|someone|people)\b)?(?: (?:supposed|allowed|able) to)? ?/i,
  /^how to /i,
  /^(?:what(?:'s| is| are)? )?the (?:\p{L}+ )?(?:process|procedure|way|steps?|workflow|rules?|policy) (?:for|to|of|when|behind|on|about) /iu,
  /^(?:is there|are there) (?:a|any) (?:way|option|possibility) (?:to|for) /i,
  /^who(?:'s| is| are)?(?: else| all)? (?:can|could|may|might|must|should|would|will|is|are|gets? to|has to|have to|needs? to|has the (?:right|permission|authority|power) to)(?: be)?(?: allowed to| entitled to| authori[sz]ed to| able to| responsible for)? ?/i,
  /^(?:am i|are we|are you|is .{1,30}?|are .{1,30}?) (?:allowed|permitted|entitled|authori[sz]ed|able|supposed) to /i,
  /^(?:do|does) .{1,30}? (?:have|need)(?: the| a| any)? (?:permission|rights?|access|role|approval|authori[sz]ation) to /i,
  /^(?:which|what) (?:roles?|people|users?)(?: do i need to| do you need to| are needed to| can| may| is allowed to| are allowed to)? /i,
  /^(?:can|could|may) (?:a |an |the |my |our |any |only |every |all )?[\p{L}' -]+? (?=(?:see|view|change|approve|delete|edit|update|read|access|reject|pay|create|add|remove|close|submit|invite)\b)/iu,
  /^what(?: exactly)? (?:happens|will happen|would happen|could happen|changes) (?:if|when|once|to .{1,40}? (?:if|when)) (?:i|we|you|someone|somebody|one|an? \p{L}+|the \p{L}+)? ?/iu,
  /^(?:what if|if|when|suppose|supposing|assuming|imagine|let's say|hypothetically,?) (?:that )?(?:i|we|you|someone|somebody|one)? ?/i,
];
export function actionOf(text: string): string {
  let rest = text.trim();
  for (let round = 0; round < 3; round += 1) rest = FRAMES.reduce((left, frame) => left.replace(frame, ''), rest);
  return rest.replace(/[\s?!.]+$/, '');
}

const LEAST_SCORE = 0.3;
const SEES = /^(?:see|view|read|access|look|know|find|get|have)\b/i;

/** The tool that a question about rules is about. It need not be one that the person may use. */
export function toolInQuestion(
  { index, today }: Pick<DialogueContext, 'index' | 'today'>,
  utterance: Utterance,
  type: SentenceType,
): IndexedTool | undefined {
  const action = annotate(actionOf(utterance.text), today, index.lexicon);
  if (action.words.length === 0) return undefined;
  const reads = type === 'who-may' && SEES.test(action.text);
  const pool = index.entries.filter(({ mutates }) => mutates !== reads);
  return rankTools(index, action, pool).find(
    ({ entry, score }) =>
      score >= LEAST_SCORE &&
      (reads || (namesRecordKind(index, entry, action) && (commandVerbs(action).length === 0 || mentionsToolVerb(entry, action)))),
  )?.entry;
}

const ruleTexts = ({ tool }: IndexedTool): string[] =>
  Object.values(tool.errors)
    .map((text) => /\bOnly\b[^.;]*\bcan\b[^.;]*/.exec(typeof text === 'string' ? text : text.hint)?.[0])
    .flatMap((rule) => rule ?? [])
    .map((rule) => endSentence(rule.replaceAll(/\b([a-z]+(?:_[a-z]+)+)\b/g, (name) => name.replaceAll('_', ' '))));
/** An example that is refused shows that nobody may do it for themselves. */
const isNeverOneself = ({ tool }: IndexedTool): boolean =>
  'SEPARATION_OF_DUTIES' in tool.errors || tool.examples.some(({ expects }) => expects === 'SEPARATION_OF_DUTIES');

export function explainRules(
  { index, person, allowed }: DialogueContext,
  entry: IndexedTool,
  { asked: type, utterance }: { asked: SentenceType; utterance: Utterance },
): string {
  const { tool } = entry;
  const seen = type === 'who-may' ? hiddenFieldRule(index, utterance) : undefined;
  if (seen !== undefined) return seen;
  const { title } = tool;
  const who = `"${title}" is for ${joinRoles(tool.roles)}${entry.mutates && isNeverOneself(entry) ? ", and never for one's own record or request" : ''}.`;
  const you = allowed.has(entry.name) ? 'You have such a role.' : `Your roles (${[...person.roles].join(', ')}) do not include it.`;
  const card = !entry.mutates
    ? ''
    : tool.kind === 'write'
      ? 'It prepares an approval card, and nothing changes before it is approved.'
      : 'It takes effect at once.';
  const needs = entry.slots.filter(({ required }) => required).map(({ key }) => fieldLabel(key.replace(/_id$/, '')).toLowerCase());
  const need = needs.length > 0 ? `It needs the ${needs.join(', ')}.` : '';
  const example =
    allowed.has(entry.name) && entry.mutates ? tool.examples.find(({ expects }) => expects === undefined)?.question : undefined;
  const how = example === undefined ? '' : `Ask for it like this: "${example}".`;
  const what = endSentence(tool.description);
  const parts =
    type === 'who-may'
      ? [who, you, card, ...ruleTexts(entry)]
      : type === 'how-to'
        ? [how, need, card, who, ...ruleTexts(entry)]
        : [what, card, ...ruleTexts(entry), who];
  return parts.filter((part) => part !== '').join(' ');
}

/** "Who can see salaries?": the roles to which the domain shows a hidden field. */
function hiddenFieldRule(index: ToolIndex, utterance: Utterance): string | undefined {
  const action = actionOf(utterance.text);
  if (!SEES.test(action)) return undefined;
  const asked =
    action
      .toLowerCase()
      .match(/\p{L}+/gu)
      ?.filter((word) => !stopWords.has(word)) ?? [];
  for (const domain of new Set(index.entries.map(({ tool }) => tool.domain)))
    for (const { hides, shownTo, andOwner } of Object.values(domain.masks)) {
      const words = hides.toLowerCase().match(/\p{L}+/gu) ?? [];
      if (asked.some((word) => word !== 'number' && words.some((hidden) => areSynonyms(hidden, word))))
        return `${hides.charAt(0).toUpperCase()}${hides.slice(1)}: shown to ${joinRoles(shownTo)}${andOwner === true ? ', and to the person themselves' : ''}. It is hidden from everyone else.`;
    }
  return undefined;
}
