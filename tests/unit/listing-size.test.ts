/** Size of tools/list: the tools of an executive cost at most 265 tokens each, and still describe every field. */
import { expect, it } from 'vitest';
import { createListings } from '../../src/gateway/listing.ts';
import { persona } from '../../domains/sample-company/people.ts';
import { person } from '../test-runtime.ts';
import { builtIn, rolesIn } from '../registry.ts';

/** The average number of characters in a token of such JSON, for the tokenizers of well-known models. */
const LETTERS_A_TOKEN = 4.4;

it("an executive's tool list costs at most 265 tokens per tool", () => {
  expect(persona('eve.thompson').roles).toContain('executive');
  const { tools, bytes } = createListings(builtIn, undefined).for(person('eve.thompson'), undefined);
  expect(tools.length).toBeGreaterThan(60);
  expect(bytes.length / LETTERS_A_TOKEN / tools.length).toBeLessThanOrEqual(265);
});

it('the listed schemas of hr_list_employees contain its inputs and the fields of its answer', () => {
  const { tools } = createListings(builtIn, undefined).for(
    { ...person('eve.thompson'), roles: rolesIn('staff', ['executive']) },
    undefined,
  );
  const employees = tools.find(({ name }) => name === 'hr_list_employees');
  const named = Object.fromEntries(['name', 'department', 'manager_id', 'limit', 'cursor'].map((name) => [name, expect.any(Object)]));
  expect(employees?.inputSchema).toMatchObject({ properties: named });
  expect(employees?.outputSchema).toMatchObject({
    properties: { data: { type: 'array', items: { required: expect.arrayContaining(['salary', 'email']) } } },
  });
});
