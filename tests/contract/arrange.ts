/**
 * Test data that the registry-wide tests cannot derive from a declaration: rows for tools that need one, created through the product's own
 * tools, and ids that must not be found. A tool whose own examples succeed, or an id of a known kind, needs no entry here.
 */
import { randomUUID } from 'node:crypto';
import { persona, personas } from '../../domains/sample-company/people.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import type { TestClient } from '../../src/testing/test-client.ts';
import { journeyChurn } from './journey-churn.ts';

export type Input = Readonly<Record<string, unknown>>;
/** A person and an input for which a tool succeeds. */
export interface Ready {
  readonly as: string;
  readonly input: Input;
}

async function data(testServer: TestClient, user: string, server: string, tool: string, input: unknown): Promise<Record<string, unknown>> {
  const { body } = await testServer.rest(user, server, tool, input);
  if (body.status !== 'success') throw new Error(`${tool}: ${JSON.stringify(body)}`);
  return body.data as Record<string, unknown>;
}

const newTask = async (testServer: TestClient, user = 'frank.davis') =>
  Number((await data(testServer, user, 'tasks', 'add_task', { title: 'Water the plants' }))['task_id']);

/** By qualified tool name: an input with which the tool succeeds. If a successful call uses up its row, each call creates a new row. */
export const arranged: Readonly<Record<string, (testServer: TestClient) => Promise<Ready>>> = {
  tasks_get_history: async (testServer) => ({ as: 'frank.davis', input: { type: 'task', id: String(await newTask(testServer)) } }),
  tasks_complete_task: async (testServer) => ({ as: 'frank.davis', input: { task_id: await newTask(testServer) } }),
  tasks_delete_task: async (testServer) => ({ as: 'frank.davis', input: { task_id: await newTask(testServer) } }),
  tasks_update_task: async (testServer) => ({
    as: 'frank.davis',
    input: { task_id: await newTask(testServer), title: 'Water all plants' },
  }),
};

const withDescription = (input: Readonly<Record<string, unknown>>, because: string) => ({
  ...input,
  items: (input['items'] as object[]).map((item) => ({ ...item, description: because })),
});

/** By qualified tool name: changes an input so that it gets its own ticket. For tools without a reason or a note. */
export const variations: Readonly<
  Record<string, (input: Readonly<Record<string, unknown>>, because: string) => Readonly<Record<string, unknown>>>
> = {
  finance_submit_expense_report: withDescription,
  finance_resubmit_expense_report: withDescription,
  finance_create_invoice: (input, because) => ({ ...input, description: because }),
  // It takes only a pay date, and only the next one.
  hr_write_performance_review: (input, because) => ({ ...input, strengths: because }),
};

/** Tables that the people feed fills from hr. They change without a write to finance, so checks of a write leave them out. */
export const copies: readonly string[] = ['finance.people', 'finance.chain', 'finance.feed'];

/** Ids that a person must not find: an unknown one, one of a deleted row, and one of another person's row. */
export interface Unfindable {
  readonly random: unknown;
  readonly gone: unknown;
  /** Undefined if there is no row that the person may not see. */
  readonly foreign: unknown;
}

const id = (username: string) => persona(username).employeeId ?? '';

/** An employee below Nina who left, created once for each test server. */
const leavers = new WeakMap<TestServer, Promise<string>>();
function leaver(testServer: TestServer): Promise<string> {
  const made = async () => {
    const [row] = await testServer.owner(
      `select r.employee_id from hr.time_off_requests r join hr.employees e using (employee_id)
       where e.active and e.employee_id::text not like '0e000000%' and not exists (select from hr.employees b
       where b.manager_id = e.employee_id) order by 1 limit 1`,
    );
    const left = String(row?.['employee_id']);
    await testServer.owner('update hr.employees set manager_id = $2 where employee_id = $1', [left, id('nina.patel')]);
    await testServer.owner('update hr.employees set active = false, terminated_at = clock_timestamp() where employee_id = $1', [left]);
    await testServer.owner('update payroll.employees set active = false where employee_id = $1', [left]);
    return left;
  };
  const known = leavers.get(testServer) ?? made();
  leavers.set(testServer, known);
  return known;
}

const employees = async (testServer: TestServer, _as: string, seesAll: boolean): Promise<Unfindable> => ({
  random: randomUUID(),
  gone: await leaver(testServer),
  foreign: seesAll ? undefined : id('eve.thompson'),
});

const firstOf = async (testServer: TestServer, query: string, values: readonly unknown[] = []): Promise<unknown> =>
  Object.values((await testServer.owner(query, values))[0] ?? {})[0];

const deleted = new WeakMap<TestServer, Map<string, Promise<string>>>();
/** The last row of a list, deleted through the product's own tools, once for each test server. */
function deletedOf(testServer: TestServer, tool: string, key: string, list: string, input: object): Promise<string> {
  const known = deleted.get(testServer) ?? new Map<string, Promise<string>>();
  deleted.set(testServer, known);
  const made = async () => {
    const rows = (await data(testServer, 'carol.johnson', 'sales', list, input)) as unknown as { _id: string }[];
    const gone = rows.at(-1)?._id ?? '';
    const { confirmationId } = await testServer.ask('carol.johnson', 'sales', tool, { [key]: gone, reason: 'To be gone' });
    await testServer.decide('carol.johnson', confirmationId, true);
    return gone;
  };
  const one = known.get(tool) ?? made();
  known.set(tool, one);
  return one;
}

async function ticketOfOthers(testServer: TestServer, as: string): Promise<unknown> {
  const other = personas.find(({ realm, organizationId }) => realm === 'customer' && organizationId !== persona(as).organizationId);
  const tickets = (await data(testServer, 'dan.williams', 'support', 'search_tickets', {
    customer_id: other?.organizationId,
  })) as unknown as {
    ticket_id: string;
  }[];
  return tickets[0]?.ticket_id;
}

/** By the name of the input field, or by domain and field where the name has another meaning in that domain. */
export const unfindable: Readonly<Record<string, (testServer: TestServer, as: string, seesAll: boolean) => Promise<Unfindable>>> = {
  adr_id: async () => ({ random: 'ADR-9999', gone: '8888', foreign: undefined }),
  // Transactions of knowledge are never deleted, so `gone` is an unknown id too.
  tx_id: async () => ({ random: 900_000_001, gone: 900_000_002, foreign: undefined }),
  // The expenses of a person who left can still be found, so `gone` is an unknown id too.
  'finance.employee_id': async (_testServer, _as, seesAll) => ({
    random: randomUUID(),
    gone: randomUUID(),
    foreign: seesAll ? undefined : id('eve.thompson'),
  }),
  async budget_id(testServer, _as, seesAll) {
    const gone = await firstOf(
      testServer,
      `insert into finance.budgets (department, fiscal_year, created_by, created_by_name, deleted_by, deleted_at)
       values ('Engineering', 2099, gen_random_uuid(), 'Somebody', gen_random_uuid(), clock_timestamp()) returning budget_id`,
    );
    const foreign = "select budget_id from finance.budgets where department = 'Legal' and deleted_at is null limit 1";
    return { random: randomUUID(), gone, foreign: seesAll ? undefined : await firstOf(testServer, foreign) };
  },
  async invoice_id(testServer) {
    const gone = await firstOf(
      testServer,
      `insert into finance.invoices (vendor_id, vendor_name, amount, description, department, category, invoice_date, due_date,
        submitted_by, submitted_by_name, deleted_by, deleted_at)
       values ('V-GONE', 'Gone', 10, 'Gone', 'Engineering', 'OTHER', '2026-01-01', '2026-01-01', gen_random_uuid(), 'Somebody',
       gen_random_uuid(), clock_timestamp()) returning invoice_id`,
    );
    return { random: randomUUID(), gone, foreign: undefined };
  },
  async report_id(testServer, as, seesAll) {
    const gone = await firstOf(
      testServer,
      `insert into finance.expense_reports (employee_id, employee_name, department, month, status, deleted_by, deleted_at)
       values ($1, 'Somebody', 'Engineering', '2026-01', 'DRAFT', gen_random_uuid(), clock_timestamp()) returning report_id`,
      [id(as)],
    );
    const others = `select report_id from finance.expense_reports where deleted_at is null and status = 'SUBMITTED' and employee_id <> $1
      and employee_id not in (select employee_id from finance.chain where manager_id = $1) order by 1 limit 1`;
    return { random: randomUUID(), gone, foreign: seesAll ? undefined : await firstOf(testServer, others, [id(as)]) };
  },
  async pay_stub_id(testServer, _as, seesAll) {
    const gone = await firstOf(testServer, 'select pay_stub_id from payroll.pay_stubs where employee_id = $1 order by 1 limit 1', [
      await leaver(testServer),
    ]);
    return {
      random: randomUUID(),
      gone,
      foreign: seesAll
        ? undefined
        : await firstOf(testServer, 'select pay_stub_id from payroll.pay_stubs where employee_id = $1 order by 1 limit 1', [
            id('eve.thompson'),
          ]),
    };
  },
  opportunity_id: async (testServer) => ({
    random: randomUUID(),
    foreign: undefined,
    gone: await deletedOf(testServer, 'delete_opportunity', 'opportunity_id', 'list_opportunities', { stage: 'OPEN', sort: 'newest' }),
  }),
  'sales.customer_id': async (testServer) => ({
    random: randomUUID(),
    foreign: undefined,
    gone: await deletedOf(testServer, 'delete_customer', 'customer_id', 'list_customers', { status: 'CHURNED' }),
  }),
  // No tool deletes a lead, so there is no deleted row.
  lead_id: async () => ({ random: randomUUID(), gone: randomUUID(), foreign: undefined }),
  // No tool deletes a ticket, an article or a contact, so there is no deleted row.
  ticket_id: async (testServer, as, seesAll) => ({
    random: randomUUID(),
    gone: randomUUID(),
    foreign: seesAll ? undefined : await ticketOfOthers(testServer, as),
  }),
  contact_id: async (_testServer, as) => ({
    random: randomUUID(),
    gone: randomUUID(),
    foreign: personas.find(({ realm, organizationId }) => realm === 'customer' && organizationId !== persona(as).organizationId)?.sub,
  }),
  article_id: async () => ({ random: randomUUID(), gone: randomUUID(), foreign: undefined }),
  'support.customer_id': async () => ({ random: randomUUID(), gone: randomUUID(), foreign: undefined }),
  pay_run_id: async () => ({ random: randomUUID(), gone: randomUUID(), foreign: undefined }),
  employee_id: employees,
  root_employee_id: employees,
  manager_id: employees,
  head_id: employees,
  reports_to: employees,
  move_reports_to: employees,
  async request_id(testServer, _as, seesAll) {
    const requestOf = async (employee: string) =>
      (await testServer.owner('select request_id from hr.time_off_requests where employee_id = $1 order by 1 limit 1', [employee]))[0]?.[
        'request_id'
      ];
    const { employee_id: someone } = (
      await testServer.owner(
        `select r.employee_id from hr.time_off_requests r where r.employee_id not in (select employee_id from hr.chain
          where manager_id = $1) and r.employee_id <> all ($2) and r.status = 'pending' order by 1 limit 1`,
        [id('nina.patel'), [id('nina.patel'), await leaver(testServer)]],
      )
    )[0] ?? { employee_id: '' };
    return {
      random: randomUUID(),
      gone: await requestOf(await leaver(testServer)),
      foreign: seesAll ? undefined : await requestOf(String(someone)),
    };
  },
  async task_id(testServer, as) {
    const gone = await newTask(testServer, as);
    await data(testServer, as, 'tasks', 'delete_task', { task_id: gone });
    // Tasks are numbered for each person. The caller has no task with this number.
    let foreign = 0;
    for (const other of ['bob.martinez', 'carol.johnson'].filter((each) => each !== as).slice(0, 1))
      while (foreign <= gone) foreign = await newTask(testServer, other);
    return { random: 2_000_000_000, gone, foreign };
  },
};

/** Where a domain stores masked values, when that is not a column beside the owner's id. */
export interface HiddenPlace {
  readonly mask: string;
  readonly field: string;
  readonly owner: string;
  readonly numeric: boolean;
  readonly put: (value: string) => Promise<unknown>;
}
export const hidden: Readonly<Record<string, (testServer: TestServer, people: number) => Promise<HiddenPlace[]>>> = {
  // The latest pay stub of each employee whose only earning is SALARY. Its gross pay equals the planted value.
  async payroll(testServer, people) {
    const stubs = await testServer.owner(
      `select distinct on (s.employee_id) s.employee_id, s.pay_stub_id from payroll.pay_stubs s join payroll.stub_pay p using (pay_stub_id)
       join payroll.employees e on e.employee_id = s.employee_id where e.active and p.earning_codes = '{SALARY}'
       order by s.employee_id, s.pay_date desc limit ${people}`,
    );
    return stubs.map(({ employee_id: owner, pay_stub_id: stub }) => ({
      mask: 'pay',
      field: 'gross',
      owner: String(owner),
      numeric: true,
      put: (value) =>
        testServer.owner('update payroll.stub_pay set earning_amounts = array[$2::numeric] where pay_stub_id = $1', [stub, value]),
    }));
  },
};

/** By qualified tool name: a filter for a list that is too long to page through many times. */
export const narrowed: Readonly<Record<string, (today: string) => Readonly<Record<string, unknown>>>> = {
  finance_list_spending: () => ({ department: 'Engineering' }),
  payroll_list_pay_stubs: (today) => ({ pay_date_from: new Date(Date.parse(today) - 40 * 86_400_000).toISOString().slice(0, 10) }),
};

/** Adds and removes rows near the beginning, middle and end of every list of a domain, between pages. */
export const churn: Readonly<Record<string, (testServer: TestServer, n: number) => Promise<void>>> = {
  journey: journeyChurn,
  async knowledge(testServer, n) {
    const next = async (action: string) => {
      const tx = await firstOf(testServer, 'update knowledge.head set last_tx = last_tx returning last_tx');
      await testServer.owner("insert into knowledge.transactions (tx_id, action, principal, by_name) values ($1, $2, 'churn', 'Churn')", [
        tx,
        action,
      ]);
      return tx;
    };
    await testServer.owner(
      `insert into knowledge.entries (entry_no, tx_from, topic, content, owner, recorded_by, recorded_at)
       values ($1, $1, 'churn', 'Comes and goes.', 'churn', 'Churn', now() - make_interval(days => 97 * $2::int % 700))`,
      [await next('store'), n],
    );
    await testServer.owner(
      `insert into knowledge.triples (triple_no, tx_from, subject, predicate, object, owner, recorded_by, recorded_at)
       values ($1, $1, $2, 'churns', $3, 'churn', 'Churn', now())`,
      [await next('relate'), `${['a', 'm', 'z'][n % 3]} churn ${n}`, `churn ${n}`],
    );
    // No tool deletes rows of this domain. The test deletes an entry and a triple, each with the transaction that created it.
    for (const [table, key] of [
      ['entries', 'entry_no'],
      ['triples', 'triple_no'],
    ]) {
      const no = await firstOf(
        testServer,
        `select ${key} from knowledge.${table} group by ${key} having count(*) = 1 and bool_and(tx_to is null)
          order by md5(${key}::text || $1::int) limit 1`,
        [n],
      );
      await testServer.owner(`delete from knowledge.${table} where ${key} = $1`, [no]);
      await testServer.owner('delete from knowledge.transactions where tx_id = $1', [no]);
    }
  },
  async hr(testServer, n) {
    const manager = id(n % 2 === 0 ? 'nina.patel' : 'bob.martinez');
    const name = `${['A', 'M', 'Z'][n % 3]}churn`;
    const person = randomUUID();
    await testServer.owner(
      `insert into hr.employees (employee_id, first_name, last_name, email, department, job_title, location, manager_id, hire_date)
       values ($1, 'New', $2, $3, 'Engineering', 'Engineer', 'Berlin', $4, '2026-01-01')`,
      [person, name, `${person}@tamshai.example`, manager],
    );
    await testServer.owner(
      "insert into hr.time_off_requests (employee_id, type_code, start_date, end_date, days) values ($1, 'UNPAID', $2, $2, 1)",
      [person, `20${20 + (n % 12)}-03-02`],
    );
    await testServer.owner("insert into hr.performance_reviews (employee_id, period, status, due_date) values ($1, 'now', 'due', $2)", [
      person,
      `20${20 + (n % 12)}-03-02`,
    ]);
    // Some existing employees leave, including some below Nina, so that her own list shrinks too.
    await testServer.owner(
      `update hr.employees set active = false, terminated_at = clock_timestamp() where employee_id in (
         select e.employee_id from hr.employees e left join hr.chain c on c.employee_id = e.employee_id and c.manager_id = $2
         where e.active and e.employee_id::text not like '0e000000%' and not exists (select from hr.employees b
         where b.manager_id = e.employee_id)
         order by (c.manager_id is null) = ($1::int % 2 = 0), md5(e.employee_id::text || $1::int) limit 1)`,
      [n, id('nina.patel')],
    );
  },
  async finance(testServer, n) {
    const day = `20${24 + (n % 3)}-0${1 + (n % 9)}-1${n % 7}`;
    const nina = { id: id('nina.patel'), name: 'Nina Patel' };
    await testServer.owner(
      `insert into finance.budgets (department, fiscal_year, created_by, created_by_name) values ($1, $2, $3, $4) on conflict do nothing`,
      [n % 2 === 0 ? `Churn ${n}` : 'Engineering', 2030 + (n % 70), nina.id, nina.name],
    );
    await testServer.owner(
      `insert into finance.ledger (entry_date, department, category, amount, source, source_id, description)
       values ($1, 'Engineering', 'OTHER', $2, 'INVOICE', gen_random_uuid(), 'Churn')`,
      [day, n],
    );
    await testServer.owner(
      `insert into finance.invoices (vendor_id, vendor_name, amount, description, department, category, invoice_date, due_date,
        submitted_by, submitted_by_name)
       values ('V-CHURN', 'Churn', 10, 'Churn', 'Engineering', 'OTHER', $1, $1, $2, $3)`,
      [day, nina.id, nina.name],
    );
    // The reports of Nina, of two employees below her and of somebody else take turns.
    const whose = [nina.id, id('marcus.johnson'), id('carol.johnson'), id('frank.davis')][n % 4];
    await testServer.owner(
      `with r as (insert into finance.expense_reports (employee_id, employee_name, department, month, submitted_at)
         values ($1, 'Churn', 'Engineering', $2, clock_timestamp()) returning report_id, employee_id)
       insert into finance.expense_items (report_id, n, employee_id, item_date, category, description, amount) select report_id, 1,
       employee_id, $3, 'OTHER', 'Churn', 1 from r`,
      [whose, day.slice(0, 7), day],
    );
    // Deletes existing rows, whatever their status.
    for (const [table, parts, key, mine] of [
      ['budgets', 'budget_lines', 'budget_id', "department = 'Engineering'"],
      ['invoices', undefined, 'invoice_id', 'true'],
      ['expense_reports', 'expense_items', 'report_id', `employee_id = '${whose}'`],
      ['ledger', undefined, 'entry_id', "department = 'Engineering'"],
    ]) {
      const kept = table === 'ledger' ? 'true' : 'deleted_at is null';
      const gone = await firstOf(
        testServer,
        `select ${key} from finance.${table} where ${kept} and ($1::int % 3 = 0 or ${mine}) order by md5(${key}::text ||
          $1::int) limit 1`,
        [n],
      );
      for (const each of [parts, table])
        if (each !== undefined) await testServer.owner(`delete from finance.${each} where ${key} = $1`, [gone]);
    }
  },
  async sales(testServer, n) {
    const database = await testServer.documents('sales');
    await database.transaction(async (session) => {
      for (const collection of ['opportunities', 'customers', 'leads']) {
        const rows = await session.find(collection, { removed: { $ne: true } }, { sort: { _id: 1 }, limit: 10_000, hide: [] });
        const [like, gone] = [rows[(n * 37) % rows.length], rows[(n * 61 + 5) % rows.length]];
        const { row_version: _, ...values } = like ?? {};
        await session.insert(collection, { ...values, _id: randomUUID(), name: `${['A', 'M', 'Z'][n % 3]} churn ${n}` });
        await session.update(collection, [String(gone?.['_id'])], { removed: true });
      }
    });
  },
  // Through the tools: a customer submits a ticket, and an agent closes another.
  async support(testServer, n) {
    const customers = personas.filter(({ realm }) => realm === 'customer');
    const { username: customer } = customers[n % customers.length] ?? { username: '' };
    await data(testServer, customer, 'support', 'customer_submit_ticket', {
      title: `${['A', 'M', 'Z'][n % 3]} churn ${n}`,
      description: 'Rows come and go while somebody looks through them.',
      category: 'other',
      priority: (['low', 'medium', 'high'] as const)[n % 3],
      visibility: n % 2 === 0 ? 'organization' : 'private',
    });
    const due = (await data(testServer, 'dan.williams', 'support', 'get_sla_tickets', {
      status: n % 2 === 0 ? 'at_risk' : 'breached',
    })) as unknown as { ticket_id: string }[];
    const [gone] = due.slice(n % Math.max(1, due.length));
    if (!gone) return;
    const { confirmationId } = await testServer.ask('dan.williams', 'support', 'close_ticket', {
      ticket_id: gone.ticket_id,
      resolution: 'It was solved in the meantime.',
    });
    await testServer.decide('dan.williams', confirmationId, true);
  },
  async payroll(testServer, n) {
    const run = randomUUID();
    const day = new Date(testServer.clock.now().getTime() - ((n * 7) % 50) * 86_400_000).toISOString().slice(0, 10);
    await testServer.owner(
      'insert into payroll.pay_runs (pay_run_id, run_type, status, pay_date, period_start, period_end, employee_count) ' +
        "values ($1, 'OFF_CYCLE', 'PAID', $2, $2, $2, 2)",
      [run, day],
    );
    await testServer.owner('insert into payroll.run_totals values ($1, 2, 0, 0, 2, 0, 0)', [run]);
    await testServer.owner("insert into payroll.run_costs values ($1, 'Engineering', 2, 2)", [run]);
    for (const employee of [id('nina.patel'), id('frank.davis')]) {
      const stub = randomUUID();
      await testServer.owner('insert into payroll.pay_stubs values ($1, $2, $3, $4)', [stub, run, employee, day]);
      await testServer.owner("insert into payroll.stub_pay values ($1, $2, '{CORRECTION}', '{1}', '{}', '{}', '{}', '{}', 0, 0)", [
        stub,
        employee,
      ]);
      const gone = await firstOf(
        testServer,
        'select pay_stub_id from payroll.pay_stubs where employee_id = $1 or $2::int % 2 = 0 ' +
          'order by md5(pay_stub_id::text || $2::int) limit 1',
        [employee, n],
      );
      for (const table of ['stub_pay', 'pay_stubs']) await testServer.owner(`delete from payroll.${table} where pay_stub_id = $1`, [gone]);
    }
    const contractor = await firstOf(
      testServer,
      'select contractor_id from payroll.contractors order by md5(contractor_id::text || $1::int) limit 1',
      [n],
    );
    await testServer.owner(
      'delete from payroll.contractor_amounts where payment_id in (select payment_id from payroll.contractor_payments ' +
        'where contractor_id = $1)',
      [contractor],
    );
    for (const table of ['contractor_payments', 'contractor_rates', 'contractors'])
      await testServer.owner(`delete from payroll.${table} where contractor_id = $1`, [contractor]);
    await testServer.owner(
      `insert into payroll.contractors (contractor_id, name, service, department, email, tax_form, tax_number_last4, rate_unit, start_date)
       values (gen_random_uuid(), $1, 'Churn', 'Engineering', 'churn@tamshai.example', '1099-NEC', '0123', 'HOUR', '2026-01-01')`,
      [`${['A', 'M', 'Z'][n % 3]} churn ${n}`],
    );
    const empty = await firstOf(testServer, 'select pay_run_id from payroll.pay_runs order by md5(pay_run_id::text || $1::int) limit 1', [
      n,
    ]);
    for (const table of [
      'stub_pay where pay_stub_id in (select pay_stub_id from payroll.pay_stubs',
      'pay_stubs where (true',
      'run_totals where (true',
      'run_costs where (true',
      'pay_runs where (true',
    ])
      await testServer.owner(
        `delete from payroll.${table}${table.startsWith('stub_pay') ? ' where pay_run_id = $1)' : ' and pay_run_id = $1)'}`,
        [empty],
      );
  },
  async tax(testServer, n) {
    const state = ['AL', 'MO', 'WY'][n % 3];
    const year = new Date().getUTCFullYear();
    await testServer.owner(
      'insert into tax.sales_tax_rates (state, jurisdiction, jurisdiction_type, state_rate, local_rate, effective_from) ' +
        "values ($1, $2, 'city', 4, $3, '2020-01-01')",
      [state, `Churn ${n}`, n % 5],
    );
    await testServer.owner(
      `insert into tax.quarterly_estimates (year, quarter, state, due_date, estimated_amount) values ($1, $2, $3, $4, 100)
        on conflict do nothing`,
      [year, 1 + (n % 4), state, `${year}-0${1 + (n % 9)}-15`],
    );
    await testServer.owner(
      `insert into tax.annual_filings (tax_year, state, form, title, due_date, status, ein_last4, prepared_by)
       values ($1, $2, $3, 'Churn', $4, 'not_started', '0123', 'Nobody')`,
      [year - (n % 3), state, `Form ${n}`, `${year}-0${1 + (n % 9)}-15`],
    );
    await testServer.owner(
      'insert into tax.state_registrations (state, tax_type, agency, status, filing_frequency, registered_on) ' +
        "values ($1, 'franchise', 'Churn', 'pending', 'monthly', '2020-01-01')",
      [state],
    );
    await testServer.owner(
      `insert into tax.audit_logs (at, action, entity_type, entity_id, user_id, user_name)
       values (now() - make_interval(days => 97 * $1::int % 700), 'create', 'annual_filing', gen_random_uuid(), gen_random_uuid(),
       'Churn')`,
      [n],
    );
    for (const [table, key] of [
      ['sales_tax_rates', 'rate_id'],
      ['quarterly_estimates', 'estimate_id'],
      ['annual_filings', 'filing_id'],
      ['state_registrations', 'registration_id'],
      ['audit_logs', 'log_id'],
    ])
      await testServer.owner(
        `delete from tax.${table} where ${key} = (select ${key} from tax.${table} order by md5(${key}::text || $1::int) limit 1)`,
        [n],
      );
  },
};
