/** Sample tasks of some people. */
import type { Persona, SampleContext, SampleTable } from '../../../src/declare/sample.ts';
import { dayOf, shifted } from '../../sample-company/days.ts';
import { sampleCompany } from '../../sample-company/index.ts';

interface SampleTask {
  readonly title: string;
  readonly description?: string;
  readonly done?: boolean;
}
/** The tasks of the built-in people, by username. */
const lists: Readonly<Record<string, readonly SampleTask[]>> = {
  'marcus.johnson': [
    { title: 'Review the search service pull request', description: 'Ask Sarah about the index change.' },
    { title: 'Book the meeting room for the retrospective', done: true },
    { title: 'Write down how to restart the nightly import' },
  ],
  'sarah.kim': [{ title: 'Prepare the demo for Thursday' }, { title: 'Renew the test certificates', done: true }],
  'nina.patel': [{ title: 'Finish the half-year reviews', description: 'Marcus and Sarah first.' }, { title: 'Plan the on-call rota' }],
  'alice.chen': [{ title: 'Update the onboarding checklist' }, { title: 'Call the benefits provider' }],
  'bob.martinez': [{ title: 'Go through the open invoices' }],
};
/** The tasks of other companies: each person has three in turn. */
const common: readonly SampleTask[] = [
  { title: 'Prepare the weekly meeting', description: 'Collect open questions first.' },
  { title: 'Answer the messages of last week', done: true },
  { title: 'Book the train for the next visit' },
  { title: 'Write down how the monthly report is made' },
  { title: 'Order a new screen', done: true },
];
const commonTasks = (which: number) => [0, 1, 2].flatMap((n) => common[(which + n) % common.length] ?? []);

export function tasksSample({ company, today }: SampleContext): readonly SampleTable[] {
  const day = dayOf(today.getTime());
  const tasksOf = ({ username }: Persona, which: number) => (company === sampleCompany ? (lists[username] ?? []) : commonTasks(which));
  const entries = company.people
    .filter(({ realm }) => realm === 'staff')
    .map((person, which) => [`staff:${person.sub}`, tasksOf(person, which)] as const)
    .filter(([, list]) => list.length > 0);
  return [
    // Counters come first, because they stay when all tasks are deleted.
    {
      name: 'tasks.counters',
      columns: ['principal', 'last_id'],
      estimate: entries.length,
      rows: () => entries.map(([principal, list]) => [principal, list.length]),
    },
    {
      name: 'tasks.tasks',
      columns: ['principal', 'id', 'title', 'description', 'completed', 'created_at'],
      estimate: entries.reduce((sum, [, list]) => sum + list.length, 0),
      rows: () =>
        entries.flatMap(([principal, list]) =>
          list.map(({ title, description, done }, which) => [
            principal,
            which + 1,
            title,
            description ?? null,
            done ?? false,
            `${shifted(day, which - list.length)}T10:00:00Z`,
          ]),
        ),
    },
  ];
}
