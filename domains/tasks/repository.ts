/** Stores the tasks of one person in PostgreSQL. */
import { z } from 'zod';
import type { SqlWriter } from '../../src/declare/sql.ts';
import { task } from './schemas.ts';
import type { Task, TaskRepository } from './use-cases.ts';

const counter = z.object({ last_id: z.int() });

/** Uses only rows of `owner`. Row-level security enforces the same rule. */
export const sqlTaskRepository = (sql: SqlWriter, owner: string): TaskRepository => ({
  async add(title, description) {
    const { last_id } = await sql.change(
      counter,
      sql`insert into tasks.counters (principal, last_id) values (${owner}, 1) on conflict (principal) do update
        set last_id = counters.last_id + 1 returning last_id`,
    );
    return sql.change(
      task,
      sql`insert into tasks.tasks (principal, id, title, description) values (${owner}, ${last_id}, ${title}, ${description}) returning *`,
    );
  },
  all: () => sql.many(task, sql`select * from tasks.tasks where principal = ${owner} order by id`),
  get: (id) => sql.maybeOne(task, sql`select * from tasks.tasks where principal = ${owner} and id = ${id}`),
  save: ({ id, title, description, completed }: Task) =>
    sql.change(
      task,
      sql`update tasks.tasks set title =
        ${title}, description = ${description}, completed = ${completed} where principal = ${owner} and id = ${id} returning *`,
    ),
  remove: async (id) => {
    await sql.change(task, sql`delete from tasks.tasks where principal = ${owner} and id = ${id} returning *`);
  },
});
