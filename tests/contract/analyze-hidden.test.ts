/** Changing values that a person may not see changes no figure, order, count or error that this person gets. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AnalyzeTool, ListTool } from '../../src/declare/tool.ts';
import { opens } from '../../src/engine/access.ts';
import { analysesOf, fieldsFor } from '../../src/testing/contract/analyses.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { codeOf, concurrently, ToolCaller, today, type Who } from '../../src/testing/tool-caller.ts';
import { persona } from '../../domains/sample-company/people.ts';
import { builtIn, rolesIn } from '../registry.ts';
import { openTestServer } from '../test-server.ts';
import { narrowed } from './arrange.ts';

type Row = Readonly<Record<string, unknown>>;
let server: TestServer;
let caller: ToolCaller;
beforeAll(async () => {
  server = await openTestServer();
  caller = new ToolCaller(server);
}, 120_000);
afterAll(() => server?.close());

/** Nobody here may see pay. All of them see their own, and Dan and Nina list other people's rows. */
const PEOPLE: readonly (Who & { readonly roles: readonly string[] })[] = [
  { user: 'tom.becker', roles: ['employee', 'hr-read'] },
  { user: 'dan.williams', roles: ['employee', 'manager', 'hr-read'] },
  { user: 'nina.patel', roles: ['employee', 'manager'] },
  { user: 'frank.davis', roles: ['employee'] },
];
const own = PEOPLE.map(({ user }) => persona(user).employeeId);

const analyzers = builtIn.tools.filter((tool): tool is AnalyzeTool => tool.kind === 'analyze');
const toolOf = (list: ListTool) => analyzers.find(({ lists }) => lists.includes(list));
const lists = builtIn.tools.filter(
  (tool): tool is ListTool => tool.kind === 'list' && ['hr', 'payroll', 'finance'].includes(tool.domain.name),
);

/** Each use of a field that reveals something about its values. */
const usesOf = (list: ListTool, name: string): Row[] => [
  { group_by: [name] },
  { group_by: ['department', name] },
  ...['distinct', 'sum', 'avg', 'median', 'min', 'max'].map((fn) => ({ measures: ['count', { [fn]: name }] })),
  { measures: [{ share: `sum_${name}` }] },
  { measures: ['count'], sort: { by: `sum_${name}` } },
  ...(Object.hasOwn(list.input.shape, name)
    ? [{ where: { [name]: { from: 60_000 } } }, { where: { [name]: { to: 60_000 } }, compare: 'previous_year' }]
    : []),
];

function inputsOf(list: ListTool, as: Who): { readonly tool: ListTool | AnalyzeTool; readonly input: Row }[] {
  const subject = { people: [{ ...persona(as.user), roles: as.roles ?? [] }], rolesOf: () => rolesIn('staff', as.roles ?? []) };
  const { visible, hidden } = fieldsFor(subject as never, list, as.user);
  const where = narrowed[`${list.domain.name}_${list.name}`]?.(today(server)) ?? {};
  const sorts = Object.keys(list.orders).length > 1 ? Object.keys(list.orders) : [];
  const figures = toolOf(list);
  return [
    { tool: list, input: { ...where, count: true } },
    ...sorts.flatMap((sort) => [1, 50].map((limit) => ({ tool: list, input: { ...where, sort, limit, count: true } }))),
    ...hidden.flatMap(({ name }) =>
      Object.hasOwn(list.input.shape, name)
        ? [60_000, 5_000_000].map((from) => ({ tool: list, input: { ...where, [name]: { from }, count: true } }))
        : [],
    ),
    ...(figures === undefined
      ? []
      : [...analysesOf(visible), ...hidden.flatMap(({ name }) => usesOf(list, name))].map((asked) => ({
          tool: figures,
          input: { of: list.name, where, ...asked },
        }))),
  ];
}

/** Everything that these people receive, without request ids and cursors, which differ in each answer. */
async function received(): Promise<Map<string, string>> {
  const all = new Map<string, string>();
  for (const who of PEOPLE) {
    await server.tamshai.modules.identity.accounts.setRoles(who.user, who.roles);
    caller.forget();
    const roles = rolesIn('staff', who.roles);
    const asks = lists.filter((list) => opens(list, roles)).flatMap((list) => inputsOf(list, who));
    const summary = builtIn.find('payroll', 'get_payroll_summary');
    const year = Number(today(server).slice(0, 4));
    const periods = [year, year - 1].flatMap((each) => [
      String(each),
      ...[1, 2, 3, 4].map((quarter) => `${each}-Q${quarter}`),
      ...Array.from({ length: 12 }, (_, n) => `${each}-${String(n + 1).padStart(2, '0')}`),
    ]);
    const others =
      summary !== undefined && opens(summary, roles)
        ? periods.map((period) => ({ tool: summary as unknown as ListTool, input: { period } }))
        : [];
    await concurrently([...asks, ...others], async ({ tool, input }) => {
      const { answer, text, requestId } = await caller.call('rest', who, tool, input);
      const what = `${tool.domain.name}.${tool.name} for ${who.user}: ${JSON.stringify(input)}`;
      const plain = text
        .replaceAll(requestId, '')
        .replace(/"nextCursor":"[\w-]+"/, '')
        .replace(/"timestamp":"[^"]+"/, '');
      all.set(what, `${codeOf(answer)} ${plain}`);
    });
  }
  return all;
}

/** Other values for everything that a mask hides, except in the rows of the people who ask: they may see their own. */
async function changeHidden(): Promise<void> {
  const twice = 'array(select a * 2 from unnest(earning_amounts) a)';
  await server.owner('update hr.pay set salary = least(9999999, 2 * salary + 12345.67) where employee_id <> all ($1)', [own]);
  await server.owner(`update payroll.stub_pay set earning_amounts = ${twice} where employee_id <> all ($1)`, [own]);
  await server.owner('update payroll.run_totals set gross = gross + 1000, net = net + 1000, employer_taxes = 2 * employer_taxes');
  for (const [table, column] of [
    ['contractor_rates', 'rate'],
    ['contractor_amounts', 'amount'],
  ])
    await server.owner(`update payroll.${table} set ${column} = 2 * ${column} + 1`);
}

describe('values that a person may not see', () => {
  test('change no figure, order, count or error of any list, and no payroll summary', async () => {
    await server.clock.stoppedFor(async () => {
      const before = await received();
      expect(before.size).toBeGreaterThan(300);
      const refused = [...before.values()].filter((text) => text.startsWith('FIELD_HIDDEN'));
      expect(refused.length).toBeGreaterThan(50);
      await changeHidden();
      const after = await received();
      expect([...after.keys()].toSorted()).toEqual([...before.keys()].toSorted());
      const changed = [...after].filter(([what, text]) => before.get(what) !== text).map(([what]) => what);
      expect(changed).toEqual([]);
    });
  }, 300_000);

  test('are figures for people who may see them, so the change was real', async () => {
    await server.tamshai.modules.identity.accounts.setRoles('alice.chen', persona('alice.chen').roles);
    caller.forget();
    const [hr] = analyzers.filter(({ domain }) => domain.name === 'hr');
    if (hr === undefined) throw new Error('no figures of hr');
    const { answer } = await caller.call('rest', 'alice.chen', hr, { of: 'list_employees', measures: [{ max: 'salary' }] });
    expect(answer).toMatchObject({ status: 'success', data: { rows: [{ max_salary: expect.any(Number) }] } });
  });
});
