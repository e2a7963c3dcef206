/** Derives the tool `get_history` of each domain from the domain's writes and the tools that show their records. */
import { z } from 'zod';
import { DEFAULT_COMPANY } from '../../declare/company.ts';
import { companyText, storedTime, untrusted, untrustedValue } from '../../declare/fields.ts';
import { cursor, limit } from '../../declare/page.ts';
import { recordIdText } from '../../declare/ids.ts';
import type { AnyDomain, HistoryTool, RecordType, Tool, ToolExample } from '../../declare/tool.ts';
import { recordTypesOf } from './records.ts';

/** The name of the tool. No domain may declare another tool with this name. */
export const GET_HISTORY = 'get_history';

const inputFor = (types: readonly RecordType[]) =>
  z
    .object({
      type: z.enum(types.map(({ type }) => type)).describe('What the record is'),
      id: recordIdText.describe('Its id, from a list of this server'),
      limit,
      cursor,
    })
    .strict();

export const historyEvent = z.object({
  at: storedTime.describe('When it took effect'),
  asked_at: storedTime.describe('When it was asked for'),
  tool: companyText,
  title: companyText,
  effect: z.enum(['adds', 'changes', 'removes']),
  requested_by: untrusted.describe('The user name of the person who asked for it'),
  approved_by: untrusted.nullable().describe('null if it needed no approval'),
  changes: z.array(z.object({ field: companyText, label: companyText, from: untrustedValue, to: untrustedValue })),
  reason: untrusted.nullable(),
});
export type HistoryEvent = z.input<typeof historyEvent>;

/** An example for each type, with the person and the id of another example of the domain. */
function exampleOf({ type, id, shownBy }: RecordType, own: readonly Tool[]): ToolExample[] {
  const all = [...shownBy, ...own].flatMap(({ examples }) => examples).filter((each) => isId(each.input(EXAMPLE_DAY)[id]));
  const example = all.find(({ expects }) => expects === undefined) ?? all.find(({ expects }) => expects?.endsWith('_NOT_FOUND'));
  if (example === undefined) return [];
  return [
    {
      question: `Who changed this ${type.replaceAll('_', ' ')}, and when?`,
      as: example.as,
      expects: example.expects === undefined ? undefined : 'RECORD_NOT_FOUND',
      input: (today, company) => ({ type, id: String(example.input(today, company)[id]) }),
    },
  ];
}
const isId = (value: unknown) => typeof value === 'string' || typeof value === 'number';
const EXAMPLE_DAY = '2026-11-16';

function createHistoryTool(domain: AnyDomain, records: readonly RecordType[], own: readonly Tool[]): HistoryTool {
  const tools = records.flatMap(({ shownBy }) => shownBy);
  const company = tools[0]?.company ?? DEFAULT_COMPANY;
  const output = z.array(historyEvent);
  return {
    kind: 'history',
    domain,
    company,
    name: GET_HISTORY,
    title: `History of ${domain.name}`,
    description:
      'Who changed a record, who approved it, when and why, with the values before and after, the newest change first. Only for a record ' +
      'that you may see now. Hidden values stay hidden.',
    roles: [...new Set(tools.flatMap(({ roles }) => roles))],
    audience: undefined,
    input: inputFor(records),
    output,
    parseOutput: (data) => output.parse(data),
    errors: {
      RECORD_NOT_FOUND: {
        message: 'There is no such record, or you may not see it.',
        hint: `Find the id with ${[...new Set(tools.filter(({ kind }) => kind === 'list').map(({ name }) => name))].join(' or ') || 'a list of this server'}.`,
      },
    },
    examples: records.flatMap((record) => exampleOf(record, own)),
    lastResort: false,
    aliases: [],
    inputAliases: {},
    chart: undefined,
    records,
    summary: (data) => {
      const { length } = data as readonly unknown[];
      return length === 1 ? '1 change' : `${length} changes`;
    },
  };
}

/** The tools of all domains, each domain followed by its tool `get_history` if somebody can see a record that its writes change. */
export function withHistories(tools: readonly Tool[]): Tool[] {
  const domains = [...new Set(tools.map(({ domain }) => domain))];
  return domains.flatMap((domain) => {
    // The tools of another registry already have histories.
    const own = tools.filter((tool) => tool.domain === domain && tool.kind !== 'history');
    const records = recordTypesOf(domain, own).filter(({ shownBy }) => shownBy.length > 0);
    return records.length === 0 ? own : [...own, createHistoryTool(domain, records, own)];
  });
}
