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
      question: 'What is on my list?',
      phrases: [
        "What's on my plate?",
        'Show me my to-do list',
        'Show my tasks',
        'My to-dos',
        'List all my reminders',
        'What am I supposed to do?',
        "What's on my agenda?",
        'My checklist',
        'What are my assignments?',
        'Which reminders do I have?',
        'Do I have any tasks?',
        'Read me my list',
        'How many tasks do I have?',
        'What should I be doing?',
      ],
      as: 'frank.davis',
      input: {},
    },
    {
      question: 'What do I still have to do?',
      phrases: [
        'My open tasks',
        'What is left on my to-do list?',
        'Pending tasks',
        "What's still outstanding on my list?",
        "What haven't I done yet?",
        'Unfinished to-dos',
        'What remains to be done?',
        'Which chores are left?',
        'Things I have yet to do',
        'Is there anything left for me to do?',
        'Incomplete tasks',
      ],
      as: 'sarah.kim',
      input: { status: 'pending' },
    },
    {
      question: 'Show the to-dos that I have finished',
      phrases: [
        'What have I already ticked off?',
        'Done tasks',
        'Which tasks have I completed?',
        'What have I accomplished?',
        'What did I get done?',
        'Completed to-dos',
        'Things I finished',
        "Tasks I'm done with",
      ],
      as: 'nina.patel',
      input: { status: 'completed' },
    },
    { question: 'Which of my tasks are still open?', as: 'marcus.johnson', input: { status: 'pending' } },
  ],
  summary: (data) => `${data.length} tasks, ${data.filter(({ completed }) => !completed).length} of them open`,

  run: async ({ status }, { listTasks }) =>
    (await listTasks()).filter(({ completed }) => status === 'all' || completed === (status === 'completed')),
});
