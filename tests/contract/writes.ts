/** Requests changes that need approval and observes their effect in the stores, not in the answers. */
import { randomUUID } from 'node:crypto';
import type { PendingAnswer } from '../../src/declare/answer.ts';
import { qualifiedName } from '../../src/engine/registry.ts';
import type { Tool } from '../../src/declare/tool.ts';
import type { TestServer } from '../../src/testing/test-server.ts';
import type { TestClient } from '../../src/testing/test-client.ts';
import { copies, type Input, variations } from './arrange.ts';
import { openRawStore, type VersionedRow } from '../../src/testing/raw-store.ts';
import { propertiesOf } from '../../src/testing/tool-caller.ts';
import { byName, ready } from './calls.ts';

export const writes = byName.filter(([, { kind }]) => kind === 'write');

export interface Asked {
  readonly as: string;
  readonly input: Input;
  readonly ticket: PendingAnswer;
}

/** Varies the reason or note of a change: an identical request would return the first ticket. */
export function varied(tool: Tool, input: Input, because = `Because of ${randomUUID()}`): Input {
  const own = variations[qualifiedName(tool)];
  if (own) return own(input, because);
  const note = propertiesOf(tool).find(
    ([key, { type, enum: options, format, maxLength = 0 }]) =>
      type === 'string' && !options && !format && maxLength >= 100 && /reason|notes|comments|resolution/.test(key),
  );
  if (!note) throw new Error(`${qualifiedName(tool)} takes no free text: tests/contract/arrange.ts has to say how to vary it`);
  return { ...input, [note[0]]: because };
}

export async function askFor(testServer: TestClient, tool: Tool): Promise<Asked> {
  const { as, input: example } = await ready(testServer, tool);
  const input = varied(tool, example);
  return { as, input, ticket: await testServer.ask(as, tool.domain.name, tool.name, input) };
}

/** How often a ticket took effect, and how often the domain's own audit chain records it. */
export const effectsOf = async (testServer: TestServer, { domain }: Tool, id: string): Promise<{ effects: number; records: number }> =>
  (await openRawStore(testServer, domain, copies)).effectsOf(id);

/** One digest over all rows of a domain, which changes with any of them. */
export const fingerprint = async (testServer: TestServer, { domain }: Tool): Promise<string> =>
  (await openRawStore(testServer, domain, copies)).fingerprint();

const textsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];

/** Versioned rows that a ticket is about: the rows with one of its ids in their key, and the rows that those refer to. */
export async function rowsAround(testServer: TestServer, { domain }: Tool, { input, ticket }: Asked): Promise<VersionedRow[]> {
  if (domain.name === 'knowledge') return numberedRows(testServer, JSON.stringify([input, ticket.confirmationData]));
  const room = await openRawStore(testServer, domain, copies);
  const near = await room.rowsOf(textsIn([input, ticket.confirmationData.subject]));
  const keys = await room.keys();
  const leads = near.flatMap(({ key, values }) =>
    Object.entries(values).flatMap(([column, value]) => (keys.has(column) && !(column in key) ? [String(value)] : [])),
  );
  const all = [...near, ...(await room.rowsOf(leads))];
  return [...new Map(all.map((row) => [JSON.stringify([row.table, row.key]), row])).values()];
}

/** Entries and triples have numeric keys and prefixed ids: e-7, t-61. */
async function numberedRows(testServer: TestServer, text: string): Promise<VersionedRow[]> {
  const found: VersionedRow[] = [];
  for (const id of new Set(text.match(/\b[et]-\d+\b/g))) {
    const [table, column] = id.startsWith('e') ? ['knowledge.entries', 'entry_no'] : ['knowledge.triples', 'triple_no'];
    const rows = await testServer.owner(`select * from ${table} where ${column} = $1 and tx_to is null`, [id.slice(2)]);
    found.push(...rows.map((values) => ({ table, values, key: { [column]: values[column], tx_from: values['tx_from'] } })));
  }
  return found;
}

export const touch = async (testServer: TestServer, { domain }: Tool, row: VersionedRow): Promise<void> =>
  (await openRawStore(testServer, domain, copies)).touch(row);

/**
 * Whether the card showed a value of this row. False for the requester's own row: the requester's name on a card comes from the sign-in,
 * not from a row.
 */
export function isShown({ table, key, values }: VersionedRow, { ticket }: Asked): boolean {
  const { subject, summary, changes, userId } = ticket.confirmationData;
  if (Object.values(key).includes(userId) || copies.includes(table)) return false;
  const text = JSON.stringify([summary, subject.label]);
  const columns = changes.filter(({ field, from }) => field in values && from !== null);
  if (
    columns.length > 0 &&
    columns.every(({ field, from }) => String(values[field]) === String(from)) &&
    (columns.length > 1 || Object.keys(key).length === 1)
  )
    return true;
  // Requires two matching values: one alone may match by chance.
  const words = Object.entries(values).filter(
    ([column, value]) => !(column in key) && typeof value === 'string' && /^\p{L}.{2,}$/u.test(value) && text.includes(value),
  );
  return Object.keys(key).length === 1 && words.length > 1;
}
