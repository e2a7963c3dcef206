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
    {
      question: 'Remind me to call the landlord',
      phrases: [
        'I need to remember to call the landlord',
        "Don't let me forget to call the landlord",
        'Make a note to call the landlord',
        'I have to call the landlord, put it on my list',
        'Add a reminder to call the landlord',
        'Note to self: call the landlord',
        'Set a reminder to call the landlord',
        'Please remind me that I have to call the landlord',
        'Help me remember to call the landlord',
        'I must not forget to call the landlord',
      ],
      as: 'frank.davis',
      input: { title: 'Call the landlord' },
    },
    {
      question: "Put 'buy stamps' on my to-do list",
      phrases: [
        "Add 'buy stamps' to my tasks",
        "Stick 'buy stamps' on my list",
        "Write 'buy stamps' on my to-do list",
        "Jot 'buy stamps' on my task list",
      ],
      as: 'marcus.johnson',
      input: { title: 'Buy stamps' },
    },
    {
      question: 'Create a task called water the plants',
      phrases: ['Set up a task called water the plants'],
      as: 'tom.becker',
      input: { title: 'Water the plants' },
    },
    {
      question: 'Add a task: prepare the budget review',
      phrases: ['New task: prepare the budget review', 'Todo: prepare the budget review'],
      as: 'nina.patel',
      input: { title: 'Prepare the budget review', description: 'Figures of the last quarter' },
    },
  ],

  async execute({ title, description }, { addTask }) {
    const task = await addTask(title, description);
    return { task_id: task.id, status: 'created', title: task.title };
  },
});
