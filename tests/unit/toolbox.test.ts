/** Selection of tools for an LLM prompt: the relevant tools within the token budget. */
import { describe, expect, test } from 'vitest';
import { promptTool, FIND_TOOLS, TOOL_TOKENS, tokensOf, createToolbox } from '../../src/assistant/toolbox.ts';
import type { Person } from '../../src/declare/people.ts';
import { builtIn, rolesIn } from '../registry.ts';

const box = createToolbox(builtIn);
const someone = (...roles: string[]): Person => ({
  principal: 'p',
  sub: 's',
  realm: 'staff',
  username: 'x',
  name: 'X',
  email: 'x@tamshai.example',
  employeeId: undefined,
  organizationId: undefined,
  roles: rolesIn('staff', roles),
});
const executive = box.offered(someone('employee', 'manager', 'executive'), false);
const none = new Set<string>();
const names = (words: string) => box.select(words, executive, none).map(({ name }) => name);

test('only the beginning of a long text is searched', () => {
  const filler = (words: number) => Array.from({ length: words }, (_, n) => `qqq${n}`).join(' ');
  expect(box.find(`${filler(100)} salary`, executive)).not.toEqual([]);
  expect(box.find(`${filler(500)} salary`, executive)).toEqual([]);
  expect(box.find(`${'q'.repeat(9_000)} salary`, executive)).toEqual([]);
});

describe('the selection for an executive', () => {
  const asked = executive.flatMap(({ name, tool }) => tool.examples.map(({ question }) => ({ name, ask: question })));

  test('costs at most 3,000 tokens', () => {
    expect(tokensOf(JSON.stringify(executive.map(promptTool)))).toBeGreaterThan(4 * TOOL_TOKENS);
    const costs = asked.map(({ ask }) => tokensOf(JSON.stringify([...box.select(ask, executive, none).map(promptTool), FIND_TOOLS])));
    // The budget does not include the commas and brackets of the list.
    expect(Math.max(...costs)).toBeLessThanOrEqual(TOOL_TOKENS + 20);
  });

  test('contains the right tool for at least 98 % of all examples', () => {
    const missed = asked.filter(({ name, ask }) => !names(ask).includes(name));
    expect(missed.length, JSON.stringify(missed)).toBeLessThanOrEqual(asked.length / 50);
  });

  test('also contains the list tool that finds the id of a named person or customer', () => {
    expect(names("Increase Sarah's salary to $120,000")).toEqual(expect.arrayContaining(['hr_update_salary', 'hr_list_employees']));
    expect(names('Tell me about Globex')).toContain('sales_list_customers');
  });

  test('can be extended: other tools are found by their purpose', () => {
    expect(box.find('close a support ticket', executive).map(({ name }) => name)).toContain('support_close_ticket');
    expect(box.find('qwertz', executive)).toEqual([]);
  });

  test('keeps the tools of the last question', () => {
    expect(box.select('and in December?', executive, new Set(['finance_get_arr'])).map(({ name }) => name)).toContain('finance_get_arr');
  });
});

test('a prompt contains only tools that the person may call, and a read-only prompt only tools that read', () => {
  const intern = box.offered(someone('employee'), false);
  expect(intern.map(({ name }) => name)).not.toContain('hr_update_salary');
  expect(box.find('update salary', intern).every(({ tool }) => tool.roles.includes('employee'))).toBe(true);
  expect(box.offered(someone('employee', 'executive'), true).filter(({ tool }) => tool.kind === 'act' || tool.kind === 'write')).toEqual(
    [],
  );
});

test('4,000 hostile characters do not stall the selection', () => {
  for (const hostile of ['a'.repeat(4000), ' '.repeat(4000), 'é\u0301'.repeat(2000), 'ies'.repeat(1333), '_-'.repeat(2000)])
    expect(box.select(hostile, executive, none)).toBeInstanceOf(Array);
});
