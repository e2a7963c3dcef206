/** Formats the answer of a call for the terminal. */
import type { ListMetadata } from '../../declare/answer.ts';
import type { ErrorAnswer } from '../../declare/errors.ts';
import { type Analysis, analysisLines, isAnalysis, type KindOf } from '../terminal/analysis.ts';
import { dataLines, type Look } from '../terminal/data.ts';
import { type Style } from '../terminal/style.ts';
import { count, duration, grouped, safe, wrap } from '../terminal/text.ts';
import { fieldSchema, isScalar, itemSchema, kindOf } from '../terminal/values.ts';
import type { Reply } from './client.ts';
import type { ListedTool } from './listed.ts';

export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export interface Asked {
  readonly server: string;
  readonly tool: string;
  readonly input: string;
  readonly as: string;
}
const commandFor = ({ server, tool, as }: Asked, input: object) =>
  `tamshai call ${server} ${tool} ${quoted(JSON.stringify(input))} --as ${as}`;

/** Money in an analysis has the currency of the list's field. */
export function kindsFor(analysis: Analysis, own: readonly ListedTool[]): KindOf {
  const item = itemSchema(own.find(({ name }) => name === analysis.of)?.outputSchema.properties.data);
  return (column) => {
    const of = column.of ?? analysis.columns.find(({ name }) => name === column.measure)?.of ?? column.name;
    if (column.type === 'money') return kindOf(fieldSchema(item, of), of, 0);
    return column.type === 'day' && column.role !== 'group' ? 'date' : 'number';
  };
}

export function successLines(
  { body, ms, requestId }: Reply,
  own: readonly ListedTool[],
  { asked, look }: { readonly asked: Asked; readonly look: Look },
): string[] {
  const tool = own.find(({ name }) => name === asked.tool);
  const { data } = body as { data?: unknown };
  if (tool?.kind === 'analyze' && isAnalysis(data)) {
    const groups = data.totals === undefined ? [] : [count(data.group_count, 'group')];
    const head = [look.style.green('success'), ...groups, duration(ms), safe(requestId)];
    return [head.join('  '), '', ...analysisLines(data, kindsFor(data, own), look)];
  }
  const metadata = body['metadata'] as ListMetadata | undefined;
  const schema = tool?.outputSchema.properties.data;
  const rows = Array.isArray(body['data']) ? body['data'].length : undefined;
  const head = [
    look.style.green('success'),
    ...(rows === undefined ? [] : [rowsOf(rows, metadata?.hasMore ?? false)]),
    duration(ms),
    safe(requestId),
  ];
  return [
    head.join('  '),
    '',
    ...(rows === 0 ? [`  No ${tool?.plural ?? 'rows'}.`] : dataLines(body['data'], schema, look)),
    ...(metadata?.summary === undefined ? [] : ['', ...dataLines({ summary: metadata.summary }, undefined, look)]),
    ...(metadata?.hasMore ? ['', ...incomplete(metadata, asked, look)] : []),
  ];
}

const rowsOf = (rows: number, more: boolean) => (more ? `${grouped(rows)}+ rows` : count(rows, 'row'));

function incomplete({ returnedCount, warning, nextCursor, summary }: ListMetadata, asked: Asked, { style, width }: Look): string[] {
  const narrow = /Narrow it by ([\w, ]+?), or/.exec(warning ?? '')?.[1];
  const covers =
    summary === undefined
      ? 'Totals that you compute from these rows are incomplete.'
      : 'The summary covers all rows, including those that are not shown.';
  const note =
    'Incomplete: the first ' +
    `${returnedCount} of more than ${returnedCount}. ${covers}${narrow === undefined ? '' : ` Narrow by ${narrow}.`}`;
  const input = JSON.parse(asked.input) as Record<string, unknown>;
  const next = nextCursor === undefined ? [] : [`${style.dim('More')}  ${commandFor(asked, { ...input, cursor: nextCursor })}`];
  return [...wrap(note, width).map(style.yellow), ...next];
}

export function errorLines(answer: ErrorAnswer, style: Style, width: number): string[] {
  const { code, message, suggestedAction, details = {} } = answer;
  const scalars = Object.fromEntries(Object.entries(details).filter(([, value]) => isScalar(value)));
  const lines = wrap(`${safe(code)}  ${safe(message)}`, width);
  const [first = '', ...rest] = lines;
  return [
    first.startsWith(code) ? style.red(safe(code)) + first.slice(safe(code).length) : first,
    ...rest,
    ...(Object.keys(scalars).length > 0 ? dataLines(scalars, undefined, { style, width }) : []),
    ...(suggestedAction === '' ? [] : wrap(`Try  ${safe(suggestedAction)}`, width)),
  ];
}

/** For tokens that the gateway refuses because their key is unknown: the key usually belongs to another data folder. */
export const foreignKeys = 'Check that TAMSHAI_DATA, TAMSHAI_PUBLIC_URL and GATEWAY_PORT are the ones that Tamshai was started with.';
