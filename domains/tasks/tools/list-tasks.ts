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
    { question: 'What is on my list?', as: 'frank.davis', input: {} },
    { question: 'What do I still have to do?', as: 'sarah.kim', input: { status: 'pending' } },
    { question: 'Show the to-dos that I have finished', as: 'nina.patel', input: { status: 'completed' } },
    { question: 'Which of my tasks are still open?', as: 'marcus.johnson', input: { status: 'pending' } },
  ],
  summary: (data) => `${data.length} tasks, ${data.filter(({ completed }) => !completed).length} of them open`,

  run: async ({ status }, { listTasks }) =>
    (await listTasks()).filter(({ completed }) => status === 'all' || completed === (status === 'completed')),
});
