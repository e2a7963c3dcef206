/** Sample rows of {{name}}: two items for each of the first employees. */
import type { Sample, SampleTable } from 'tamshai';

const PEOPLE = 10;
const id = (n: number) => `0a100000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const later = (today: Date, days: number) => new Date(today.getTime() + days * 86_400_000).toISOString().slice(0, 10);

export const {{name}}Sample: Sample = {
  rows: ({ directory, today }): readonly SampleTable[] => [
    {
      name: '{{name}}.items',
      columns: ['item_id', 'title', 'employee_id', 'owner_name', 'due'],
      estimate: PEOPLE * 2,
      rows: () =>
        Array.from({ length: Math.min(PEOPLE, directory.size) * 2 }, (_, n) => {
          const owner = directory.person(Math.floor(n / 2));
          return [id(n + 1), `Item ${n + 1}`, owner.id, `${owner.first} ${owner.last}`, later(today, n + 1)];
        }),
    },
  ],
};
