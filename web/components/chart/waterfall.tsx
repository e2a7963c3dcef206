/** From a start value to an end value, with additions and deductions. */
import type { Chart } from '../../lib/contract.ts';
import { shortMoney } from '../../lib/format.ts';

export type Fields = Readonly<Record<string, unknown>>;
export const amount = (row: Fields, field: string): number => (typeof row[field] === 'number' ? row[field] : 0);

const TALL = 190;

export function Waterfall({ chart, summary }: { readonly chart: Extract<Chart, { kind: 'waterfall' }>; readonly summary: Fields }) {
  const { start, steps, end } = chart;
  const [first, last] = [amount(summary, start.field), amount(summary, end.field)];
  let level = first;
  const bars = steps.map(({ field, label, adds }) => {
    const by = amount(summary, field) * (adds ? 1 : -1);
    const from = level;
    level += by;
    return { label, from, to: level, by };
  });
  const points = [first, last, ...bars.flatMap(({ from, to }) => [from, to])];
  const [low, high] = [Math.min(...points), Math.max(...points)];
  // The axis starts below the lowest value, not at zero: otherwise the steps would be too small to see. A label says so.
  const base = Math.max(0, low - (high - low || high || 1) * 0.35);
  const y = (value: number) => 28 + (TALL - 28) * (1 - (value - base) / (high - base || 1));
  // On a narrow page the chart gets narrower and is not scaled down, so its text keeps its size.
  const wide = matchMedia('(max-width: 640px)').matches ? 330 : 720;
  const slot = wide / (bars.length + 2);
  const column = (index: number) => slot * index + slot * 0.14;
  const size = slot * 0.72;
  const words = [
    `${start.label} ${shortMoney(first)}`,
    ...bars.map(({ label, by }) => `${label} ${by < 0 ? '−' : '+'}${shortMoney(Math.abs(by))}`),
    `${end.label} ${shortMoney(last)}`,
  ];
  const whole = (index: number, value: number, look: string) => (
    <>
      <rect className={look} x={column(index)} width={size} y={y(value)} height={Math.max(1, TALL - y(value))} rx="1" />
      {base > 0 && <path className="cut" d={`M${column(index) - 2} ${TALL - 10}l${size + 4} -6`} />}
      <text className="v" x={column(index) + size / 2} y={y(value) - 7} textAnchor="middle">
        {shortMoney(value)}
      </text>
    </>
  );
  return (
    <div className="fig-body">
      <svg className="wf" viewBox={`0 0 ${wide} ${TALL + 30}`} role="img" aria-label={`${chart.title}: ${words.join(', ')}`}>
        <line className="base" x1="0" x2={wide} y1={TALL} y2={TALL} />
        {whole(0, first, 'brest')}
        {bars.map(({ label, from, to, by }, index) => (
          <g key={label}>
            <line className="ln" x1={column(index) + size} x2={column(index + 1)} y1={y(from)} y2={y(from)} />
            <rect
              className={by < 0 ? 'bbad' : 'bok'}
              x={column(index + 1)}
              width={size}
              y={Math.min(y(from), y(to))}
              height={Math.max(1, Math.abs(y(from) - y(to)))}
              rx="1"
            />
            <text className="v" x={column(index + 1) + size / 2} y={Math.min(y(from), y(to)) - 7} textAnchor="middle">
              {`${by < 0 ? '−' : '+'}${shortMoney(Math.abs(by))}`}
            </text>
          </g>
        ))}
        {whole(bars.length + 1, last, 'b1')}
        {[start.label, ...bars.map(({ label }) => label), end.label].map((label, index) => (
          <text key={label} x={column(index) + size / 2} y={TALL + 20} textAnchor="middle">
            {wide < 400 && label.length > 7 ? `${label.slice(0, 5)}.` : label}
          </text>
        ))}
      </svg>
      {base > 0 && <p className="small faint">The axis starts at {shortMoney(base)}.</p>}
    </div>
  );
}
