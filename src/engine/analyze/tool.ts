/** Derives the tool `analyze` of each domain from the domain's lists: schemas, description and examples. */
import { z } from 'zod';
import { DEFAULT_COMPANY } from '../../declare/company.ts';
import { companyText, storedDay, untrusted } from '../../declare/fields.ts';
import type { ListField } from '../../declare/list-fields.ts';
import type { AnalyzeTool, AnyDomain, ListTool, Tool, ToolExample } from '../../declare/tool.ts';
import { type AnalysisAnswer, summaryOf } from './answer.ts';
import { UNITS } from './periods.ts';
import { COMPARISONS, FUNCTIONS, isUsable } from './question.ts';

/** The name of the tool. No domain may declare another tool with this name. */
export const ANALYZE = 'analyze';

const MOST_NAME = 80;
const MOST_MEASURES = 8;
const name = z.string().max(MOST_NAME);

const ONE_FUNCTION = 'must have one function and its field, such as { "avg": "amount" }';
const measure = z.union([
  z.literal('count'),
  z.partialRecord(z.enum(FUNCTIONS), name).refine((given) => Object.keys(given).length === 1, ONE_FUNCTION),
]);
const group = z.union([
  name,
  z.strictObject({ field: name.describe('A date'), by: z.enum(UNITS).optional().describe('Period; quarters and years are fiscal') }),
]);

const inputFor = (lists: readonly ListTool[]) =>
  z
    .object({
      of: z.enum(lists.map((list) => list.name)).describe(`The list, with its fields: ${lists.map(fieldsText).join('; ')}`),
      where: z.record(z.string(), z.unknown()).optional().describe('Filters of the list, as the list itself takes them'),
      group_by: z.array(group).max(2).optional().describe('Fields, or { field, by } for a date; without it, one figure'),
      measures: z
        .array(measure)
        .min(1)
        .max(MOST_MEASURES)
        .optional()
        .describe('"count" (default), { "avg": field } and so on; { "share": "count" } or { "share": "sum_<field>" }'),
      sort: z
        .strictObject({
          by: name.describe('Group or measure, such as avg_salary'),
          order: z.enum(['asc', 'desc']).optional().describe('Default: measures desc, groups asc'),
        })
        .optional()
        .describe('Order of the rows'),
      limit: z.int().min(1).max(200).optional().describe('Most rows, 1 to 200, by default 50'),
      compare: z.enum(COMPARISONS).optional().describe('Adds earlier figures and changes; needs a date range in where, or periods'),
    })
    .strict();

const fieldsText = ({ name: list, fields }: ListTool): string =>
  `${list} (${fields
    .filter(isUsable)
    .map((field) => field.name)
    .join(', ')})`;

/** The texts in an answer are names of groups, and filters that the caller sent. */
function outputFor(lists: readonly ListTool[]) {
  const isUntrusted = lists.some(({ fields }) => fields.some((field) => field.groups && field.untrusted));
  const text = isUntrusted ? untrusted : companyText;
  const value = z.union([text, z.number(), z.boolean(), z.null()]);
  const row = z.record(companyText, value);
  const condition = z.union([value, z.array(value), z.record(companyText, z.union([value, z.array(value)]))]);
  return z.object({
    of: companyText,
    title: companyText,
    columns: z.array(
      z.object({
        name: companyText,
        role: z.enum(['group', 'measure', 'change']),
        label: companyText,
        type: z.enum(['text', 'choice', 'flag', 'day', 'whole', 'number', 'money', 'share']),
        by: z.enum(UNITS).optional(),
        of: companyText.optional(),
        measure: companyText.optional(),
      }),
    ),
    rows: z.array(row),
    totals: row.optional(),
    group_count: z.int(),
    chart: z.object({
      kind: z.enum(['figure', 'bars', 'line', 'stacked']),
      x: companyText.optional(),
      series: companyText.optional(),
      measures: z.array(companyText),
    }),
    opens: z.array(z.object({ tool: companyText, input: z.record(companyText, condition) }).nullable()),
    compared: z.object({ from: storedDay, to: storedDay, previous_from: storedDay, previous_to: storedDay }).optional(),
  });
}

const wordsOf = (field: string) => field.replaceAll('_', ' ').trim();
const isOpen = ({ groups, mask, hiddenFrom }: ListField): boolean => groups && mask === undefined && hiddenFrom.length === 0;

/** An example for each list, asked by the person of the list's own first example. */
function exampleOf({ name: of, plural, fields, examples, ownInput }: ListTool): ToolExample[] {
  const asked = examples.find(({ expects }) => expects === undefined);
  if (asked === undefined) return [];
  const open = fields.filter(isOpen);
  // A text field that the list declares as a filter usually has few values, so it makes a good group.
  const isKind = ({ type, name: key }: ListField) => type === 'text' && Object.hasOwn(ownInput.shape, key) && !key.endsWith('name');
  const field = open.find(({ type }) => type === 'choice') ?? open.find(isKind);
  return [
    {
      question: `How many ${plural} are there${field === undefined ? '' : ` by ${wordsOf(field.name)}`}?`,
      as: asked.as,
      expects: undefined,
      input: () => ({ of, ...(field !== undefined && { group_by: [field.name] }) }),
    },
  ];
}

function createAnalyzeTool(domain: AnyDomain, lists: readonly ListTool[]): AnalyzeTool {
  const [first] = lists;
  const company = first?.company ?? DEFAULT_COMPANY;
  const output = outputFor(lists);
  return {
    kind: 'analyze',
    domain,
    company,
    name: ANALYZE,
    title: `Figures of ${domain.name}`,
    description:
      'Exact figures over all rows of a list that you may see: counts, totals, averages, medians, extremes and shares, by up to two ' +
      'fields or periods, sorted, and compared with earlier periods.',
    roles: [...new Set(lists.flatMap(({ roles }) => roles))],
    audience: undefined,
    input: inputFor(lists),
    output,
    parseOutput: (data) => output.parse(data),
    errors: {},
    examples: [...new Map(lists.flatMap(exampleOf).map((example) => [example.question, example])).values()],
    lastResort: false,
    aliases: [],
    inputAliases: {},
    chart: undefined,
    lists,
    summary: (data) => summaryOf(data as AnalysisAnswer, company),
  };
}

/** Lists that fetch all rows themselves have no fields. */
const isAnalyzable = (tool: Tool): tool is ListTool => tool.kind === 'list' && tool.fields.some(isUsable);

/** The tools of all domains, each domain followed by its tool `analyze` if it has lists that can be analysed. */
export function withAnalyses(tools: readonly Tool[]): Tool[] {
  const domains = [...new Set(tools.map(({ domain }) => domain))];
  return domains.flatMap((domain) => {
    // The tools of another registry already have analyses.
    const own = tools.filter((tool) => tool.domain === domain && tool.kind !== 'analyze');
    const lists = own.filter(isAnalyzable);
    return lists.length === 0 ? own : [...own, createAnalyzeTool(domain, lists)];
  });
}
