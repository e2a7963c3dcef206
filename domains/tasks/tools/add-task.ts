import { z } from 'zod';
import { anyone, tasks } from '../domain.ts';
import { description, outcome, title } from '../schemas.ts';

export const addTask = tasks.act({
  name: 'add_task',
  title: 'Add a task',
  description: 'Create a new task for the user',
  roles: anyone,
  effect: 'adds',
  input: z.object({ title, description: description.optional() }),
  output: outcome('created'),
  examples: [
    { question: 'Remind me to call the landlord', as: 'frank.davis', input: { title: 'Call the landlord' } },
    { question: "Put 'buy stamps' on my to-do list", as: 'marcus.johnson', input: { title: 'Buy stamps' } },
    { question: 'Create a task called water the plants', as: 'tom.becker', input: { title: 'Water the plants' } },
    {
      question: 'Add a task: prepare the budget review',
      as: 'nina.patel',
      input: { title: 'Prepare the budget review', description: 'Figures of the last quarter' },
    },
  ],

  summary: ({ task_id, title }) => `Added task ${task_id}: ${title}`,
  async execute({ title, description }, { addTask }) {
    const task = await addTask(title, description);
    return { task_id: task.id, status: 'created', title: task.title };
  },
});
