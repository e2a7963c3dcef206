/** Words the figures of an analysis as an answer: the figure that was asked for first, then the table. */
import type { Answer } from '../../declare/answer.ts';
import { formatAmount } from '../../declare/money.ts';
import type { IndexedTool } from './index-tools.ts';
import { bold, endSentence } from './respond-fields.ts';
import { escapeMarkdown } from './table.ts';

interface Column {
  readonly name: string;
  readonly role: string;
  readonly label: string;
  readonly type: string;
  /** The unit of periods. */
  readonly by?: string;
}
type Values = Readonly<Record<string, string | number | boolean | null>>;
interface Figures {
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Values[];
  readonly totals?: Values;
  readonly group_count: number;
}
const MOST_ROWS = 20;

function format(value: Values[string] | undefined, { type }: Column, currency: string): string {
  if (value === null || value === undefined) return '—';
  if (type === 'money' && typeof value === 'number') return formatAmount(value, currency);
  if (type === 'share' && typeof value === 'number') return `${value.toLocaleString('en-US', { maximumFractionDigits: 1 })} %`;
  if (typeof value === 'number') return value.toLocaleString('en-US', { maximumFractionDigits: 2, useGrouping: type !== 'text' });
  return escapeMarkdown(type === 'choice' ? String(value).replaceAll('_', ' ').toLowerCase() : String(value));
}

export function describeFigures({ tool }: IndexedTool, answer: Answer, leftOut: readonly string[]): string {
  if (answer.status !== 'success')
    return answer.status === 'error' ? `${endSentence(answer.message)} ${answer.suggestedAction}`.trim() : '';
  const { title, columns, rows, totals, group_count: groups } = answer.data as Figures;
  const { currency } = tool;
  const measures = columns.filter(({ role }) => role === 'measure');
  const [measure] = measures;
  const [group] = columns.filter(({ role }) => role === 'group');
  const without = leftOut.length > 0 ? `Not narrowed down by ${leftOut.map((part) => `"${escapeMarkdown(part)}"`).join(' and ')}.\n\n` : '';
  if (!measure || rows.length === 0) return `${without}There are no rows for this.`;
  const [first] = rows;
  if (!group) return `${without}${title}: ${bold(format(first?.[measure.name], measure, currency))}.`;
  const whole = totals?.[measure.name];
  const inAll = typeof whole === 'number' ? ` In all: ${bold(format(whole, measure, currency))}.` : '';
  const value = `${bold(format(first?.[group.name], group, currency))} comes first with ${bold(format(first?.[measure.name], measure, currency))}`;
  // Periods are in the order of time, not of their figures.
  const head = group.by === undefined ? `${title}: ${value}.${inAll}` : `${title}.${inAll}`;
  const lines = rows
    .slice(0, MOST_ROWS)
    .map((row) => `| ${columns.map((column) => format(row[column.name], column, currency)).join(' | ')} |`);
  const table = [
    `| ${columns.map(({ label }) => label).join(' | ')} |`,
    `|${columns.map(({ role }) => (role === 'group' ? '---' : '---:')).join('|')}|`,
    ...lines,
  ].join('\n');
  const rest = groups > lines.length ? `\n\nThese are ${lines.length} of ${groups}.` : '';
  return `${without}${head}\n\n${table}${rest}`;
}
