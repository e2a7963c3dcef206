import { z } from 'zod';
import { knowledge } from '../domain.ts';
import { differences } from '../items.ts';
import { begin, close, reopen } from '../record.ts';
import { change, reason } from '../schemas.ts';
import { allMine, lastOwn, laterThan, transactionBy } from '../undo.ts';

export const undo = knowledge.write({
  name: 'undo',
  title: 'Take a change back',
  description:
    'Takes a change of the knowledge back: every field, and the triples that it deleted. The undo is a change itself and can be ' +
    'undone. If a later change is in the way, nothing is undone and the answer names the later changes.',
  roles: ['employee'],
  effect: 'changes',
  atOnceWhen: 'the change was your own and changed nothing that others recorded',
  input: z.object({
    tx_id: z
      .int()
      .positive()
      .max(2_147_483_647)
      .optional()
      .describe('tx_id from history, or from the answer to a change; by default your own last change'),
    reason,
  }),
  output: z.object({
    tx_id: z.int().describe('The transaction of this undo; give it to undo to restore the change'),
    undid: z.int(),
    changes: z.array(change).describe('What changed now'),
  }),
  errors: {
    TRANSACTION_NOT_FOUND: 'Find its tx_id with history.',
    NOTHING_TO_UNDO: { message: 'You have no change left to take back.', hint: 'Find the tx_id of another change with history.' },
    CHANGED_LATER: {
      message: 'Later changes are in the way. Nothing was undone.',
      hint: 'First undo the changes in details.later, the newest first.',
    },
  },
  examples: [
    { question: 'undo transaction 60 of the knowledge base', as: 'dan.williams', input: { tx_id: 60 } },
    { question: 'Take back change 90, it was a mistake', as: 'frank.davis', input: { tx_id: 90, reason: 'It was a mistake' } },
    { question: 'undo that', as: 'tom.becker', input: {}, expects: 'NOTHING_TO_UNDO' },
    { question: 'Undo transaction 999999', as: 'marcus.johnson', input: { tx_id: 999_999 }, expects: 'TRANSACTION_NOT_FOUND' },
  ],

  summary: ({ tx_id, undid }) => `Undid change ${undid}; that is change ${tx_id}.`,
  async prepare({ tx_id, reason: why }, { sql, fail }) {
    const undone =
      tx_id === undefined
        ? ((await lastOwn(sql)) ?? fail('NOTHING_TO_UNDO'))
        : ((await transactionBy(sql, tx_id)) ?? fail('TRANSACTION_NOT_FOUND', { tx_id }));
    const later = await laterThan(sql, undone);
    if (later.length > 0) throw fail('CHANGED_LATER', { tx_id: undone.tx_id, later });
    const own = (await allMine(sql, undone.tx_id)) && undone.mine;
    return {
      summary: `Undo change ${undone.tx_id} (${undone.action} by ${undone.by})`,
      subject: { label: `Change ${undone.tx_id}`, id: String(undone.tx_id) },
      changes: undone.changes.flatMap(({ id, before, after }) => differences(after, before, id)),
      reason: why,
      own,
      undone,
    };
  },

  async execute({ reason: why }, { sql, me, plan }) {
    const { tx_id: undid, changes } = plan.undone;
    const tx = await begin(sql, me, { action: 'undo', reason: why, undoes: undid });
    for (const { id, before, after } of changes) {
      if (after !== null) await close(sql, tx, id);
      if (before !== null) await reopen(sql, tx, { id, closedBy: undid });
    }
    return { tx_id: tx, undid, changes: changes.map(({ kind, id, before, after }) => ({ kind, id, before: after, after: before })) };
  },
});
