/** Renders the charts that tools declare. Bar charts are tables, so screen readers can read them. */
import type { ReactNode } from 'react';
import type { Row } from '../lib/columns.ts';
import { elapsedOf } from '../lib/pace.ts';
import { labelForCode, number, shortMoney } from '../lib/format.ts';
import type { Chart } from '../lib/contract.ts';

interface FigureProps {
  readonly chart: Chart;
  readonly data: readonly Row[];
  /** The object that contains the rows. */
  readonly around?: Row | undefined;
  readonly summary?: Readonly<Record<string, unknown>> | undefined;
  readonly note: string;
  readonly complete: boolean;
  readonly table: ReactNode;
  readonly asTable: boolean;
  readonly onSwitch: (asTable: boolean) => void;
}

const amount = (row: Readonly<Record<string, unknown>>, field: string): number => (typeof row[field] === 'number' ? row[field] : 0);
const share = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10);
const width = (percent: number) => `${Math.max(0, Math.min(100, percent))}%`;
const named = (row: Row, label: string) => labelForCode(String((row[label] as string | number | undefined) ?? ''));

const Legend = ({ entries }: { readonly entries: readonly { readonly look: string; readonly label: string }[] }) => (
  <div className="legend" aria-hidden="true">
    {entries.map(({ look, label }) => (
      <span key={label}>
        <i className={look} />
        {label}
      </span>
    ))}
  </div>
);

function Parts({
  chart,
  data,
  around = {},
}: {
  readonly chart: Extract<Chart, { kind: 'parts' }>;
  readonly data: readonly Row[];
  readonly around?: Row | undefined;
}) {
  const { part, whole, scale, label, count, pace } = chart;
  const each = scale === 'each';
  const elapsed = (row: Row) => (pace && each ? elapsedOf(row[pace.field] ?? around[pace.field]) : undefined);
  const ticks = data.map(elapsed);
  const tick = ticks.find((at) => at !== undefined);
  const longest = Math.max(1, ...data.map((row) => amount(row, whole.field)));
  const [parts, wholes] = [part, whole].map(({ field }) => data.reduce((sum, row) => sum + amount(row, field), 0));
  // A bar is marked if its share is above the elapsed share of the current year, or above 95 % in other years.
  const over = (percent: number, at: number | undefined) => each && percent > (at ?? 95);
  const counted = (rows: readonly Row[]) => rows.reduce((sum, row) => sum + amount(row, count?.field ?? ''), 0);
  return (
    <>
      <Legend
        entries={[
          { look: 'one', label: part.label },
          { look: each ? 'rest' : 'two', label: each ? 'Left' : whole.label },
          ...(each ? [{ look: 'warn', label: tick === undefined ? 'Almost used up' : 'Ahead of the year' }] : []),
          ...(pace && tick !== undefined ? [{ look: 'tick', label: `${pace.label}, ${number(tick)}%` }] : []),
        ]}
      />
      <div className="fig-body">
        <table className="bars">
          <caption className="sr">{chart.title}</caption>
          <thead>
            <tr>
              <th scope="col">{labelForCode(label)}</th>
              <td />
              {each && (
                <th scope="col" className="num">
                  Used
                </th>
              )}
              {count && (
                <th scope="col" className="num">
                  {count.label}
                </th>
              )}
              <th scope="col" className="num">
                {part.label}
              </th>
              <th scope="col" className="num">
                {whole.label}
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map((row, index) => {
              const [has, of] = [amount(row, part.field), amount(row, whole.field)];
              const percent = share(has, of);
              const length = each ? 100 : (of / longest) * 100;
              const at = ticks[index];
              return (
                <tr key={`${named(row, label)} ${index}`}>
                  <th scope="row">{named(row, label)}</th>
                  <td className="bar">
                    <svg aria-hidden="true">
                      <rect className={each ? 'brest' : 'b2'} width={width(length)} height="10" y="3" rx="1" />
                      <rect
                        className={over(percent, at) ? 'bwarn' : 'b1'}
                        width={width((Math.min(percent, 100) * length) / 100)}
                        height="10"
                        y="3"
                        rx="1"
                      />
                      {at !== undefined && <rect className="btick" x={width(at)} width="2" height="16" />}
                    </svg>
                  </td>
                  {each && (
                    <td className={`num ${over(percent, at) ? 'flag' : ''}`}>
                      {percent.toFixed(1)}%{over(percent, at) && at !== undefined && <span className="sr"> ahead of the year</span>}
                    </td>
                  )}
                  {count && (
                    <td className="num" data-l={count.label.toLowerCase()}>
                      {number(amount(row, count.field))}
                    </td>
                  )}
                  <td className={`num ${each ? '' : 'hide-n'}`} data-l={part.label.toLowerCase()}>
                    {shortMoney(has)}
                  </td>
                  <td className={`num ${each ? 'hide-n' : ''}`} data-l={each ? whole.label.toLowerCase() : undefined}>
                    {shortMoney(of)}
                  </td>
                </tr>
              );
            })}
          </tbody>
          {data.length > 1 && (
            <tfoot>
              <tr>
                <th scope="row">All</th>
                <td />
                {each && <td className="num">{share(parts ?? 0, wholes ?? 0).toFixed(1)}%</td>}
                {count && <td className="num">{number(counted(data))}</td>}
                <td className={`num ${each ? '' : 'hide-n'}`}>{shortMoney(parts ?? 0)}</td>
                <td className={`num ${each ? 'hide-n' : ''}`}>{shortMoney(wholes ?? 0)}</td>
              </tr>
            </tfoot>
          )}
        </table>
      </div>
    </>
  );
}

const LOOK = { good: { legend: 'one', bar: 'b1' }, warn: { legend: 'warn', bar: 'bwarn' }, bad: { legend: 'bad', bar: 'bbad' } } as const;

function Stack({ chart, data }: { readonly chart: Extract<Chart, { kind: 'stack' }>; readonly data: readonly Row[] }) {
  const { parts, label } = chart;
  return (
    <>
      <Legend entries={parts.map((part) => ({ look: LOOK[part.look].legend, label: part.label }))} />
      <div className="fig-body">
        <table className="bars">
          <caption className="sr">{chart.title}</caption>
          <thead>
            <tr>
              <th scope="col">{labelForCode(label)}</th>
              <td />
              {parts.map((part) => (
                <th key={part.field} scope="col" className="num">
                  {part.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.map((row, index) => {
              const total = parts.reduce((sum, { field }) => sum + amount(row, field), 0);
              let from = 0;
              return (
                <tr key={`${named(row, label)} ${index}`}>
                  <th scope="row">{named(row, label)}</th>
                  <td className="bar">
                    <svg aria-hidden="true">
                      {parts.map(({ field, look }) => {
                        const size = total === 0 ? 0 : (amount(row, field) / total) * 100;
                        const x = from;
                        from += size;
                        return (
                          <rect
                            key={field}
                            className={LOOK[look].bar}
                            x={width(x)}
                            width={width(Math.max(0, size - 0.4))}
                            height="10"
                            y="3"
                            rx="1"
                          />
                        );
                      })}
                    </svg>
                  </td>
                  {parts.map(({ field, label: called }) => (
                    <td key={field} className="num" data-l={called.toLowerCase()}>
                      {number(amount(row, field))}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </>
  );
}

const TALL = 190;

function Waterfall({
  chart,
  summary,
}: {
  readonly chart: Extract<Chart, { kind: 'waterfall' }>;
  readonly summary: Readonly<Record<string, unknown>>;
}) {
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

export default function Figure({ chart, data, around, summary, note, complete, table, asTable, onSwitch }: FigureProps) {
  if (chart.kind === 'waterfall' && !summary) return table;
  const choose = (
    <div className="seg" role="group" aria-label="Show as">
      <button type="button" aria-pressed={!asTable} onClick={() => onSwitch(false)}>
        Chart
      </button>
      <button type="button" aria-pressed={asTable} onClick={() => onSwitch(true)}>
        Table
      </button>
    </div>
  );
  return (
    <figure className="fig">
      <div className="fig-head">
        <figcaption>
          <h3>{chart.title}</h3>
          <p>
            {note}
            {!complete && '. Incomplete: only the loaded rows are drawn.'}
          </p>
        </figcaption>
        {choose}
      </div>
      {asTable ? (
        <div className="fig-table">{table}</div>
      ) : chart.kind === 'parts' ? (
        <Parts chart={chart} data={data} around={around} />
      ) : chart.kind === 'stack' ? (
        <Stack chart={chart} data={data} />
      ) : (
        <Waterfall chart={chart} summary={summary ?? {}} />
      )}
    </figure>
  );
}
