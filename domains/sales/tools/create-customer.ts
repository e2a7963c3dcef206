import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { line } from '../../../src/declare/fields.ts';
import { customerInputs, ensureNewName, nameFields } from '../customers.ts';
import { sales } from '../domain.ts';
import { accountOwnerFields, sellerOrCaller } from '../owners.ts';
import { because, customer, customerExists, ownerErrors } from '../schemas.ts';

export const createCustomer = sales.write({
  name: 'create_customer',
  title: 'Create a customer',
  description: 'Create a customer as a prospect. The first deal that is won makes it an active customer.',
  roles: ['sales-write', 'executive'],
  effect: 'adds',
  input: z.object({
    name: line(200).min(1).describe('The name by which people know the customer'),
    ...customerInputs,
    industry: line(100).min(1).describe('Such as Healthcare or Logistics'),
    owner: customerInputs.owner.describe('The account owner: e-mail address, employee id or any part of the name; by default you'),
    reason: because,
  }),
  output: customer,
  errors: { CUSTOMER_EXISTS: customerExists, ...ownerErrors },
  examples: [
    {
      question: "Create a customer called Foo Inc, industry Retail, account owner Liam O'Brien",
      as: 'carol.johnson',
      input: { name: 'Foo Inc', industry: 'Retail', owner: "Liam O'Brien" },
    },
    {
      question: "Add the new customer Northwind Clinics in Healthcare, contact Ann Lee, ann.lee@northwind.example, owner Liam O'Brien",
      as: 'eve.thompson',
      input: {
        name: 'Northwind Clinics',
        industry: 'Healthcare',
        contact_name: 'Ann Lee',
        email: 'ann.lee@northwind.example',
        owner: "Liam O'Brien",
      },
    },
    {
      question: "Create the customer Globex Industries, industry Energy, owner Liam O'Brien",
      as: 'carol.johnson',
      input: { name: 'Globex Industries', industry: 'Energy', owner: "Liam O'Brien" },
      expects: 'CUSTOMER_EXISTS',
    },
  ],
  summary: ({ name, account_owner_name }) => `Created the customer ${name}; the account owner is ${account_owner_name}`,

  async prepare(input, { documents, me, fail }) {
    const { name, company = name, industry, contact_name, email, phone, tier = 'free', annual_revenue = null, address, owner } = input;
    await ensureNewName(documents, name, { fail });
    const seller = await sellerOrCaller(documents, owner, { me, fail });
    const given = { contact_name, email, phone };
    return {
      summary: `Create the customer ${name}`,
      subject: { label: `${name}: ${industry}, ${tier}, account of ${seller.owner_name}`, id: name },
      changes: [
        { field: 'name', from: null, to: name },
        { field: 'industry', from: null, to: industry },
        { field: 'tier', from: null, to: tier },
        { field: 'account_owner_name', label: 'Account owner', from: null, to: seller.owner_name },
        ...Object.entries(given).flatMap(([field, to]) => (to === undefined ? [] : [{ field, from: null, to }])),
        ...(annual_revenue === null ? [] : [{ field: 'annual_revenue', from: null, to: annual_revenue, format: 'money' as const }]),
        ...(address === undefined ? [] : [{ field: 'address', from: null, to: Object.values(address).join(', ') }]),
      ],
      fields: {
        name,
        ...nameFields(name, company),
        company,
        industry,
        contact_name: contact_name ?? null,
        email: email?.toLowerCase() ?? null,
        phone: phone ?? null,
        status: 'PROSPECT',
        tier,
        annual_revenue,
        address: address ?? null,
        ...accountOwnerFields(seller),
      },
    };
  },

  execute: (_input, { documents, plan, now, output }) =>
    documents.insert(output, 'customers', {
      _id: randomUUID(),
      ...plan.fields,
      created_at: now.toISOString(),
      updated_at: now.toISOString(),
    }),
});
