import { z } from 'zod';
import { anyCase, line, readable } from '../../../src/declare/fields.ts';
import { customers, support } from '../domain.ts';
import { deadlineOf, forCustomer } from '../rules.ts';
import { category, priority, storedCustomerTicket, submittedTicket, tiers } from '../schemas.ts';

const organisation = z.object({ organization_id: z.string(), name: z.string(), tier: z.enum(tiers) });

export const customerSubmitTicket = support.act({
  name: 'customer_submit_ticket',
  title: 'Report a problem',
  description:
    'Open a support ticket. It is sent immediately. The lead contact of your organisation sees it; if you share it, ' +
    'the whole organisation sees it.',
  roles: customers,
  // A new ticket belongs to its reporter, so the audience `own` is enough, also for a lead.
  audience: 'own',
  effect: 'adds',
  input: z.object({
    title: line(200).trim().min(5, 'Say in at least 5 characters what goes wrong').describe('One line: what goes wrong'),
    description: readable(z.string().trim().min(20, 'Describe it in at least 20 characters').max(5000)).describe(
      'What happened, and what was expected',
    ),
    category: category.default('other'),
    priority: priority.default('medium').describe('critical means that nobody can work'),
    visibility: anyCase(['private', 'organization'])
      .default('private')
      .describe('organization: colleagues can follow and answer; private: only you and your lead contact'),
  }),
  inputAliases: { subject: 'title' },
  output: submittedTicket,
  examples: [
    {
      question:
        'I want to report a problem: since this morning our nightly order sync fails with error 500 and no orders ' +
        'arrive at all. This is urgent.',
      as: 'mike.manager@globex.example',
      input: {
        title: 'Nightly order sync fails with error 500',
        description: 'Since this morning our nightly order sync fails with error 500 and no orders arrive at all.',
        category: 'integrations',
        priority: 'high',
      },
    },
    {
      question: 'We need help: nobody in our office can sign in since the weekend',
      as: 'sara.support@globex.example',
      input: {
        title: 'Nobody in our office can sign in',
        description: 'Nobody in our office can sign in since the weekend',
      },
    },
    {
      question: 'Please tell support that the invoice of October lists ten seats too many',
      as: 'peter.principal@initech.example',
      input: {
        title: 'Invoice of October lists ten seats too many',
        description: 'The invoice of October lists ten seats too many. Please correct it.',
        category: 'billing',
      },
    },
    {
      question: 'Open a ticket for all of us: charts stay empty in Safari since the update',
      as: 'bob.developer@acme.example',
      input: {
        title: 'Charts stay empty in Safari',
        description: 'Charts stay empty in Safari since the update; other browsers work.',
        category: 'reporting',
        visibility: 'organization',
      },
    },
    {
      question: 'Report that it is broken',
      as: 'tim.tech@initech.example',
      input: { title: 'Broken', description: 'It is broken' },
      expects: 'VALIDATION_ERROR',
    },
  ],

  summary: () => 'The ticket is open',

  async execute({ title, description, category, priority, visibility }, { search, me, now, fail }) {
    const own = me.organizationId === undefined ? null : await search.get(organisation, 'organizations', me.organizationId);
    const { organization_id, name, tier } =
      own ?? fail('INSUFFICIENT_PERMISSIONS', { message: 'Your account belongs to no organisation with support.' });
    const at = now.toISOString();
    const added = await search.insert(storedCustomerTicket, 'tickets', {
      subject: title,
      description,
      status: 'open',
      priority,
      category,
      tags: [],
      customer_id: organization_id,
      customer_name: name,
      customer_email: me.email,
      contact_id: me.sub,
      contact_name: me.name,
      tier,
      visibility,
      assigned_to: null,
      assigned_to_name: null,
      created_at: at,
      updated_at: at,
      sla_deadline: deadlineOf(now, priority, tier),
      resolved_at: null,
      resolved_by: null,
      resolved_by_name: null,
      resolution: null,
      resolution_type: null,
      resolution_minutes: null,
      sla_met: null,
      customer_notified: null,
      internal_notes: null,
      comments: [],
    });
    return forCustomer(added);
  },
});
