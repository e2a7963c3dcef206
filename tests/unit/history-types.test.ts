/** The types of records of the built-in domains, and the tools that show such records. */
import { expect, test } from 'vitest';
import { canWrite, type HistoryTool } from '../../src/declare/tool.ts';
import { builtIn } from '../registry.ts';

const histories = builtIn.tools.filter((tool): tool is HistoryTool => tool.kind === 'history');
const shownBy = Object.fromEntries(
  histories.flatMap(({ domain, records }) =>
    records.map(({ type, shownBy: tools }) => [`${domain.name}.${type}`, tools.map(({ name }) => name)] as const),
  ),
);

test('every server with writes has a history', () => {
  const writing = builtIn.domains.filter((domain) => builtIn.tools.some((tool) => tool.domain === domain && canWrite(tool)));
  expect(histories.map(({ domain }) => domain.name)).toEqual(writing.map(({ name }) => name));
});

test('the tools that show a record decide who sees its history', () => {
  expect(shownBy['hr.employee']).toEqual(['get_employee']);
  expect(shownBy['hr.time_off_request']).toEqual(expect.arrayContaining(['list_time_off_requests', 'list_team_time_off_requests']));
  expect(shownBy['support.ticket']?.[0]).toMatch(/get_ticket$/);
  expect(shownBy['tasks.task']).toEqual(['list_tasks']);
  expect(shownBy['knowledge.item']).toEqual(['query', 'query_graph']);
  expect(Object.keys(shownBy)).toEqual(
    expect.arrayContaining(['finance.budget', 'finance.invoice', 'finance.expense_report', 'sales.customer']),
  );
  expect(Object.keys(shownBy)).not.toContain('knowledge.tx');
});

test('a person who may use a write can open the history of its domain', () => {
  for (const { domain, roles } of histories) {
    const writers = builtIn.tools.filter((tool) => tool.domain === domain && canWrite(tool)).flatMap((tool) => tool.roles);
    const implied = (role: string) => roles.includes(role) || roles.some((each) => builtIn.roles.resolve('staff', [role]).has(each));
    expect([domain.name, writers.filter((role) => !implied(role))]).toEqual([domain.name, []]);
  }
});
