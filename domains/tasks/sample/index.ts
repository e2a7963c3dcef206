/** Sample tasks of some people. */
import { persona } from '../../sample-company/people.ts';
import type { SampleTable } from '../../../src/declare/sample.ts';
import { dayOf, shifted } from '../../hr/sample/time-off.ts';

interface SampleTask {
  readonly title: string;
  readonly description?: string;
  readonly done?: boolean;
}
const lists: Record<string, readonly SampleTask[]> = {
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

export function tasksSample({ today }: { readonly today: Date }): readonly SampleTable[] {
  const day = dayOf(today.getTime());
  const entries = Object.entries(lists).map(([username, list]) => [`staff:${persona(username).sub}`, list] as const);
  return [
    {
      name: 'tasks.tasks',
      columns: ['principal', 'id', 'title', 'description', 'completed', 'created_at'],
      estimate: 10,
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
    {
      name: 'tasks.counters',
      columns: ['principal', 'last_id'],
      estimate: 5,
      rows: () => entries.map(([principal, list]) => [principal, list.length]),
    },
  ];
}
