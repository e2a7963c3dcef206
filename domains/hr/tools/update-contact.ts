import { z } from 'zod';
import { changed } from '../../../src/declare/define.ts';
import { companyText, line, sensitive, storedId, untrusted } from '../../../src/declare/fields.ts';
import { hr } from '../domain.ts';
import { fullName } from '../moves.ts';
import { isAbove } from '../rules.ts';
import { cardReason, employee, employeeId, employeeNotFound } from '../schemas.ts';

const contact = z.object({ phone: untrusted.nullable(), home_address: untrusted.nullable() });

export const updateContact = hr.write({
  name: 'update_contact',
  title: 'Change contact data',
  description: 'Change the phone number or the home address of yourself, at once. HR changes those of others, with an approval.',
  roles: ['employee', 'hr-write'],
  effect: 'changes',
  atOnceWhen: 'the contact data are your own',
  input: z.object({
    employee_id: employeeId.optional().describe('Whose contact data; by default your own'),
    phone: sensitive(line(40).min(3)).optional().describe('The new phone number'),
    home_address: sensitive(line(300).min(3)).optional().describe('The new home address'),
    reason: cardReason,
  }),
  output: z.object({ employee_id: storedId, name: companyText, ...contact.shape }),
  errors: {
    EMPLOYEE_NOT_FOUND: employeeNotFound,
    NOTHING_TO_CHANGE: { message: 'The contact data already have these values.', hint: 'Give a new phone or a new home_address.' },
  },
  examples: [
    {
      question: 'My new phone number is +1-512-555-0142',
      as: 'marcus.johnson',
      input: { phone: '+1-512-555-0142' },
      expects: 'success',
    },
    {
      question: "Change Frank Davis's home address to 12 Maple Street, Austin",
      as: 'alice.chen',
      input: { employee_id: '0e000000-0000-4000-8000-000000000009', home_address: '12 Maple Street, Austin' },
    },
    {
      question: 'Set the phone number of Sarah Kim to +1-512-555-0199',
      as: 'frank.davis',
      input: { employee_id: '0e000000-0000-4000-8000-000000000008', phone: '+1-512-555-0199' },
      expects: 'EMPLOYEE_NOT_FOUND',
    },
  ],

  async prepare({ employee_id, phone, home_address }, { sql, me, fail }) {
    const whose = employee_id ?? me.employeeId;
    const own = whose === me.employeeId;
    const person =
      (await sql.maybeOne(employee, sql`select * from hr.people where employee_id = ${whose}`)) ??
      fail('EMPLOYEE_NOT_FOUND', { employee_id: whose });
    if (!own && (await isAbove(sql, whose, me.employeeId)))
      throw fail('SEPARATION_OF_DUTIES', { message: 'You cannot change the contact data of someone above you in the chain of command.' });
    const row = await sql.maybeOne(contact, sql`select phone, home_address, row_version from hr.contact where employee_id = ${whose}`);
    const before = row ?? { phone: null, home_address: null };
    const next = { phone: phone ?? before.phone, home_address: home_address ?? before.home_address };
    const changes = changed(before, next);
    if (changes.length === 0 && !own) throw fail('NOTHING_TO_CHANGE');
    const name = fullName(person);
    return {
      summary: `Change the contact data of ${name}`,
      subject: { label: name, id: whose },
      changes,
      own,
      name,
      next,
      isNew: row === null,
    };
  },

  async execute({ employee_id }, { sql, me, plan, output }) {
    const whose = employee_id ?? me.employeeId;
    const { phone, home_address } = plan.next;
    const written = await sql.change(
      output.omit({ name: true }),
      plan.isNew
        ? sql`
            insert into hr.contact (employee_id, phone, home_address) values (${whose}, ${phone}, ${home_address})
            returning employee_id, phone, home_address`
        : sql`
            update hr.contact set phone = ${phone}, home_address = ${home_address} where employee_id = ${whose}
            returning employee_id, phone, home_address`,
    );
    return { ...written, name: plan.name };
  },
});
