import { z } from 'zod';
import { changed } from '../../../src/declare/define.ts';
import { anyCase, line, prose } from '../../../src/declare/fields.ts';
import { changedFields, searchText } from '../deals.ts';
import { sales } from '../domain.ts';
import { canMove, needsReason } from '../leads.ts';
import { ownerFields, sellerCalled } from '../owners.ts';
import { leadById } from '../rules.ts';
import { lead, leadId, leadNotFound, nothingToChange, ownerErrors, ownerName } from '../schemas.ts';

export const updateLead = sales.write({
  name: 'update_lead',
  title: 'Change a lead',
  description:
    'Change a lead: its state, score, owner or name. Backwards and to DISQUALIFIED only with a reason. convert_lead makes it a customer.',
  roles: ['sales-write', 'executive'],
  effect: 'changes',
  input: z.object({
    lead_id: leadId,
    status: anyCase(['NEW', 'CONTACTED', 'QUALIFIED', 'DISQUALIFIED']).optional().describe('The new state'),
    score: z.int().min(0).max(100).optional().describe('A higher score means that the lead is more likely to buy'),
    owner: ownerName.optional(),
    name: line(200).min(1).optional().describe("The person's name"),
    company: line(200).min(1).optional().describe('The company of the person'),
    reason: prose(500).optional().describe('Why; required for DISQUALIFIED and to move backwards'),
  }),
  output: lead,
  errors: {
    LEAD_NOT_FOUND: leadNotFound,
    LEAD_CONVERTED: {
      message: 'The lead became a customer, so it cannot be changed.',
      hint: 'Change the customer with update_customer; details has its id.',
    },
    NOTHING_TO_CHANGE: nothingToChange,
    REASON_REQUIRED: { message: 'This change of a lead needs a reason.', hint: 'Give a reason.' },
    ...ownerErrors,
  },
  examples: [
    {
      question: 'Mark the lead Femi Ogunleye as contacted',
      as: 'carol.johnson',
      input: { lead_id: '0b100000-0000-4000-8000-000000000012', status: 'CONTACTED' },
    },
    {
      question: 'Disqualify the lead Alessia Fontana, no budget',
      as: 'eve.thompson',
      input: { lead_id: '0b100000-0000-4000-8000-000000000006', status: 'DISQUALIFIED', reason: 'No budget' },
    },
    {
      question: 'Set the score of the lead Christoph Hahn to 90',
      as: 'carol.johnson',
      input: { lead_id: '0b100000-0000-4000-8000-000000000007', score: 90 },
    },
    {
      question: 'Mark the lead with this id as contacted',
      as: 'carol.johnson',
      input: { lead_id: '0b100000-0000-4000-8000-999999999999', status: 'CONTACTED' },
      expects: 'LEAD_NOT_FOUND',
    },
  ],
  summary: ({ name, company, status }) => `Changed the lead ${name} of ${company}; its state is ${status}`,

  async prepare({ lead_id, owner, reason, ...given }, { documents, fail }) {
    const found = (await leadById(documents, lead_id)) ?? fail('LEAD_NOT_FOUND', { lead_id });
    if (found.status === 'CONVERTED') throw fail('LEAD_CONVERTED', { customer_id: found.customer_id });
    const { status = found.status, name = found.name, company = found.company } = given;
    if (!canMove(found.status, status)) throw fail('LEAD_CONVERTED', { status: found.status });
    if (needsReason(found.status, status) && !reason?.trim()) throw fail('REASON_REQUIRED', { status: found.status });
    const seller = owner === undefined ? undefined : await sellerCalled(documents, owner, fail);
    const patch = changedFields<Readonly<Record<string, unknown>>>(found, { ...given, ...(seller && ownerFields(seller)) });
    const { owner: _email, owner_id, owner_search: _search, ...shown } = patch;
    if (Object.keys(shown).length === 0 && owner_id === undefined) throw fail('NOTHING_TO_CHANGE', { lead_id });
    return {
      summary: `Change the lead ${found.name} of ${found.company}`,
      subject: { label: `${found.name}, ${found.company}`, id: lead_id },
      changes: Object.entries(shown).flatMap(([field, to]) => changed(found, { [field]: to })),
      reason,
      patch: { ...patch, search: searchText(name, company) },
    };
  },

  execute: ({ lead_id }, { documents, plan, now, output }) =>
    documents.change(output, 'leads', documents.where({ _id: lead_id }), { ...plan.patch, updated_at: now.toISOString() }),
});
