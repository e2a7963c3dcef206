/** A table that sorts the loaded rows, loads more pages and copies CSV. On a phone each row is a list item. */
import { lazy, type ReactNode, Suspense, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { allColumns, type Column, compare, isFigure, type Row, tableColumns, type FieldHints } from '../lib/columns.ts';
import { csv } from '../lib/csv.ts';
import type { Schema } from '../lib/schema.ts';
import type { MaskInfo } from '../lib/tools.ts';
import { labelFor, joined, number } from '../lib/format.ts';
import { CopyButton } from './copy-button.tsx';
import { Grid, type Sorting } from './grid.tsx';
import { Icon } from './icon.tsx';
import type { ListMetadata } from '../lib/contract.ts';

const FullScreen = lazy(() => import('./full-screen.tsx'));
/** The number of columns of a full-screen table. */
const FULL = 9;
/** The longest filter value in a button, in characters. */
const LONGEST = 24;

export interface UsedFilter {
  readonly name: string;
  readonly value: string;
  readonly drop?: (() => void) | undefined;
}
export interface TableProps {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly schema: Schema;
  readonly whole: Schema;
  readonly masked?: readonly MaskInfo[];
  readonly metadata?: ListMetadata | undefined;
  /** The exact number of rows that match; undefined if it is not known. */
  readonly count?: number | undefined;
  /** Filters that this call does not use yet. */
  readonly filters?: readonly string[];
  /** Filters of this call. If no row matches, the user can remove each one. */
  readonly used?: readonly UsedFilter[];
  readonly onNarrow?: ((filter: string) => void) | undefined;
  readonly onMore?: (() => Promise<void>) | undefined;
  readonly more?: number;
  readonly trouble?: ReactNode;
  readonly beside?: ReactNode;
  readonly rowLink?: (row: Row) => string | undefined;
  readonly plural?: string;
  /** Replaces status codes by labels of the page. */
  readonly words?: Readonly<Record<string, string>>;
  readonly hints?: FieldHints | undefined;
  /** The columns with their order and labels. They replace the automatic choice. */
  readonly only?: Readonly<Record<string, Pick<Column, 'label'> & Partial<Pick<Column, 'kind'>>>>;
  /** Hides the heading, because the page has one. */
  readonly bare?: boolean;
}

const picked = (all: readonly Column[], only: NonNullable<TableProps['only']>): Column[] =>
  Object.entries(only).flatMap(([key, look]) => all.filter((column) => column.key === key).map((column) => ({ ...column, ...look })));

const waysOf = (column: Column): readonly [up: string, down: string] => {
  if (isFigure(column)) return ['low to high', 'high to low'];
  return ['date', 'time', 'ago'].includes(column.kind) ? ['oldest first', 'newest first'] : ['A to Z', 'Z to A'];
};

export function DataTable(props: TableProps) {
  const {
    title,
    rows,
    schema,
    whole,
    masked = [],
    metadata,
    count: counted = metadata?.count,
    filters = [],
    used = [],
    onNarrow,
    onMore,
    more = 50,
    trouble,
    beside,
    rowLink,
    plural = 'rows',
    words,
    hints,
    only,
    bare = false,
  } = props;
  const id = useId();
  const [sorting, setSorting] = useState<Sorting>();
  const [open, setOpen] = useState<ReadonlySet<Row>>(new Set());
  const [loading, setLoading] = useState(false);
  const [full, setFull] = useState(false);
  const further = useRef<HTMLButtonElement>(null);
  const said = useRef<HTMLSpanElement>(null);
  const pressed = useRef(false);
  const showMore = () => {
    if (loading || !onMore) return;
    pressed.current = true;
    setLoading(true);
    void onMore().finally(() => setLoading(false));
  };
  const all = useMemo(() => allColumns(schema, whole, { rows, masked }), [schema, whole, rows, masked]);
  const columns = useMemo(() => {
    if (only) return picked(all, only);
    const usual = tableColumns(all, rows, { hints });
    if (!full) return usual;
    // A field that the table does not show and that is masked for others stays in the details of its row.
    const shown = new Set(usual.map(({ key }) => key));
    return tableColumns(
      all.filter(({ key, mask }) => mask === undefined || shown.has(key)),
      rows,
      { most: FULL, hints },
    );
  }, [all, rows, full, hints, only]);
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
  // The button disappears with the last page. Then the focus moves to the row count.
  useLayoutEffect(() => {
    if (!hasMore && pressed.current && document.activeElement === document.body) said.current?.focus({ preventScroll: true });
  }, [hasMore]);
  const exact = counted !== undefined && counted > rows.length ? counted : undefined;

  if (rows.length === 0) {
    return (
      <section className="dt" aria-label={title}>
        <div className="empty">
          <Icon name="search" />
          <h3>{used.length > 0 ? `No ${plural} match` : `No ${plural}`}</h3>
          {used.length === 0 ? (
            <p>There are no rows that you may see.</p>
          ) : (
            <p>
              Filters: <bdi>{used.map(({ name, value }) => `${labelFor(name).toLowerCase()} ${value}`).join(', ')}</bdi>.
            </p>
          )}
          {used.some(({ drop }) => drop) && (
            <div className="row row-wrap center">
              {used.map(
                ({ name, value, drop }) =>
                  drop && (
                    <button key={name} className="btn btn--sm" type="button" onClick={drop}>
                      <span>
                        Remove “<bdi>{value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value}</bdi>”
                      </span>
                    </button>
                  ),
              )}
            </div>
          )}
        </div>
      </section>
    );
  }
  const table = (
    <section className={full ? 'dt dt--full' : 'dt'} aria-labelledby={id}>
      <div className={bare ? 'dt-head dt-head--bare' : 'dt-head'}>
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
            <option value="">Default order</option>
            {columns
              .filter(({ mask }) => !mask)
              .flatMap((column) => [
                <option key={`${column.key} up`} value={`${column.key} up`}>{`${column.label}, ${waysOf(column)[0]}`}</option>,
                <option key={`${column.key} down`} value={`${column.key} down`}>{`${column.label}, ${waysOf(column)[1]}`}</option>,
              ])}
          </select>
        </label>
        {beside}
        <CopyButton
          className="lg"
          label="Copy as CSV"
          text={() =>
            csv(
              columns.map(({ label }) => label),
              sorted.map((row) => columns.map(({ value }) => value(row))),
            )
          }
        />
        <button
          className="icon-btn lg"
          type="button"
          aria-label={full ? 'Exit full screen' : `Show ${title} full screen`}
          title={full ? 'Close' : 'Full screen'}
          onClick={() => setFull(!full)}
        >
          <Icon name={full ? 'x' : 'expand'} />
        </button>
      </div>
      {hasMore && (
        <div className="dt-note">
          <Icon name="warn" />
          <p>
            <b>
              Incomplete: the first {number(rows.length)} of {exact === undefined ? `more than ${number(rows.length)}` : number(exact)}.
            </b>{' '}
            Sorting covers these rows only.
          </p>
          {filters.length > 0 && (
            <div className="by" role="group" aria-label="Narrow by">
              Narrow by{' '}
              {onNarrow
                ? filters.slice(0, 6).map((filter) => (
                    <button key={filter} className="chip" type="button" onClick={() => onNarrow(filter)}>
                      {labelFor(filter)}
                    </button>
                  ))
                : joined(
                    filters.slice(0, 6).map((filter) => labelFor(filter).toLowerCase()),
                    'or',
                  )}
            </div>
          )}
        </div>
      )}
      {hasMore && onMore && (
        <button className="btn btn--sm dt-skip" type="button" onClick={() => further.current?.focus()}>
          Skip these rows
        </button>
      )}
      <Grid
        title={title}
        rows={sorted}
        all={all}
        columns={columns}
        whole={whole}
        sorting={sorting}
        onSort={sortBy}
        open={open}
        onToggle={toggle}
        Table={DataTable}
        {...(rowLink && { rowLink })}
        {...(words && { words })}
      />
      {trouble && <div className="p-5">{trouble}</div>}
      <div className="dt-foot">
        <span ref={said} className="grow" tabIndex={-1}>
          <b>{number(rows.length)}</b> {hasMore && `of ${exact === undefined ? `more than ${number(rows.length)}` : number(exact)} `}
          {rows.length === 1 && !hasMore ? 'row' : plural}
          {hasMore && sorting && '. Sorted within the loaded rows.'}
        </span>
        {hasMore && onMore && (
          <button ref={further} className="btn btn--sm" type="button" aria-disabled={loading} onClick={showMore}>
            {loading ? <span className="spin" aria-hidden="true" /> : null}
            Show {more} more
          </button>
        )}
      </div>
    </section>
  );
  if (!full) return table;
  return (
    <>
      <section className="dt" aria-label={`${title}, shown full screen`}>
        <div className="empty">
          <Icon name="expand" />
          <p>This table is shown full screen.</p>
        </div>
      </section>
      <Suspense fallback={null}>
        <FullScreen label={title} onClose={() => setFull(false)}>
          {table}
        </FullScreen>
      </Suspense>
    </>
  );
}
