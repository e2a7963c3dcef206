/** The header, rows and cells of a data table, and the details of an expanded row. */
import { Fragment } from 'react';
import { type Column, empty, valueText, isFigure, type Row } from '../lib/columns.ts';
import type { Schema } from '../lib/schema.ts';
import { number } from '../lib/format.ts';
import { Details, type NestedTable } from './details.tsx';
import { Icon } from './icon.tsx';
import { Value } from './value.tsx';

export interface Sorting {
  readonly key: string;
  readonly down: boolean;
}

const Head = ({
  column,
  sorting,
  onSort,
  place,
}: {
  readonly place: string;
  readonly column: Column;
  readonly sorting: Sorting | undefined;
  readonly onSort: () => void;
}) => {
  const active = sorting?.key === column.key;
  const sort = active ? (sorting.down ? 'descending' : 'ascending') : undefined;
  return (
    // On a phone a select replaces the sort button, so the header needs its own name.
    <th
      scope="col"
      className={`${isFigure(column) ? 'num' : ''} ${place}`.trim() || undefined}
      aria-label={column.label}
      aria-sort={sort}
      role="columnheader"
    >
      {column.mask ? (
        <span>
          {column.label}
          <Icon name="lock" className="keep" />
        </span>
      ) : (
        <>
          <button type="button" onClick={onSort}>
            {column.label}
            <Icon name="sort" />
          </button>
          <span className="t-name">{column.label}</span>
        </>
      )}
    </th>
  );
};

/** The CSS class that hides a column in a narrow table. The first three and the last column stay visible. */
const placeOf = (at: number, count: number): string => (at === 0 ? '' : at === count - 1 ? '' : at > 3 ? 'p3' : at > 2 ? 'p2' : '');

interface GridProps {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly all: readonly Column[];
  readonly columns: readonly Column[];
  readonly whole: Schema;
  readonly sorting: Sorting | undefined;
  readonly onSort: (key: string) => void;
  readonly open: ReadonlySet<Row>;
  readonly onToggle: (row: Row) => void;
  readonly rowLink?: (row: Row) => string | undefined;
  readonly words?: Readonly<Record<string, string>>;
  /** Renders the lists inside an expanded row. */
  readonly Table: NestedTable;
}

export function Grid({ title, rows, all, columns, whole, sorting, onSort, open, onToggle, rowLink, words, Table }: GridProps) {
  const rest = all.length > columns.length;
  return (
    <div className="dt-scroll" tabIndex={0} role="region" aria-label={`${title}, ${number(rows.length)} rows`}>
      <table className="t" role="table">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column, at) => (
              <Head
                key={column.key}
                place={placeOf(at, columns.length)}
                column={column}
                sorting={sorting}
                onSort={() => onSort(column.key)}
              />
            ))}
            {rest && (
              <th scope="col" role="columnheader" className="t-more">
                <span className="sr">All fields</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row, index) => (
            // Two rows can be equal, so the key contains the index.
            <Fragment key={`${String(row[all[0]?.key ?? ''] as string)} ${index}`}>
              <tr
                role="row"
                className={rest ? 't-opens' : undefined}
                onClick={({ target }) => {
                  // The chevron is the control for keyboards. A click that selects text, or that is for a control, opens nothing.
                  const isControl = target instanceof Element && target.closest('a, button, input, select, label') !== null;
                  if (rest && !isControl && getSelection()?.isCollapsed !== false) onToggle(row);
                }}
              >
                {columns.map((column, at) => {
                  const main = at === 0;
                  const end = !main && at === columns.length - 1;
                  const link = main ? rowLink?.(row) : undefined;
                  const shown = <Value column={column} value={column.value(row)} {...(words && { words })} />;
                  return (
                    <td
                      key={column.key}
                      role="cell"
                      className={
                        [
                          isFigure(column) && 'num',
                          main && 'cell-main',
                          end && 'cell-end',
                          !main && !end && empty(column.value(row)) && 'cell-off',
                          placeOf(at, columns.length),
                        ]
                          .filter(Boolean)
                          .join(' ') || undefined
                      }
                      data-l={main || end || column.kind === 'status' || column.kind === 'text' ? undefined : column.label.toLowerCase()}
                    >
                      {link ? (
                        <a className="rowlink" href={link}>
                          {shown}
                        </a>
                      ) : (
                        shown
                      )}
                    </td>
                  );
                })}
                {rest && (
                  <td role="cell" className="t-more">
                    <button
                      className="icon-btn"
                      type="button"
                      aria-expanded={open.has(row)}
                      aria-label={`All fields of ${valueText(columns[0]?.value(row), columns[0]?.kind ?? 'text') ?? 'this row'}`}
                      onClick={() => onToggle(row)}
                    >
                      <Icon name="chev" className={open.has(row) ? 'turned' : ''} />
                    </button>
                  </td>
                )}
              </tr>
              {open.has(row) && (
                <tr role="row" className="t-open">
                  <td role="cell" colSpan={columns.length + 1}>
                    <Details columns={all} row={row} whole={whole} Table={Table} />
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}
