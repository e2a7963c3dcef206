/** Test domain "zoo" of the offline assistant, with a few rows and a small assistant loop. */
import { z } from 'zod';
import type { Message } from '../../src/assistant/model.ts';
import { createOfflineModel } from '../../src/assistant/offline/index.ts';
import { opens } from '../../src/engine/access.ts';
import type { Answer } from '../../src/declare/answer.ts';
import { defineDomain } from '../../src/declare/define.ts';
import { day, line, money, prose, storedDay } from '../../src/declare/fields.ts';
import { asc } from '../../src/declare/order.ts';
import { qualifiedName, createRegistry } from '../../src/engine/registry.ts';
import { sql } from '../../src/declare/sql.ts';
import type { Person } from '../../src/declare/people.ts';
import { person } from '../test-runtime.ts';

const zoo = defineDomain({
  name: 'zoo',
  title: 'Zoo',
  engine: 1,
  home: import.meta.url,
  port: 3999,
  store: 'sql',
  audiences: {
    keepers: { roles: ['manager', 'executive'], sees: 'every animal' },
    guests: { roles: ['employee'], sees: 'every animal' },
  },
});
const animal = z.object({
  animal_id: z.string(),
  name: z.string(),
  species: z.string(),
  status: z.enum(['AWAKE', 'ASLEEP']),
  weight: z.number(),
  fed_on: storedDay,
});
const animalId = z.uuid().describe('animal_id from list_animals');

export const tools = [
  zoo.list({
    name: 'list_animals',
    title: 'Animals',
    description: 'The animals of the zoo.',
    plural: 'animals',
    roles: ['employee', 'manager', 'executive'],
    input: z.object({
      name: line(100).optional().describe('Any part of the name'),
      status: z.enum(['AWAKE', 'ASLEEP']).optional().describe('AWAKE can be visited, ASLEEP is resting'),
      fed_from: day.optional().describe('Fed on this day or later'),
      fed_to: day.optional().describe('Fed on this day or earlier'),
      min_weight: z.number().optional().describe('At least this heavy, in kg'),
    }),
    item: animal,
    order: asc('animal_id'),
    examples: [
      { question: 'Which animals live here?', as: 'frank.davis', input: {} },
      { question: 'Find the animal Bruno', as: 'frank.davis', input: { name: 'Bruno' } },
      { question: 'Which animals are resting?', as: 'frank.davis', input: { status: 'ASLEEP' } },
      { question: 'Animals that were fed this month', as: 'frank.davis', input: (today) => ({ fed_from: `${today.slice(0, 7)}-01` }) },
    ],
    find: () => sql`select 1`,
  }),
  zoo.write({
    name: 'feed_animal',
    title: 'Feed an animal',
    description: 'Give an animal something to eat.',
    roles: ['manager', 'executive'],
    effect: 'changes',
    input: z.object({
      animal_id: animalId,
      food: line(50).describe('What it gets'),
      cost: money.optional().describe('In USD'),
      reason: prose(500).optional().describe('Why'),
    }),
    output: animal,
    errors: { ANIMAL_NOT_FOUND: 'Find the id with list_animals.' },
    examples: [
      { question: 'Feed Bruno with food hay', as: 'nina.patel', input: { animal_id: '0a000000-0000-4000-8000-000000000001', food: 'hay' } },
      {
        question: 'Give Bruno his dinner, food apples for $12',
        as: 'nina.patel',
        input: { animal_id: '0a000000-0000-4000-8000-000000000001', food: 'apples', cost: 12 },
      },
    ],
    prepare: async () => ({ summary: 'Feed', subject: { label: 'Animal', id: '1' }, changes: [] }),
    execute: async () => ({ animal_id: '', name: '', species: '', status: 'AWAKE', weight: 0, fed_on: '' }),
  }),
];
export const toys = createRegistry(tools);
export const ROWS = [
  { animal_id: '0a000000-0000-4000-8000-000000000001', name: 'Bruno', species: 'bear', status: 'AWAKE', weight: 300, fed_on: '2026-11-16' },
  {
    animal_id: '0a000000-0000-4000-8000-000000000002',
    name: 'Momo',
    species: 'monkey',
    status: 'ASLEEP',
    weight: 20,
    fed_on: '2026-11-15',
  },
  { animal_id: '0a000000-0000-4000-8000-000000000003', name: 'Momo', species: 'otter', status: 'AWAKE', weight: 9, fed_on: '2026-11-14' },
];

export interface Told {
  readonly text: string;
  readonly calls: readonly { name: string; input: Readonly<Record<string, unknown>> }[];
  readonly said: readonly Message[];
}
const matching = (input: Readonly<Record<string, unknown>>) =>
  ROWS.filter(
    (row) =>
      (input['name'] === undefined || row.name.toLowerCase() === String(input['name']).toLowerCase()) &&
      (input['status'] === undefined || row.status === input['status']),
  );

export function answerOf(name: string, input: Readonly<Record<string, unknown>>): Answer {
  if (name === 'zoo_feed_animal') {
    return {
      status: 'pending_confirmation',
      confirmationId: 'c-1',
      message: 'Feed the animal?',
      confirmationData: {
        action: 'feed_animal',
        mcpServer: 'zoo',
        userId: 'u',
        timestamp: 0,
        expiresAt: '',
        approvalUrl: '',
        summary: 'Feed',
        subject: { label: 'Animal', id: '1' },
        changes: [],
        reason: null,
        destructive: false,
        origin: 'web',
      },
    };
  }
  const rows = input['cursor'] === undefined ? matching(input) : [ROWS[2]];
  const more = Object.keys(input).every((key) => key === 'count');
  return {
    status: 'success',
    data: rows,
    metadata: {
      hasMore: more,
      ...(more && { nextCursor: 'next' }),
      returnedCount: rows.length,
      totalEstimate: more ? '3+' : String(rows.length),
      truncated: more,
      totalCount: more ? '3+' : String(rows.length),
    },
  };
}

const model = createOfflineModel(toys);
export async function tell(
  question: string,
  { before = [], who = person('nina.patel') }: { before?: readonly Message[]; who?: Person } = {},
): Promise<Told> {
  const every = tools.filter((tool) => opens(tool, who.roles)).map((tool) => ({ name: qualifiedName(tool), tool, inputSchema: {} }));
  const said: Message[] = [...before, { by: 'person', text: question }];
  const calls: Told['calls'][number][] = [];
  for (let turn = 0; turn < 8; turn += 1) {
    let text = '';
    const wanted: { id: string; name: string; input: Readonly<Record<string, unknown>> }[] = [];
    for await (const step of model.answer(
      { person: who, now: new Date('2026-11-16T09:00:00Z'), instructions: '', messages: said, tools: every, allTools: every },
      AbortSignal.timeout(60_000),
    )) {
      if (step.type === 'text') text += step.text;
      else if (step.type === 'call') wanted.push(step.call);
    }
    said.push({ by: 'model', text, calls: wanted });
    if (wanted.length === 0) return { text, calls, said };
    for (const call of wanted) {
      calls.push({ name: call.name, input: call.input });
      said.push({ by: 'tool', call, answer: answerOf(call.name, call.input), promptText: '' });
    }
  }
  throw new Error('the model did not finish within eight turns');
}
