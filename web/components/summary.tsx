/** Shows the totals of all matching rows, not only of the loaded ones. */
import { allColumns } from '../lib/columns.ts';
import { Value } from './value.tsx';

const AMOUNT = /amount|allocated|spent|remaining|arr|mrr|value|total_due|paid|liability|revenue|gross|net|taxes|deductions|pay$/;

export function Summary({ summary }: { readonly summary: Readonly<Record<string, unknown>> }) {
  const columns = allColumns({}, {}, { rows: [summary], masked: [] }).filter(({ kind }) => kind !== 'inner');
  if (columns.length === 0) return null;
  return (
    <dl className="totals" aria-label="Totals of all matching rows">
      {columns.map((column) => {
        const value = column.value(summary);
        const money = typeof value === 'number' && AMOUNT.test(column.key) && !/count|percent/.test(column.key);
        return (
          <div key={column.key}>
            <dt>{column.label}</dt>
            <dd className="num">
              <Value column={money ? { ...column, kind: 'money' } : column} value={value} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
