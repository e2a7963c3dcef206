/** The approval card in the terminal, drawn only from the server's confirmation data. */
import type { CardChange, ConfirmationData } from '../../declare/answer.ts';
import { clock, difference, formatValue, PLAIN } from '../../gateway/pages/format.ts';
import { mixesAlphabets } from '../../identity/web/html.ts';
import type { Look } from './data.ts';
import { pairs, table } from './table.ts';
import { indent, padStart, safe, safeLines, widthOf, wrap } from './text.ts';

export interface CardFacts {
  readonly data: ConfirmationData;
  readonly person: string;
  readonly secondsLeft: number;
}

const value = (raw: unknown, change: CardChange) => safe(formatValue(raw, change) ?? 'none');
const sentence = (text: string) => (/[.?]$/.test(text) ? text : `${text}.`);

export function cardLines({ data, person, secondsLeft }: CardFacts, { style, width }: Look): string[] {
  const wide = Math.min(width, 100);
  const left = `expires in ${clock(secondsLeft)}`;
  const title = 'Needs your approval';
  const sentences = [
    sentence(safe(data.summary)),
    data.afterwards !== undefined && safe(data.afterwards),
    data.because !== undefined && safe(data.because),
    'Nothing has changed yet.',
  ];
  const changes = data.changes.map((change) => {
    const moved = difference(change);
    const after = value(change.to, change);
    return [safe(change.label), value(change.from, change), moved === undefined ? after : `${after}  ${style.dim(moved)}`];
  });
  const about = `${safe(data.subject.label)}${mixesAlphabets(data.subject.label) ? style.yellow('  letters of two alphabets') : ''}`;
  const reason = data.reason === null || data.reason === '' ? [] : safeLines(data.reason).flatMap((line) => wrap(line, wide - 14));
  return [
    `${(data.destructive ? style.red : style.bold)(title)}${padStart(left, Math.max(widthOf(left) + 3, wide - widthOf(title)))}`,
    ...wrap(sentences.filter(Boolean).join(' '), wide),
    '',
    ...indent(table([{ heading: 'Field' }, { heading: 'Now' }, { heading: 'After approval' }], changes, style), 2),
    '',
    ...indent(
      pairs(
        [
          ['About', about],
          ['Id', safe(data.subject.id)],
          ...reason.map((line, i) => [i === 0 ? 'Reason' : '', line] as const),
          ['Decides', safe(person)],
          ['Tool', safe(`${data.mcpServer}.${data.action}`)],
        ],
        style,
      ),
      2,
    ),
  ];
}

/** "Salary of Sarah Kim is now $120,000." */
export function became({ subject, changes }: ConfirmationData): string {
  const first = changes.find(({ to }) => formatValue(to, PLAIN) !== undefined);
  if (first === undefined) return safe(subject.label);
  return sentence(`${safe(first.label)} of ${safe(subject.label)} is now ${value(first.to, first)}`);
}

export function stays({ subject, changes }: ConfirmationData): string {
  const first = changes.find(({ from }) => formatValue(from, PLAIN) !== undefined);
  return first === undefined ? '' : sentence(`${safe(first.label)} of ${safe(subject.label)} stays ${value(first.from, first)}`);
}
