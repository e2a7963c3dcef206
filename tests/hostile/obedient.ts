/** An LLM stand-in that obeys prompt injection: it finds orders in tool results and makes the calls they demand, with ids from there. */
import type { Model, Message, Turn } from '../../src/assistant/model.ts';
import type { Tool } from '../../src/declare/tool.ts';
import { results, type Scripted } from '../assistant-events.ts';
import { type Action, hostileIn } from './corpus.ts';

type Found = Readonly<Record<string, readonly unknown[]>>;

const textsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];

/** All values in the tool results of the conversation, by field name. */
function valuesIn(said: readonly Message[]): Found {
  const found: Record<string, unknown[]> = {};
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) walk(each);
    else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) {
        (found[key] ??= []).push(each);
        walk(each);
      }
  };
  for (const each of said) if (each.by === 'tool' && each.answer.status === 'success') walk(each.answer.data);
  return found;
}

/** The calls that carry out each order. `loot` is the text that was read, truncated to the field. */
const CALLS: Readonly<Record<Action, (read: Found, loot: string) => { call: string; input: Record<string, unknown> }[]>> = {
  add_task: (_read, loot) => [{ call: 'tasks_add_task', input: { title: loot.slice(0, 190), description: loot.slice(0, 900) } }],
  store: (_read, loot) => [{ call: 'knowledge_store', input: { topic: 'as ordered', content: loot.slice(0, 3000) } }],
  comment: (read, loot) => [
    { call: 'support_customer_add_comment', input: { ticket_id: read['ticket_id']?.[0], comment: loot.slice(0, 1500) } },
  ],
  submit: (_read, loot) => [
    {
      call: 'support_customer_submit_ticket',
      input: {
        title: 'As ordered by a note',
        description: loot.padEnd(30, '.').slice(0, 4000),
        category: 'other',
        visibility: 'organization',
      },
    },
  ],
  relate: (_read, loot) => [
    { call: 'knowledge_relate', input: { subject: 'this account', predicate: 'says', object: loot.slice(0, 190) } },
  ],
  change_own: ({ id: ids = [] }) => {
    const task = ids.find((each) => typeof each === 'number');
    const entry = ids.find((each) => typeof each === 'string' && /^e-\d+$/.test(each));
    return [
      { call: 'tasks_update_task', input: { task_id: task ?? 1, title: 'As ordered' } },
      { call: 'tasks_complete_task', input: { task_id: task ?? 1 } },
      { call: 'tasks_delete_task', input: { task_id: task ?? 1 } },
      { call: 'knowledge_update', input: { id: entry ?? 'e-1', content: 'As ordered.' } },
      { call: 'knowledge_delete', input: { id: entry ?? 'e-1' } },
      { call: 'knowledge_undo', input: {} },
    ];
  },
  close: (read) => [{ call: 'support_close_ticket', input: { ticket_id: read['ticket_id']?.[0], resolution: 'Done as requested there.' } }],
  pay: (read) => [
    { call: 'finance_approve_invoice', input: { invoice_id: read['invoice_id']?.[0] } },
    { call: 'finance_pay_invoice', input: { invoice_id: read['invoice_id']?.[0], payment_reference: 'as-ordered' } },
  ],
  raise: (read) => [{ call: 'hr_update_salary', input: { employee_id: read['employee_id']?.[0], new_salary: 900_000 } }],
  remove: (read) => [
    { call: 'sales_delete_customer', input: { customer_id: read['_id']?.[0] } },
    { call: 'sales_delete_opportunity', input: { opportunity_id: read['_id']?.[0] } },
    { call: 'hr_delete_employee', input: { employee_id: read['employee_id']?.[0], reason: 'As ordered' } },
  ],
  invite: () => [{ call: 'support_customer_invite_contact', input: { email: 'mallory@evil.example', name: 'Mallory' } }],
};

export interface ObedientModel extends Model {
  /** The calls that it makes for a question before it obeys. */
  reads: readonly { readonly call: string; readonly input: Readonly<Record<string, unknown>> }[];
  /** Every turn that it was given. */
  readonly shown: Turn[];
  /** The calls that it made because a text ordered them. */
  readonly obeyed: { readonly call: string; readonly action: Action }[];
}

/** Makes the calls that hostile texts order; of those to tools that the caller may not use, only the first. */
export function obedientModel(): ObedientModel {
  let calls = 0;
  const model: ObedientModel = {
    name: 'obedient',
    reads: [],
    shown: [],
    obeyed: [],
    async *answer(turn) {
      model.shown.push(turn);
      for (const each of next(model, turn)) {
        if (typeof each === 'string') yield { type: 'text', text: each };
        else if ('call' in each && typeof each.call === 'string') {
          yield { type: 'call', call: { id: `call-${++calls}`, name: each.call, input: each.input ?? {} } };
        }
      }
    },
  };
  return model;
}

function next(model: ObedientModel, turn: Turn): Iterable<Scripted & (string | { call: string; input?: Record<string, unknown> })> {
  const done = results(turn);
  if (done.length === 0) return model.reads as never;
  if (done.length > model.reads.length) return ['I did what the records say.'];
  const heard = turn.messages.filter((each) => each.by === 'tool');
  const text = heard.flatMap(({ answer, promptText }) => [...textsIn(answer), promptText]).join('\n');
  const offered = new Map<string, Tool>(turn.allTools.map(({ name, tool }) => [name, tool]));
  const loot = [...new Set([...text.matchAll(/KEEP-[\w.-]+/g)].map(([each]) => each)), text].join(' ').replaceAll(/\p{C}/gu, ' ');
  const read = valuesIn(turn.messages);
  const orders = [...new Set(hostileIn(text).map(({ action }) => action))];
  const wanted = orders.flatMap((action) => CALLS[action](read, loot).map((each) => ({ ...each, action })));
  // Tools that act without an approval come first: only they could have an effect.
  const mine = wanted
    .filter(({ call }) => offered.has(call))
    .sort((a, b) => Number(offered.get(b.call)?.kind === 'act') - Number(offered.get(a.call)?.kind === 'act'));
  const chosen = [...mine, ...wanted.filter(({ call }) => !offered.has(call)).slice(0, 1)];
  model.obeyed.push(...chosen.map(({ call, action }) => ({ call, action })));
  return chosen.length === 0 ? ['Nothing there tells me to do anything.'] : chosen;
}
