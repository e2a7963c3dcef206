import { z } from 'zod';
import { changed } from '../../../src/declare/define.ts';
import { anyone, tasks } from '../domain.ts';
import { description, notFound, outcome, taskId, title } from '../schemas.ts';

export const updateTask = tasks.act({
  name: 'update_task',
  title: 'Change a task',
  description: "Modify a task's title or description",
  roles: anyone,
  effect: 'changes',
  input: z
    .object({ task_id: taskId, title: title.optional(), description: description.optional() })
    .refine((given) => given.title !== undefined || given.description !== undefined, 'At least title or description required'),
  output: outcome('updated'),
  errors: { TASK_NOT_FOUND: notFound },
  examples: [
    {
      question: 'Rename task 9999 to "Call the bank"',
      as: 'frank.davis',
      input: { task_id: 9999, title: 'Call the bank' },
      expects: 'TASK_NOT_FOUND',
    },
    {
      question: 'Change the title of task 9999 to "Call the insurance"',
      as: 'sarah.kim',
      input: { task_id: 9999, title: 'Call the insurance' },
      expects: 'TASK_NOT_FOUND',
    },
  ],

  summary: ({ title }) => `Changed the task “${title}”`,
  async prepare({ task_id, title, description }, { findTask, fail }) {
    const task = (await findTask(task_id)) ?? fail('TASK_NOT_FOUND', { task_id });
    return {
      summary: `Change the task “${task.title}”`,
      subject: { label: task.title, id: String(task.id) },
      changes: changed(task, { ...(title !== undefined && { title }), ...(description !== undefined && { description }) }),
    };
  },
  async execute({ task_id, ...change }, { updateTask, fail }) {
    const task = (await updateTask(task_id, change)) ?? fail('TASK_NOT_FOUND', { task_id });
    return { task_id: task.id, status: 'updated', title: task.title };
  },
});
