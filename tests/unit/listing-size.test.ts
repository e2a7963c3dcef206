/** Size of tools/list: the tools of an executive cost at most 282 tokens each, `analyze` aside, and still describe every field. */
import { expect, it } from 'vitest';
import { createListings } from '../../src/gateway/listing.ts';
import { persona } from '../../domains/sample-company/people.ts';
import { person } from '../test-runtime.ts';
import { builtIn, rolesIn } from '../registry.ts';

/** The average number of characters in a token of such JSON, for the tokenizers of well-known models. */
const LETTERS_A_TOKEN = 4.4;

const isAnalyze = ({ name }: { readonly name: string }) => name.endsWith('_analyze');

it("an executive's tool list costs at most 282 tokens per tool", () => {
  expect(persona('eve.thompson').roles).toContain('executive');
  const { tools } = createListings(builtIn, undefined).for(person('eve.thompson'), undefined);
  const tokens = (some: readonly unknown[]) => JSON.stringify(some).length / LETTERS_A_TOKEN / some.length;
  const [figures, others] = [tools.filter(isAnalyze), tools.filter((tool) => !isAnalyze(tool))];
  expect(others.length).toBeGreaterThan(60);
  expect(tokens(others)).toBeLessThanOrEqual(282);
  // It names the fields of all lists of its server.
  expect(figures.length).toBeGreaterThan(5);
  expect(tokens(figures)).toBeLessThanOrEqual(600);
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
