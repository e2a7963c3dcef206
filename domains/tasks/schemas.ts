/** Schemas shared by the task tools: fields, results and the not-found error. */
import { z } from 'zod';
import { callerText, prose, readable } from '../../src/declare/fields.ts';

export const taskId = z
  .int('Invalid task ID')
  .positive('Invalid task ID')
  .max(2_147_483_647, 'Invalid task ID')
  .describe('id from list_tasks');
export const title = readable(
  z
    .string({ error: (issue) => (issue.input === undefined ? 'Title is required' : 'Title must be text') })
    .min(1, 'Title is required')
    .max(200, 'Title must be 200 characters or less'),
)
  .refine((text) => text.trim() !== '', 'Title is required')
  .describe('The task title (1-200 characters)');
export const description = prose(1000, 'Description must be 1000 characters or less').describe('Details (at most 1000 characters)');
export const task = z.object({ id: z.int(), title: callerText, description: callerText.nullable(), completed: z.boolean() });
export const outcome = <const S extends string>(status: S) => z.object({ task_id: z.int(), status: z.literal(status), title: callerText });
export const notFound = { message: 'Task not found', hint: 'Find the id of one of your tasks with list_tasks.' };
