import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { line } from '../../../src/declare/fields.ts';
import { searchText } from '../deals.ts';
import { sales } from '../domain.ts';
import { ownerFields, sellerOrCaller } from '../owners.ts';
import { because, lead, ownerErrors, ownerName, sourceFilter } from '../schemas.ts';

export const createLead = sales.write({
  name: 'create_lead',
  title: 'Create a lead',
  description: 'Record a person who may become a customer. The lead begins in the state NEW.',
  roles: ['sales-write', 'executive'],
  effect: 'adds',
  input: z.object({
    name: line(200).min(1).describe("The person's name"),
    company: line(200).min(1).describe('The company of the person'),
    email: z.email().max(254).describe('E-mail address of the person'),
    source: sourceFilter.describe('Where the lead came from; WEB is our own site'),
    score: z.int().min(0).max(100).optional().describe('By default 50; a higher score means that the lead is more likely to buy'),
    owner: ownerName.optional().describe('The salesperson: e-mail address, employee id or any part of the name; by default you'),
    reason: because,
  }),
  output: lead,
  errors: {
    LEAD_EXISTS: { message: 'There is already a lead with that e-mail address.', hint: 'Change the lead in details with update_lead.' },
    ...ownerErrors,
  },
  examples: [
    {
      question: "New lead: Ann Lee from Northwind Clinics, ann.lee@northwind.example, met at a trade show, for Liam O'Brien",
      as: 'carol.johnson',
      input: {
        name: 'Ann Lee',
        company: 'Northwind Clinics',
        email: 'ann.lee@northwind.example',
        source: 'TRADE_SHOW',
        owner: "Liam O'Brien",
      },
    },
    {
      question: "Add a referral lead Tom Gray of Harbor Foods, tom.gray@harborfoods.example, score 80, owner Liam O'Brien",
      as: 'eve.thompson',
      input: {
        name: 'Tom Gray',
        company: 'Harbor Foods',
        email: 'tom.gray@harborfoods.example',
        source: 'REFERRAL',
        score: 80,
        owner: "Liam O'Brien",
      },
    },
    {
      question: 'Add a web lead Zoe Hart of Pine Media, zoe.hart@pinemedia.example, owner Santa Claus',
      as: 'carol.johnson',
      input: { name: 'Zoe Hart', company: 'Pine Media', email: 'zoe.hart@pinemedia.example', source: 'WEB', owner: 'Santa Claus' },
      expects: 'OWNER_NOT_FOUND',
    },
  ],
  summary: ({ name, company, owner_name }) => `Created the lead ${name} of ${company}; the owner is ${owner_name}`,

  async prepare({ name, company, email: given, source, score = 50, owner }, { documents, me, fail }) {
    const email = given.toLowerCase();
    const same = await documents.maybeOne(lead.pick({ _id: true, name: true, status: true }), 'leads', documents.where({ email }));
    if (same !== null) throw fail('LEAD_EXISTS', { lead_id: same._id, name: same.name, status: same.status });
    const seller = await sellerOrCaller(documents, owner, { me, fail });
    const shown = { name, company, email, source, score, owner_name: seller.owner_name };
    return {
      summary: `Create the lead ${name} of ${company}`,
      subject: { label: `${name}, ${company}`, id: email },
      changes: Object.entries(shown).map(([field, to]) => ({ field, from: null, to })),
      fields: { name, company, search: searchText(name, company), email, source, score, status: 'NEW', ...ownerFields(seller) },
    };
  },

  execute: (_input, { documents, plan, now, output }) =>
    documents.insert(output, 'leads', { _id: randomUUID(), ...plan.fields, created_at: now.toISOString() }),
});
