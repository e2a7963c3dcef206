/** Validation messages of all tools: they name the field and what it must be, and contain no text of the schema library. */
import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/declare/errors.ts';
import { parseInput } from '../../src/engine/parse-input.ts';
import type { Person } from '../../src/declare/people.ts';
import type { Tool } from '../../src/declare/tool.ts';
import { builtIn } from '../registry.ts';

const person = { principal: 'p', username: 'a', roles: new Set(['employee']), realm: 'staff' } as unknown as Person;
const ODD = [5, -1, 1e12, 1.2345, '', 'x', 'y'.repeat(9000), null, true, [], ['x'], {}] as const;

function saidOf(tool: Tool, input: unknown): string {
  try {
    parseInput(tool, input, person);
    return '';
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}
const list = builtIn.find('hr', 'list_employees');
const pay = builtIn.find('finance', 'pay_invoice');

describe('validation messages', () => {
  test.each(builtIn.tools.map((tool) => [`${tool.domain.name} ${tool.name}`, tool] as const))(
    'of %s contain no text of the schema library',
    (_, tool) => {
      for (const key of ['', ...Object.keys(tool.input.shape)])
        for (const value of ODD) {
          const said = saidOf(tool, key === '' ? {} : { [key]: value });
          expect(said, `${key}: ${JSON.stringify(value).slice(0, 20)}`).not.toMatch(
            /Invalid (input|option|ISO|UUID|type)|\b(expected|received)\b|Too (big|small)|regex|zod/i,
          );
        }
    },
  );

  test('name the field and what it must be', () => {
    if (!list || !pay) throw new Error('no such tool');
    expect(saidOf(list, { limit: 51 })).toBe('limit must be at most 50');
    expect(saidOf(list, { limit: 'ten' })).toBe('limit must be a number');
    expect(saidOf(list, { department: 5 })).toBe('department must be text');
    expect(saidOf(pay, {})).toBe('invoice_id is required');
    expect(saidOf(pay, { invoice_id: '0a000000-0000-4000-8000-000000000001', payment_date: '2026-02-30' })).toMatch(
      /^payment_date: Give a date/,
    );
  });
});
