/**
 * Masked values reach only the people who may see them: no tool, card, cursor, error or log reveals them to others, and no order or total
 * depends on them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { opens } from '../../src/engine/access.ts';
import type { ListMetadata } from '../../src/declare/answer.ts';
import { HIDDEN } from '../../src/declare/fields.ts';
import { maskedFields } from '../../src/declare/masks.ts';
import { canWriteAtOnce, type ListTool, type Tool } from '../../src/declare/tool.ts';
import { persona, personas } from '../../domains/sample-company/people.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import { openTestServer } from '../test-server.ts';
import type { Input } from './arrange.ts';
import {
  codeOf,
  concurrently,
  ToolCaller,
  ownPropertiesOf,
  propertiesOf,
  type Outcome,
  today,
  type Who,
} from '../../src/testing/tool-caller.ts';
import { callersOf, tools } from './calls.ts';
import { type Canary, canariesIn, maskedOf, masking, mayShow, plantCanaries, rolesFor } from './canaries.ts';

let testServer: TestServer;
let toolCaller: ToolCaller;

let canaries: Canary[];

const maskedIn = ({ output }: Tool): string[] => maskedFields(output).map(({ mask }) => mask);
const OTHERS = 20;
/** Enough pages of 50 rows for all 500 employees. */
const PAGES = 12;

beforeAll(async () => {
  testServer = await openTestServer();
  toolCaller = new ToolCaller(testServer);
  canaries = await plantCanaries(testServer, OTHERS + 11);
}, 120_000);
afterAll(() => testServer?.close());

/** Two combinations of roles that no sample person has: `hr-read`, which does not lift the pay mask, without and with `manager`. */
const VARIANTS: Who[] = [
  { user: 'tom.becker', roles: ['employee', 'hr-read'] },
  { user: 'dan.williams', roles: ['employee', 'manager', 'hr-read'] },
];
const WHO: Who[] = [...personas.map(({ username }) => ({ user: username })), ...VARIANTS];
const named = ({ user, roles }: Who) => (roles ? `${user} as ${roles.join(', ')}` : user);
async function become({ user, roles }: Who): Promise<void> {
  await testServer.tamshai.modules.identity.accounts.setRoles(user, roles ?? persona(user).roles);
  toolCaller.forget();
}

/** Owners of values that no list of the domain shows. Their number is small enough to ask for each of them. */
function unlistedOwners(tool: Tool): string[] {
  const listed = new Set(tools.flatMap((each) => (each.kind === 'list' && each.domain === tool.domain ? maskedIn(each) : [])));
  const unlisted = maskedIn(tool).filter((mask) => !listed.has(mask));
  return canaries.filter(({ domain, mask }) => domain === tool.domain && unlisted.includes(mask)).map(({ owner }) => owner);
}

/** Inputs to try: each example, and each id field with the caller, someone above, someone below and an unrelated person. */
function inputsOf(tool: Tool, { user }: Who): Input[] {
  const examples = tool.examples.map(({ input }) => input(today(testServer)));
  const ids = propertiesOf(tool).filter(([key, { format }]) => format === 'uuid' && key.endsWith('employee_id'));
  const around = [user, 'eve.thompson', 'sarah.kim'].flatMap((username) => persona(username).employeeId ?? []);
  const people = new Set([...around, canaries.at(-1)?.owner, ...unlistedOwners(tool)]);
  return [...examples, ...ids.flatMap(([key]) => [...people].map((owner) => ({ ...examples[0], [key]: owner })))];
}

/** Everything that these tools send to the person, as received. A list of a domain with masks is read to its end. */
async function textsFor(who: Who, asked: readonly Tool[], endpoint: 'rest' | 'mcp' = 'rest'): Promise<string[]> {
  const asks = asked.flatMap((tool) => {
    const inputs: Input[] = [...(tool.kind === 'list' ? [{}] : []), ...inputsOf(tool, who)];
    // A caller without the role is refused with any input. One input is enough.
    return (opens(tool, rolesFor(who)) ? inputs : inputs.slice(0, 1)).map((input) => ({ tool, input }));
  });
  const pagesOf = await concurrently(asks, async ({ tool, input }) => {
    const first = await toolCaller.call(endpoint, who, tool, input);
    const texts = [first.text];
    let next = cursorOf(first);
    const pages = Object.keys(input).length > 0 ? 1 : endpoint === 'rest' && masking.includes(tool.domain) ? PAGES : 2;
    for (let n = 1; next !== undefined && n < pages; n++) {
      const more = await toolCaller.call(endpoint, who, tool, { cursor: next });
      texts.push(more.text);
      next = cursorOf(more);
    }
    return texts;
  });
  return pagesOf.flat();
}
const cursorOf = ({ answer }: Outcome) => (answer as { metadata?: ListMetadata }).metadata?.nextCursor;
/** The bytes of a cursor, as anyone without the key can decode them. */
const opened = (texts: readonly string[]) =>
  texts.flatMap((text) =>
    [...text.matchAll(/nextCursor\\?":\\?"([\w-]+)/g)].map(([, cursor = '']) => Buffer.from(cursor, 'base64url').toString('latin1')),
  );
const seenIn = (texts: readonly string[]) => canariesIn(canaries, texts);
const labelOf = ({ domain, field, owner }: Canary) =>
  `${domain.name} ${field} of ${personas.find(({ employeeId }) => employeeId === owner)?.username ?? owner}`;

const seen = new Map<string, Canary[]>();
describe.each(WHO.map((who) => [named(who), who] as const))('%s', (name, who) => {
  beforeAll(() => become(who));
  afterAll(() => become({ user: who.user }));

  it('receives no value that is masked for them, by any tool, card, page, cursor or error', async () => {
    const token = await toolCaller.token(who);
    const asked = tools.filter(({ kind }) => kind !== 'act');
    // answers.test.ts proves that both endpoints answer alike, so MCP is called only in the domains with masks, which take turns.
    const domain = masking[WHO.indexOf(who) % masking.length];
    const overMcp = asked.filter((tool) => tool.domain === domain && opens(tool, rolesFor(who)));
    const texts = [...(await textsFor(who, asked)), ...(await textsFor(who, overMcp, 'mcp'))];
    texts.push(...opened(texts));
    for (const path of ['/api/confirmations', '/api/audit', '/api/user/info', '/api/user/mcp-tools'])
      texts.push((await testServer.send('GET', path, { token })).text);
    const visible = seenIn(texts);
    seen.set(name, visible);
    expect(visible.filter((canary) => !mayShow(who, canary)).map(labelOf)).toEqual([]);
  });
});

describe('people who may see masked values', () => {
  const rules = masking.flatMap((domain) =>
    Object.entries(domain.masks ?? {}).map(([mask, rule]) => [`${domain.name}: ${rule.hides}`, domain, mask, rule] as const),
  );
  it.each(rules)('%s', (_name, domain, mask, rule) => {
    const who = (username: string) => (seen.get(username) ?? []).filter((canary) => canary.domain === domain && canary.mask === mask);
    // The widest audience sees all values.
    const own = canaries.filter((canary) => canary.domain === domain && canary.mask === mask);
    expect(own.length).toBeGreaterThan(OTHERS);
    const fullView = WHO.filter(
      (each) =>
        rule.shownTo.some((role) => rolesFor(each).has(role)) &&
        callersOf(tools.find(({ kind, domain: d }) => kind === 'list' && d === domain) as Tool).some(
          ({ username }) => username === each.user,
        ),
    );
    expect(Math.max(...fullView.map((each) => who(named(each)).length))).toBe(own.length);
    const owners = personas.filter(({ employeeId, realm }) => realm === 'staff' && employeeId !== undefined);
    for (const { username, employeeId } of owners.filter(
      ({ username: user }) => !rule.shownTo.some((role) => rolesFor({ user }).has(role)),
    )) {
      const theirs = who(username).filter(({ owner }) => owner === employeeId);
      expect([username, theirs.length > 0]).toEqual([username, rule.andOwner]);
    }
  });
  it('see them, and everyone else sees that a value is hidden', async () => {
    const list = tools.filter((tool) => tool.kind === 'list' && maskedIn(tool).length > 0);
    for (const tool of list) {
      const blind = WHO.filter(
        (who) =>
          opens(tool, rolesFor(who)) &&
          rolesFor(who).size > 0 &&
          !maskedIn(tool).some((mask) => tool.domain.masks?.[mask]?.shownTo.some((role) => rolesFor(who).has(role))),
      );
      const texts: string[] = [];
      for (const who of blind) {
        await become(who);
        texts.push((await toolCaller.call('rest', who, tool, {})).text);
        await become({ user: who.user });
      }
      expect([tool.name, texts.some((text) => text.includes(HIDDEN))]).toEqual([tool.name, true]);
    }
  });
});

it('the audit log and the server logs hold no masked value, also after a change of one', async () => {
  const [salary] = canaries.filter(
    ({ domain, numeric, owner }) => domain.name === 'hr' && numeric && owner === persona('sarah.kim').employeeId,
  );
  if (!salary) throw new Error('no pay is masked');
  const raised: Canary = { ...salary, value: '4000000.37' };
  canaries.push(raised);
  // Lets the tickets of the tests above expire.
  testServer.clock.pass(301);
  toolCaller.forget();
  const { confirmationId, confirmationData } = await testServer.ask('alice.chen', 'hr', 'update_salary', {
    employee_id: salary.owner,
    new_salary: 4_000_000.37,
    outside_band_reason: 'Nobody else can do it',
    reason: `from ${salary.value} to 4000000.37`,
  });
  expect(JSON.stringify(confirmationData.changes)).toContain(salary.value);
  const { body } = await testServer.decide('alice.chen', confirmationId, true);
  expect(body).toMatchObject({ status: 'success', data: { salary: 4_000_000.37 } });
  salary.value = raised.value;
  canaries.pop();

  const auditLogs = await Promise.all(
    ['alice.chen', 'eve.thompson', 'sarah.kim', 'nina.patel'].map(
      async (user) => (await testServer.send('GET', '/api/audit?limit=50', { token: await testServer.token(user) })).text,
    ),
  );
  const all = [...canaries, raised, { ...salary, value: '3000000.37' }];
  const rows = await Promise.all(masking.map(({ name }) => testServer.owner(`select body from ${name}.audit`)));
  const files = testServer.folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => /^(audit|gateway|checkpoints|lock)/.test(name))
      .map((name) => join(folder, name)),
  );
  expect(files.filter((name) => name.endsWith('audit.db')).length).toBe(testServer.folders.length);
  const places = {
    auditLogs: auditLogs.join(),
    rows: JSON.stringify(rows),
    logs: testServer.logged.join('\n'),
    ...Object.fromEntries(files.map((name) => [name, readFileSync(name, 'latin1')])),
  };
  expect(JSON.stringify(rows)).toContain('update_salary');
  for (const [place, text] of Object.entries(places))
    expect([place, all.filter(({ value }) => text.includes(value)).map(labelOf)]).toEqual([place, []]);
});

describe('nothing depends on a masked value', () => {
  const rules = masking.flatMap((domain) => Object.keys(domain.masks ?? {}).map((mask) => [domain, mask] as const));
  /** Removes the parts of an answer that differ in every call. */
  const plain = (texts: readonly string[]) =>
    texts.map((text) => text.replace(/"(nextCursor|confirmationId|timestamp|expiresAt|approvalUrl)":("[^"]*"|\d+)/g, ''));

  it.each(rules.map(([domain, mask]) => [`${domain.name}: ${domain.masks?.[mask]?.hides}`, domain, mask] as const))(
    '%s',
    async (_name, domain, mask) => {
      const rule = domain.masks?.[mask];
      // One person for each combination of the roles that matter here.
      const relevant = new Set([...Object.values(domain.audiences).flatMap(({ roles }) => roles), ...(rule?.shownTo ?? [])]);
      const kind = (who: Who) =>
        [...rolesFor(who)]
          .filter((role) => relevant.has(role))
          .toSorted()
          .join();
      const hidden = WHO.filter((who) => persona(who.user).realm === 'staff' && !rule?.shownTo.some((role) => rolesFor(who).has(role)));
      const blind = [...new Map(hidden.map((who) => [kind(who), who])).values()];
      const owned = new Set(blind.map(({ user }) => persona(user).employeeId));
      const changed = canaries.filter((canary) => canary.domain === domain && canary.mask === mask && !owned.has(canary.owner));
      expect(blind.length).toBeGreaterThan(1);
      expect(changed.length).toBeGreaterThan(10);
      // A write at once is recorded, so that the history of its domain differs afterwards.
      const asked = tools.filter((tool) => tool.domain === domain && !canWriteAtOnce(tool));
      const answers = async (who: Who) => {
        await become(who);
        return plain(await textsFor(who, asked));
      };
      const before: string[][] = [];
      for (const who of blind) before.push(await answers(who));
      // Alternates the smallest and the largest value, which would change any order or sum that depends on it.
      for (const [at, canary] of changed.entries()) {
        canary.value = canary.numeric
          ? at % 2 === 0
            ? `${at}.37`
            : `${9_000_000 - at}.37`
          : `${at % 2 === 0 ? 'A' : 'z'.repeat(30)}-${at}-changed`;
        await canary.put(canary.value);
      }
      for (const [at, who] of blind.entries()) {
        const after = await answers(who);
        expect(after.length).toBe(before[at]?.length);
        const differs = after.findIndex((text, n) => text !== before[at]?.[n]);
        expect([named(who), differs < 0 ? undefined : after[differs]]).toEqual([
          named(who),
          differs < 0 ? undefined : before[at]?.[differs],
        ]);
        await become({ user: who.user });
      }
    },
  );

  // The derived filters and orders exist for every field; analyses.ts proves that a masked one is refused.
  it('no tool declares a filter or a default order by a masked field', () => {
    for (const domain of masking) {
      const hidden = maskedOf(domain);
      for (const tool of tools.filter((each) => each.domain === domain && (each.kind === 'read' || each.kind === 'list'))) {
        for (const [key, { enum: options = [] }] of ownPropertiesOf(tool)) {
          expect([tool.name, key, hidden.has(key.replace(/^(min|max|sort_by|order_by|new|from|to)_|_(min|max|from|to)$/g, ''))]).toEqual([
            tool.name,
            key,
            false,
          ]);
          if (key === 'sort') expect([...hidden.keys()].filter((field) => String(options[0]).includes(field))).toEqual([]);
        }
      }
    }
  });

  const ordersOf = (tool: ListTool) =>
    Object.entries(tool.orders).flatMap(([sort, { keys }]) => {
      const mask = keys.flatMap((key) => maskedOf(tool.domain).get(key) ?? [])[0];
      return mask === undefined ? [] : [[`${tool.domain.name} ${tool.name} ${sort}`, tool, sort, mask] as const];
    });
  it.each(tools.flatMap((tool) => (tool.kind === 'list' && masking.includes(tool.domain) ? ordersOf(tool) : [])))(
    '%s is an order only for people who see the field on every row',
    async (_name, tool, sort, mask) => {
      const shownTo = tool.domain.masks?.[mask]?.shownTo ?? [];
      const results: boolean[] = [];
      for (const who of WHO.filter((each) => opens(tool, rolesFor(each)))) {
        await become(who);
        const code = codeOf((await toolCaller.call('rest', who, tool, { sort })).answer);
        await become({ user: who.user });
        const shown = shownTo.some((role) => rolesFor(who).has(role));
        expect([named(who), code]).toEqual([named(who), shown ? 'success' : 'FIELD_HIDDEN']);
        results.push(shown);
      }
      expect(new Set(results).size).toBe(2);
    },
  );
});
