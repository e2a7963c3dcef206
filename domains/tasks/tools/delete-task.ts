import { z } from 'zod';
import { anyone, tasks } from '../domain.ts';
import { notFound, outcome, taskId } from '../schemas.ts';

export const deleteTask = tasks.act({
  name: 'delete_task',
  title: 'Delete a task',
  description: 'Permanently remove a task',
  roles: anyone,
  effect: 'removes',
  input: z.object({ task_id: taskId }),
  output: outcome('deleted'),
  errors: { TASK_NOT_FOUND: notFound },
  examples: [
    { question: 'Delete task 9999', as: 'frank.davis', input: { task_id: 9999 }, expects: 'TASK_NOT_FOUND' },
    { question: 'Take task 9999 off my to-do list', as: 'paula.reyes', input: { task_id: 9999 }, expects: 'TASK_NOT_FOUND' },
  ],

  summary: ({ title }) => `Deleted the task “${title}”`,
  async prepare({ task_id }, { findTask, fail }) {
    const task = (await findTask(task_id)) ?? fail('TASK_NOT_FOUND', { task_id });
    return {
      summary: `Delete the task “${task.title}”`,
      subject: { label: task.title, id: String(task.id) },
      changes: [{ field: 'task', from: task.title, to: null }],
      afterwards: 'It cannot be restored.',
    };
  },
  async execute({ task_id }, { deleteTask, fail }) {
    const task = (await deleteTask(task_id)) ?? fail('TASK_NOT_FOUND', { task_id });
    return { task_id: task.id, status: 'deleted', title: task.title };
  },
});
