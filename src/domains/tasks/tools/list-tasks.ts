import { z } from 'zod';
import { anyone, tasks } from '../domain.ts';
import { task } from '../schemas.ts';

export const listTasks = tasks.read({
  name: 'list_tasks',
  title: 'My tasks',
  description: "Retrieve user's tasks with optional status filter",
  roles: anyone,
  input: z.object({ status: z.enum(['all', 'pending', 'completed']).default('all').describe('Which tasks') }),
  output: z.array(task),
  examples: [
    {
      ask: 'What is on my list?',
      also: ["What's on my plate?", 'Show me my to-do list', 'Show my tasks', 'My to-dos', 'List all my reminders'],
      as: 'frank.davis',
      input: {},
    },
    {
      ask: 'What do I still have to do?',
      also: ['My open tasks', 'What is left on my to-do list?', 'Pending tasks'],
      as: 'sarah.kim',
      input: { status: 'pending' },
    },
    {
      ask: 'Show the to-dos that I have finished',
      also: ['What have I already ticked off?', 'Done tasks', 'Which tasks have I completed?'],
      as: 'nina.patel',
      input: { status: 'completed' },
    },
    { ask: 'Which of my tasks are still open?', as: 'marcus.johnson', input: { status: 'pending' } },
  ],
  says: (data) => `${data.length} tasks, ${data.filter(({ completed }) => !completed).length} of them open`,

  run: async ({ status }, { listTasks }) =>
    (await listTasks()).filter(({ completed }) => status === 'all' || completed === (status === 'completed')),
});
