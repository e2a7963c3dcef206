import { Fragment, type ReactNode, useId, useMemo, useState } from 'react';
import type { ListMetadata } from '../../src/core/answer.ts';
import { allColumns, type Column, compare, inPlain, isFigure, isHidden, type Row, tableColumns } from '../lib/columns.ts';
import { csv } from '../lib/csv.ts';
import type { Schema } from '../lib/schema.ts';
import type { MaskInfo } from '../lib/tools.ts';
import { inWords, joined, money, number } from '../lib/words.ts';
import { CopyButton } from './copy-button.tsx';
import { Details } from './details.tsx';
import { Icon } from './icon.tsx';
import { Value } from './value.tsx';

export interface TableProps {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly schema: Schema;
  readonly whole: Schema;
  readonly masked?: readonly MaskInfo[];
  readonly metadata?: ListMetadata | undefined;
  /** Filters that are not used yet. */
  readonly filters?: readonly string[];
  readonly onNarrow?: ((filter: string) => void) | undefined;
  readonly onMore?: (() => Promise<void>) | undefined;
  readonly more?: number;
  readonly trouble?: ReactNode;
  readonly beside?: ReactNode;
  readonly rowLink?: (row: Row) => string | undefined;
  readonly plural?: string;
}

interface Sorting {
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
    <th scope="col" className={`${isFigure(column) ? 'num' : ''} ${place}`.trim() || undefined} aria-sort={sort} role="columnheader">
      {column.mask ? (
        <span>
          {column.label}
          <Icon name="lock" className="keep" />
        </span>
      ) : (
        <button type="button" onClick={onSort}>
          {column.label}
          <Icon name="sort" />
        </button>
      )}
    </th>
  );
};

/** Columns that go first where there is little room: the later ones, but never the last. */
const placeOf = (at: number, count: number): string => (at === 0 ? '' : at === count - 1 ? '' : at > 3 ? 'p3' : at > 2 ? 'p2' : '');

/** Rows as a table that sorts what is loaded, pages by the cursor, and says what it does not hold. On a phone each row is a list item. */
export function DataTable(props: TableProps) {
  const {
    title,
    rows,
    schema,
    whole,
    masked = [],
    metadata,
    filters = [],
    onNarrow,
    onMore,
    more = 50,
    trouble,
    beside,
    rowLink,
    plural = 'rows',
  } = props;
  const id = useId();
  const [sorting, setSorting] = useState<Sorting>();
  const [open, setOpen] = useState<ReadonlySet<Row>>(new Set());
  const [loading, setLoading] = useState(false);
  const all = useMemo(() => allColumns(schema, whole, rows, masked), [schema, whole, rows, masked]);
  const columns = useMemo(() => tableColumns(all, rows), [all, rows]);
  const sorted = useMemo(() => {
    const column = columns.find(({ key }) => key === sorting?.key);
    if (!sorting || !column) return rows;
    return rows.toSorted((a, b) => {
      const order = compare(column.value(a), column.value(b));
      return sorting.down && column.value(a) != null && column.value(b) != null ? -order : order;
    });
  }, [rows, columns, sorting]);
  const sortBy = (key: string) =>
    setSorting((before) => (before?.key !== key ? { key, down: false } : before.down ? undefined : { key, down: true }));
  const toggle = (row: Row) =>
    setOpen((before) => {
      const next = new Set(before);
      if (!next.delete(row)) next.add(row);
      return next;
    });
  const hasMore = metadata?.hasMore === true;
  const amounts = columns.filter(({ kind }) => kind === 'money');
  const [only] = amounts;
  const sum =
    amounts.length === 1 && only && !rows.some((row) => isHidden(only.value(row)))
      ? Math.round(rows.reduce((total, row) => total + Number(only.value(row) ?? 0), 0) * 100) / 100
      : undefined;
  const rest = all.length > columns.length;

  if (rows.length === 0) {
    return (
      <section className="dt" aria-label={title}>
        <div className="empty">
          <Icon name="search" />
          <h3>No {plural} match</h3>
          <p>{filters.length > 0 ? 'Nothing that you can see fits these filters.' : 'There is nothing here that you can see.'}</p>
        </div>
      </section>
    );
  }
  return (
    <section className="dt" aria-labelledby={id}>
      <div className="dt-head">
        <h3 id={id} className="grow">
          {title}
        </h3>
        <label className="dt-sort">
          <span className="sr">Sort by</span>
          <select
            className="select"
            value={sorting ? `${sorting.key} ${sorting.down ? 'down' : 'up'}` : ''}
            onChange={({ target }) => {
              const [key, way] = target.value.split(' ');
              setSorting(key ? { key, down: way === 'down' } : undefined);
            }}
          >
            <option value="">As it came</option>
            {columns
              .filter(({ mask }) => !mask)
              .flatMap((column) => [
                <option
                  key={`${column.key} up`}
                  value={`${column.key} up`}
                >{`${column.label}, ${isFigure(column) ? 'low to high' : 'A to Z'}`}</option>,
                <option
                  key={`${column.key} down`}
                  value={`${column.key} down`}
                >{`${column.label}, ${isFigure(column) ? 'high to low' : 'Z to A'}`}</option>,
              ])}
          </select>
        </label>
        {beside}
        <CopyButton
          className="lg"
          label="Copy as CSV"
          text={() =>
            csv(
              all.map(({ key }) => key),
              sorted.map((row) => all.map(({ key }) => row[key])),
            )
          }
        />
      </div>
      {hasMore && (
        <div className="dt-note">
          <Icon name="warn" />
          <p>
            <b>
              Incomplete: the first {number(rows.length)} of more than {number(rows.length)}.
            </b>{' '}
            Totals and sorting cover these rows only.
          </p>
          {filters.length > 0 && (
            <div className="by">
              Narrow by{' '}
              {onNarrow
                ? filters.slice(0, 6).map((filter) => (
                    <button key={filter} className="chip" type="button" onClick={() => onNarrow(filter)}>
                      {inWords(filter)}
                    </button>
                  ))
                : joined(
                    filters.slice(0, 6).map((filter) => inWords(filter).toLowerCase()),
                    'or',
                  )}
            </div>
          )}
        </div>
      )}
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
                  onSort={() => sortBy(column.key)}
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
            {sorted.map((row, index) => (
              // Rows are added at the end and never change, but two may be alike.
              <Fragment key={`${String(row[all[0]?.key ?? ''] as string)} ${index}`}>
                <tr role="row">
                  {columns.map((column, at) => {
                    const main = at === 0;
                    const end = !main && at === columns.length - 1;
                    const link = main ? rowLink?.(row) : undefined;
                    const shown = <Value column={column} value={column.value(row)} />;
                    return (
                      <td
                        key={column.key}
                        role="cell"
                        className={
                          [isFigure(column) && 'num', main && 'cell-main', end && 'cell-end', placeOf(at, columns.length)]
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
                        aria-label={`All fields of ${inPlain(columns[0]?.value(row), columns[0]?.kind ?? 'text') ?? 'this row'}`}
                        onClick={() => toggle(row)}
                      >
                        <Icon name="chev" className={open.has(row) ? 'turned' : ''} />
                      </button>
                    </td>
                  )}
                </tr>
                {open.has(row) && (
                  <tr role="row" className="t-open">
                    <td role="cell" colSpan={columns.length + 1}>
                      <Details columns={all} row={row} whole={whole} />
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
      {trouble && <div className="p-3">{trouble}</div>}
      <div className="dt-foot">
        <span className="grow">
          <b>{number(rows.length)}</b> {hasMore ? `${plural} loaded` : `${plural}, complete`}
          {sum !== undefined && rows.length > 1 && `, ${money(sum)} in ${hasMore ? 'these' : 'all'}`}
          {hasMore && sorting && '. Sorted within the loaded rows.'}
        </span>
        {hasMore && onMore && (
          <button
            className="btn btn--sm"
            type="button"
            disabled={loading}
            onClick={() => {
              setLoading(true);
              void onMore().finally(() => setLoading(false));
            }}
          >
            {loading ? <span className="spin" aria-hidden="true" /> : null}
            Show {more} more
          </button>
        )}
      </div>
    </section>
  );
}
