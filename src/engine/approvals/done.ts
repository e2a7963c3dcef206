/** Says in one sentence what an executed write did: "Deleted employee Frank Davis." */
import type { EffectTool, Plan } from '../../declare/tool.ts';

const IRREGULAR: Readonly<Record<string, string>> = {
  begin: 'began',
  bring: 'brought',
  buy: 'bought',
  cut: 'cut',
  find: 'found',
  forget: 'forgot',
  get: 'got',
  give: 'gave',
  hold: 'held',
  keep: 'kept',
  lay: 'laid',
  leave: 'left',
  lend: 'lent',
  let: 'let',
  make: 'made',
  pay: 'paid',
  put: 'put',
  reopen: 'reopened',
  reset: 'reset',
  run: 'ran',
  sell: 'sold',
  send: 'sent',
  set: 'set',
  spend: 'spent',
  take: 'took',
  tell: 'told',
  undo: 'undid',
  withdraw: 'withdrew',
  win: 'won',
  write: 'wrote',
};
/** Verbs that double their last letter, because their last syllable is stressed or their only one. */
const DOUBLING = /^(?:\w*(?:mit|fer|cur|pel)|[^aeiou]*[aeiou][bdgklmnprt]|cancel|travel|label)$/;

function past(verb: string): string {
  const known = IRREGULAR[verb];
  if (known !== undefined) return known;
  if (verb.endsWith('e')) return `${verb}d`;
  if (/[^aeiou]y$/.test(verb)) return `${verb.slice(0, -1)}ied`;
  return DOUBLING.test(verb) && !/(?:offer|differ|suffer)$/.test(verb) ? `${verb}${verb.at(-1)}ed` : `${verb}ed`;
}

/** "Delete employee Frank Davis" becomes "Deleted employee Frank Davis". A plan begins with a verb. */
export function pastTense(sentence: string): string {
  const [verb = ''] = /^[A-Za-z]+/.exec(sentence) ?? [];
  const done = past(verb.toLowerCase());
  return verb === '' ? sentence : `${done.charAt(0).toUpperCase()}${done.slice(1)}${sentence.slice(verb.length)}`;
}

const ended = (sentence: string) => (/[.!?]["”’)]*$/.test(sentence) ? sentence : `${sentence}.`);

type Done = { readonly data: unknown; readonly input: object };
/** The sentence that the tool itself builds from the data and the input, or undefined. */
export function summarySentence(tool: EffectTool, { data, input }: Done): string | undefined {
  const declared = tool.summary(data, { ...input }, tool.company);
  return declared === tool.title ? undefined : ended(declared);
}

/** The sentence of the plan or of the tool; otherwise the sentence of the card in the past tense. */
export const doneSentence = (tool: EffectTool, plan: Plan, done: Done): string =>
  plan.done === undefined ? (summarySentence(tool, done) ?? ended(pastTense(plan.summary))) : ended(plan.done);
