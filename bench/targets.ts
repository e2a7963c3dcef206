/** The requests for the load generator: one employee, and a page of 50. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Keys } from '../src/identity/keys.ts';
import { mintToken } from '../src/identity/mint.ts';
import { persona } from '../domains/sample-company/people.ts';
import type { LoadTarget } from './loadgen.ts';
import { mcpBody, mcpHeaders } from './product.ts';
import type { Company, Timing } from './sql.ts';

export const warmUp = ({ warmMs }: Timing) => ({ callers: 16, ms: warmMs, rounds: 1 });

/** The load generator replaces `{{rid}}` by a number, so the JSON has no quotes around it. */
export const numbered = (body: string) => body.replace('"id":0', '"id":{{rid}}');
/** JSON Lines is the input format of the load generator. */
export const jsonLines = (rows: readonly object[]): string => `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;

/** Files with the parameters of the requests and the expected texts. */
export interface Questions {
  readonly one: string;
  readonly page: string;
}

export async function questionsAbout({ postgres, ids }: Company, folder: string): Promise<Questions> {
  mkdirSync(folder, { recursive: true });
  const owner = new pg.Client({ connectionString: postgres.url });
  await owner.connect();
  const people = await owner.query<{ id: string; email: string }>(
    'select employee_id as id, email from hr.employees where employee_id = any ($1)',
    [ids],
  );
  const departments = await owner.query<{ dept: string; first: string; last: string }>(
    `select d.department as dept, (array_agg(p.email))[1] as first, (array_agg(p.email))[50] as last
     from (select department from hr.employees where active group by 1 having count(*) > 50 order by count(*) desc limit 8) d,
       lateral (select email from hr.employees e where e.active and e.department_key = lower(d.department)
       order by last_name, first_name, employee_id limit 50) p group by 1`,
  );
  await owner.end();
  const [one, page] = [join(folder, 'ours-one.jsonl'), join(folder, 'ours-page.jsonl')];
  writeFileSync(one, jsonLines(people.rows));
  writeFileSync(page, jsonLines(departments.rows));
  return { one, page };
}

/** The gateway or a domain server. */
export interface Endpoint {
  readonly address: string;
  readonly keys: Keys;
  /** The address of the gateway, which issues the tokens. */
  readonly base: string;
  /** The prefix of tool names. */
  readonly prefix: '' | 'hr_';
  readonly pids: readonly number[];
}

export async function ourTargets(
  name: string,
  { address, keys, base, prefix, pids }: Endpoint,
  questions: Questions,
  database: number,
): Promise<LoadTarget[]> {
  const token = await mintToken(keys, persona('alice.chen'), { base, audience: `${address}/mcp` });
  const target = (group: string, tool: string, args: object, vars: string, expect: readonly string[]): LoadTarget => {
    // The load generator sets these two headers itself.
    const { accept: _accept, 'content-type': _type, ...headers } = mcpHeaders(token, prefix + tool);
    return {
      name,
      group,
      url: `${address.replace('localhost', '127.0.0.1')}/mcp`,
      headers,
      body: numbered(mcpBody(0, prefix + tool, args)),
      vars,
      expect,
      pids,
      db_pids: [database],
    };
  };
  return [
    target('one', 'get_employee', { employee_id: '{{id}}' }, questions.one, ['{{email}}']),
    target('page', 'list_employees', { department: '{{dept}}' }, questions.page, ['{{first}}', '{{last}}']),
  ];
}
