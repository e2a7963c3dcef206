/** A contract of its own, provided by hr, and a domain that needs it. The domain uses the tables of tasks. */
import { z } from 'zod';
import { hr } from '../../domains/hr/domain.ts';
import * as hrTools from '../../domains/hr/index.ts';
import { employmentProvision, peopleChangesProvision } from '../../domains/hr/provides.ts';
import { tasks } from '../../domains/tasks/domain.ts';
import { defineContract, type Needs } from '../../src/declare/contracts.ts';
import { defineDomain } from '../../src/declare/define.ts';
import { storedId } from '../../src/declare/fields.ts';
import type { Installed } from '../../src/declare/install.ts';

const calls = { nameOf: { input: z.object({ id: storedId }), output: z.string().nullable() } };
export const people = defineContract('people', 1, calls);
export const peopleTwo = defineContract('people', 2, calls);

const named = z.object({ first_name: z.string(), last_name: z.string() });
export const peopleProvision = hr.provide(people, {
  roles: ['hr-read', 'manager', 'employee'],
  calls: {
    async nameOf({ id }, { sql }) {
      const row = await sql.maybeOne(named, sql`select first_name, last_name from hr.employees where employee_id = ${id}`);
      return row && `${row.first_name} ${row.last_name}`;
    },
  },
});

/** The built-in hr domain, which here also provides `people`. */
export const hrWithPeople = (sample: Installed['sample']): Installed =>
  hr.install({
    tools: Object.values(hrTools),
    provides: [employmentProvision, peopleChangesProvision, peopleProvision],
    ...(sample && { sample }),
  });

const spec = {
  name: 'tasks',
  title: 'Errands',
  engine: 1,
  home: tasks.spec.home,
  port: 3108,
  store: 'sql',
  audiences: { self: { roles: ['employee'], sees: 'their own errands' } },
} as const;

/** A domain without a tool, with these needs. */
export const needing = (needs: Needs): Installed => {
  const domain = defineDomain({ ...spec, needs });
  const tool = domain.read({
    name: 'get_errands',
    title: 'Errands',
    description: 'Says that it answers.',
    roles: ['employee'],
    input: z.object({}),
    output: z.object({ answers: z.boolean() }),
    run: async () => ({ answers: true }),
  });
  return domain.install({ tools: [tool] });
};

export const errands = defineDomain({ ...spec, needs: { people: { optional: people, without: 'errands show no names' } } });

const nameFor = errands.read({
  name: 'get_name_for_errand',
  title: 'Name',
  description: 'The name of the person whom an errand is for.',
  roles: ['employee'],
  input: z.object({ id: storedId }),
  output: z.object({ name: z.string().nullable() }),
  run: async ({ id }, { needs }) => ({ name: (await needs.people?.nameOf({ id })) ?? null }),
});

const added = z.object({ title: z.string() });
const addErrand = errands.write({
  name: 'add_errand',
  title: 'Add an errand',
  description: 'Adds an errand for a person.',
  roles: ['employee'],
  effect: 'adds',
  input: z.object({ id: storedId }),
  output: added,
  async prepare({ id }, { needs }) {
    const name = (await needs.people?.nameOf({ id })) ?? 'somebody';
    return { summary: `Add an errand for ${name}`, subject: { label: name, id }, changes: [{ field: 'for', from: null, to: name }], name };
  },
  execute: (_input, { sql, plan, me }) =>
    sql.change(added, sql`insert into tasks.tasks (principal, id, title) values (${me.principal}, 999, ${plan.name}) returning title`),
});

export const installedErrands = errands.install({ tools: [nameFor, addErrand] });
