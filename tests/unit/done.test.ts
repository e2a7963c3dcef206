/** The sentence that says what a write did. */
import { expect, test } from 'vitest';
import { doneSentence, pastTense } from '../../src/engine/approvals/done.ts';
import { canWrite, type EffectTool } from '../../src/declare/tool.ts';
import { builtIn } from '../registry.ts';

test.each([
  ['Delete employee Frank Davis', 'Deleted employee Frank Davis'],
  ['Approve 3 days of vacation', 'Approved 3 days of vacation'],
  ['Submit the budget', 'Submitted the budget'],
  ['Pay invoice 7', 'Paid invoice 7'],
  ['Set the stage', 'Set the stage'],
  ['Plan a move', 'Planned a move'],
  ['Cancel the request', 'Cancelled the request'],
  ['Transfer the lead', 'Transferred the lead'],
  ['Add a task', 'Added a task'],
  ['Open a ticket', 'Opened a ticket'],
  ['Edit it', 'Edited it'],
  ['Copy it', 'Copied it'],
  ['Undo change 7', 'Undid change 7'],
  ['', ''],
])('%s → %s', (plan, done) => {
  expect(pastTense(plan)).toBe(done);
});

test('the plan wins over the tool, and the tool over the sentence of the card', () => {
  const tool = { title: 'Delete', summary: () => 'Delete', company: undefined } as unknown as EffectTool;
  const plan = { summary: 'Delete “x”', subject: { label: 'x', id: '1' }, changes: [] };
  const given = { data: {}, input: {} };
  expect(doneSentence(tool, plan, given)).toBe('Deleted “x”.');
  expect(doneSentence({ ...tool, summary: () => 'x has been deleted.' }, plan, given)).toBe('x has been deleted.');
  expect(doneSentence(tool, { ...plan, done: 'x is gone' }, given)).toBe('x is gone.');
});

test('the title of every write begins with a verb whose past tense we form', () => {
  for (const { title } of builtIn.tools.filter(canWrite))
    expect(pastTense(title), title).toMatch(/^[A-Z][a-z]*(?:ed|id|aid|ent|ot|ut|ade|ave|et|eld|ook|an|ote|ought|old|on|ew) /);
});
