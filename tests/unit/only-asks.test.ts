/** Sentences that only speak of a change never lead to one: each order of each tool that changes something, turned into a question. */
import { expect, test } from 'vitest';
import type { Step } from '../../src/assistant/model.ts';
import { readSentence, mayChange } from '../../src/assistant/offline/sentence-type.ts';
import { opens } from '../../src/engine/access.ts';
import { canWrite } from '../../src/declare/tool.ts';
import { qualifiedName } from '../../src/engine/registry.ts';
import { readPhrases } from '../../src/server/phrases.ts';
import { createInProcessModel } from '../in-process-model.ts';
import { builtIn } from '../registry.ts';
import { person, SAMPLE_DAY } from '../test-runtime.ts';

const phrases = readPhrases(builtIn);
const writing = builtIn.tools.filter(canWrite);
const phrasings = writing.flatMap((tool) =>
  tool.examples.flatMap(({ question, as }) =>
    [question, ...(phrases.get(qualifiedName(tool))?.get(question) ?? [])].map((text) => ({ tool, as, text })),
  ),
);
const VERB =
  /^(?:approve|delete|reject|remove|pay|reimburse|submit|close|change|update|set|increase|cancel|complete|add|create|raise|invite)\b/i;
const lower = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`.replace(/[.!]$/, '');
const participle = (verb: string): string => {
  const irregular: Readonly<Record<string, string>> = { pay: 'paid', set: 'set', submit: 'submitted', cancel: 'cancelled' };
  return irregular[verb] ?? (verb.endsWith('e') ? `${verb}d` : `${verb}ed`);
};

/** Only imperatives: "Delete employee Frank Davis". */
const orders = phrasings.filter(({ text }) => VERB.test(text) && !/[:;'"]|[.!?]\s/.test(text));
const FRAMES: readonly ((order: string) => string)[] = [
  (order) => `Don't ${order}`,
  (order) => `Please do not ${order}`,
  (order) => `I don't want you to ${order}`,
  (order) => `Should I ${order}?`,
  (order) => `How do I ${order}?`,
  (order) => `How can someone ${order}?`,
  (order) => `Who can ${order}?`,
  (order) => `Am I allowed to ${order}?`,
  (order) => `What happens if I ${order}?`,
  (order) => `If I ${order}, what changes?`,
  (order) => `What would happen if we ${order}?`,
  (order) => `Did anyone ${order}?`,
  (order) => `Would it be wise to ${order}?`,
  (order) => `I'm not sure whether to ${order}`,
  (order) => `Bob said he would ${order}`,
  (order) => `Suppose we ${order}, what then?`,
  (order) => `Is it a good idea to ${order}?`,
  (order) => `I was thinking about whether we should ${order}`,
  (order) => `Why should anybody ${order}?`,
];
const asked = orders.flatMap(({ as, text }) => {
  const order = lower(text);
  const [verb = ''] = order.split(' ');
  const rest = order.slice(verb.length + 1);
  return [
    ...FRAMES.map((frame) => ({ as, text: frame(order) })),
    { as, text: `Was ${rest} ${participle(verb)}?` },
    { as, text: `Has ${rest} been ${participle(verb)}?` },
    { as, text: `Somebody ${participle(verb)} ${rest}` },
    { as, text: `Is it true that ${rest} was ${participle(verb)}?` },
  ];
});

test('hundreds of sentences that only ask are not read as an order', () => {
  expect(asked.length).toBeGreaterThan(1000);
  expect(asked.filter(({ text }) => mayChange(readSentence(text))).map(({ text }) => text)).toEqual([]);
});

test('every example and every phrase of a tool that changes something may change something', () => {
  expect(phrasings.length).toBeGreaterThan(400);
  expect(phrasings.filter(({ text }) => !mayChange(readSentence(text))).map(({ text }) => text)).toEqual([]);
});

test('the model calls no tool that changes something for sentences that only ask', { timeout: 300_000 }, async () => {
  const model = createInProcessModel(builtIn, phrases);
  const wrong: string[] = [];
  // Every seventh, because all of them take minutes; seven is prime to the number of frames.
  for (const { as, text } of asked.filter((_, at) => at % 7 === 0)) {
    const asking = person(as);
    const every = builtIn.tools
      .filter((tool) => opens(tool, asking.roles))
      .map((tool) => ({ name: qualifiedName(tool), tool, inputSchema: {} }));
    const turn = {
      person: asking,
      now: SAMPLE_DAY,
      instructions: '',
      messages: [{ by: 'person' as const, text }],
      tools: every,
      allTools: every,
    };
    const steps: Step[] = [];
    for await (const step of model.answer(turn, AbortSignal.timeout(60_000))) steps.push(step);
    const names = new Set(writing.map(qualifiedName));
    for (const step of steps) if (step.type === 'call' && names.has(step.call.name)) wrong.push(`${text} → ${step.call.name}`);
  }
  expect(wrong).toEqual([]);
});

test('politeness and an order beside a statement stay an order', () => {
  for (const text of [
    "If you don't mind, could you approve the CloudNine invoice?",
    'When you have a minute, please delete task 5',
    'Would you mind rejecting the Operations budget?',
    "I don't need it any more, delete it",
    'Sarah was promoted, so raise her salary to 120k',
    "I'd like to take Friday off",
    'Can I have next Friday off?',
    'Do not forget to remind me to call the bank',
    'The charts are empty, open a new ticket',
  ])
    expect([text, mayChange(readSentence(text))]).toEqual([text, true]);
});

test('a negated order is left out, and its name replaces the pronoun in the rest', () => {
  expect(readSentence("Don't delete Frank Davis, just show me his record")).toEqual({
    type: 'question',
    text: "just show me Frank Davis's record",
  });
});
