/** Customers see nothing of other organisations at any endpoint, and a foreign id gives the same bytes as an unknown id. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SuccessAnswer } from '../../src/declare/answer.ts';
import type { Tool } from '../../src/declare/tool.ts';
import * as support from '../../domains/support/index.ts';
import type { Persona } from '../../src/declare/sample.ts';
import { personas } from '../../domains/sample-company/people.ts';
import { supportSample } from '../../domains/support/sample/index.ts';
import { ToolCaller, type Outcome, SURFACES } from '../../src/testing/tool-caller.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';

type Row = Readonly<Record<string, unknown>>;
const [tickets = [], articles = []] = supportSample({ employees: 500, today: new Date() }).map(
  ({ documents }) => [...documents()] as Row[],
);
const customers = personas.filter(({ realm }) => realm === 'customer');
const maySee = ({ organizationId, roles, sub }: Persona, row: Row) =>
  row['customer_id'] === organizationId &&
  (roles.includes('lead-customer') || row['contact_id'] === sub || row['visibility'] === 'organization');
const publicIds = new Set(
  articles.filter(({ status, audience }) => status === 'published' && audience === 'public').map((row) => row['article_id']),
);

let testServer: TestServer;
let toolCaller: ToolCaller;
beforeAll(async () => {
  testServer = await openTestServer();
  toolCaller = new ToolCaller(testServer);
}, 120_000);
afterAll(async () => {
  await testServer?.close();
});

/** The text of the answer without the values that differ for each call: the requested id and the request id. */
const plain = ({ text, requestId }: Outcome, id: string) => text.replaceAll(requestId, 'request').replaceAll(id, 'id');
const rowsOf = ({ answer }: Outcome) => (answer as SuccessAnswer).data as Row[];

describe.each(SURFACES)('customers at the endpoint %s', (endpoint) => {
  const cases = customers.map((who) => [who.username, who] as const);

  test.each(cases)(
    '%s sees nothing of others, and gets the same bytes for foreign and unknown ids',
    async (_user, who) => {
      const call = (tool: Tool, input: object) => toolCaller.call(endpoint, who.username, tool, input);
      const absent = randomUUID();
      const ids = [
        [support.customerGetTicket, 'ticket_id', {}],
        [support.customerAddComment, 'ticket_id', { comment: 'Let me in' }],
      ] as const;
      for (const [tool, key, more] of ids) {
        const nothing = plain(await call(tool, { ...more, [key]: absent }), absent);
        expect(nothing).toContain('TICKET_NOT_FOUND');
        for (const row of tickets.filter((each, n) => !maySee(who, each) && (n < 7 || n % 90 === 0))) {
          const id = String(row['ticket_id']);
          expect(plain(await call(tool, { ...more, [key]: id }), id)).toBe(nothing);
        }
      }
      for (const query of [undefined, 'certificate', 'export']) {
        const listed = rowsOf(await call(support.customerListTickets, query ? { query } : {}));
        if (query === undefined) expect(listed.length).toBeGreaterThan(0);
        for (const { ticket_id } of listed) {
          const row = tickets.find((each) => each['ticket_id'] === ticket_id);
          expect([ticket_id, row && maySee(who, row)]).toEqual([ticket_id, true]);
        }
        for (const { article_id } of rowsOf(await call(support.customerSearchKb, query ? { query } : {})))
          expect(publicIds).toContain(article_id);
      }
      for (const tool of Object.values(support).filter(({ name }) => !name.startsWith('customer_'))) {
        const { answer } = await call(tool, tool.examples[0]?.input('2026-11-16') ?? {});
        expect([tool.name, answer]).toMatchObject([tool.name, { status: 'error', code: 'INSUFFICIENT_PERMISSIONS' }]);
      }
      const lead = who.roles.includes('lead-customer');
      const { answer } = await call(support.customerListContacts, {});
      expect(answer.status).toBe(lead ? 'success' : 'error');
      if (!lead) return;
      for (const { email } of (answer as SuccessAnswer).data as Row[]) expect(String(email).split('@')[1]).toBe(who.email.split('@')[1]);
      const give = async (contact_id: string) => plain(await call(support.customerTransferLead, { contact_id }), contact_id);
      const nobody = await give(absent);
      expect(nobody).toContain('CONTACT_NOT_FOUND');
      for (const { sub } of customers.filter(({ organizationId }) => organizationId !== who.organizationId))
        expect(await give(sub)).toBe(nobody);
    },
    180_000,
  );

  test.each(cases)('%s sees exactly the tools for customers', async (_user, who) => {
    const listed = (await toolCaller.listed(who.username, endpoint.startsWith('direct') ? 'support' : undefined)).filter((name) =>
      /customer_|ticket|knowledge|sla|agent/.test(name),
    );
    const own = Object.values(support).filter(({ roles }) => roles.some((role) => who.roles.includes(role)));
    expect(listed).toEqual(own.map(({ name }) => (endpoint.startsWith('direct') ? name : `support_${name}`)).toSorted());
  });
});
