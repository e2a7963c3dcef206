import { z } from 'zod';
import { anyone, tasks } from '../domain.ts';
import { notFound, outcome, taskId } from '../schemas.ts';

export const completeTask = tasks.act({
  name: 'complete_task',
  title: 'Complete a task',
  description: 'Mark a task as completed',
  roles: anyone,
  effect: 'changes',
  input: z.object({ task_id: taskId }),
  output: outcome('completed'),
  errors: { TASK_NOT_FOUND: notFound },
  examples: [
    { question: 'Tick off task 9999', as: 'frank.davis', input: { task_id: 9999 }, expects: 'TASK_NOT_FOUND' },
    { question: 'Mark task 9999 as done', as: 'nina.patel', input: { task_id: 9999 }, expects: 'TASK_NOT_FOUND' },
    { question: 'I have finished task 9999', as: 'tom.becker', input: { task_id: 9999 }, expects: 'TASK_NOT_FOUND' },
  ],

  summary: ({ title }) => `Completed the task “${title}”`,
  async prepare({ task_id }, { findTask, fail }) {
    const task = (await findTask(task_id)) ?? fail('TASK_NOT_FOUND', { task_id });
    return {
      summary: `Complete the task “${task.title}”`,
      subject: { label: task.title, id: String(task.id) },
      changes: [{ field: 'completed', from: task.completed, to: true }],
    };
  },
  async execute({ task_id }, { completeTask, fail }) {
    const task = (await completeTask(task_id)) ?? fail('TASK_NOT_FOUND', { task_id });
    return { task_id: task.id, status: 'completed', title: task.title };
  },
});
