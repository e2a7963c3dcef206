/** All fields of one record: short values in two columns, long texts and nested lists below. */
import type { ComponentType } from 'react';
import { allColumns, type Column, empty, isHidden, type Row, WORDY } from '../lib/columns.ts';
import { isRecord, resolveSchema, rowSchema, type Schema } from '../lib/schema.ts';
import type { MaskInfo } from '../lib/tools.ts';
import { DataText, Value } from './value.tsx';

/** Renders a list inside a record. It is a property because an import would be a cycle. */
export type NestedTable = ComponentType<{
  readonly title: string;
  readonly rows: readonly Row[];
  readonly schema: Schema;
  readonly whole: Schema;
  readonly plural: string;
}>;

const DEEPEST = 6;
const isWordy = (value: unknown) => typeof value !== 'string' || value.length > WORDY;

export function Details({
  columns,
  row,
  whole,
  Table,
  depth = 0,
  without,
}: {
  readonly columns: readonly Column[];
  readonly row: Row;
  readonly whole: Schema;
  readonly Table: NestedTable;
  readonly depth?: number;
  readonly without?: string | undefined;
}) {
  const shown = columns.filter(({ key }) => key !== without && !key.startsWith('_') && key !== 'highlights');
  const short = shown.filter(
    ({ kind, value, untrusted }) =>
      kind !== 'inner' && !((kind === 'long' || (untrusted && isWordy(value(row)))) && !empty(value(row)) && !isHidden(value(row))),
  );
  const long = shown.filter((column) => !short.includes(column) && column.kind !== 'inner');
  const inner = shown.filter(({ kind }) => kind === 'inner');
  return (
    <div className="details">
      {short.length > 0 && (
        <dl className="kv">
          {short.map((column) => (
            <div key={column.key} className="contents">
              <dt>{column.label}</dt>
              <dd className={column.kind === 'money' || column.kind === 'number' ? 'num' : undefined}>
                <Value column={column} value={column.value(row)} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {long.map((column) => (
        <DataText key={column.key} from={column.label}>
          {String(column.value(row) as string)}
        </DataText>
      ))}
      {inner.map((column) => (
        <Inner key={column.key} column={column} value={column.value(row)} whole={whole} Table={Table} depth={depth} />
      ))}
    </div>
  );
}

function Inner({
  column,
  value,
  whole,
  Table,
  depth,
}: {
  readonly column: Column;
  readonly value: unknown;
  readonly whole: Schema;
  readonly Table: NestedTable;
  readonly depth: number;
}) {
  if (empty(value)) return null;
  if (depth > DEEPEST) return <pre className="json">{JSON.stringify(value, null, 2)}</pre>;
  if (Array.isArray(value) && value.every(isRecord)) {
    const rows = value as readonly Row[];
    const schema = rowSchema(column.schema, whole);
    // The value is a tree: its rows have children under the same key.
    if (rows.some((row) => Array.isArray(row[column.key])))
      return <Tree label={column.label} at={column.key} rows={rows} schema={schema} whole={whole} depth={depth} />;
    return <Table title={column.label} rows={rows} schema={schema} whole={whole} plural="entries" />;
  }
  if (isRecord(value)) {
    return (
      <section className="inner">
        <h4>{column.label}</h4>
        <Details
          columns={allColumns(resolveSchema(column.schema, whole), whole, { rows: [value], masked: [] })}
          row={value}
          whole={whole}
          Table={Table}
          depth={depth + 1}
        />
      </section>
    );
  }
  return <pre className="json">{JSON.stringify(value, null, 2)}</pre>;
}

function Tree({
  label,
  at,
  rows,
  schema,
  whole,
  depth,
}: {
  readonly label: string;
  readonly at: string;
  readonly rows: readonly Row[];
  readonly schema: Schema;
  readonly whole: Schema;
  readonly depth: number;
}) {
  return (
    <ul className="tree" aria-label={label}>
      {rows.map((row, index) => {
        const columns = allColumns(schema, whole, { rows: [row], masked: [] });
        const names = columns.filter(({ key, kind }) => kind === 'text' && key !== at);
        const [first, ...others] = names.map((column) => column.value(row)).filter((each) => !empty(each));
        const inside = Array.isArray(row[at]) ? (row[at] as Row[]) : [];
        const line = (
          <>
            <b className="medium">{String(first as string)}</b> <span className="faint">{others.map(String).join(', ')}</span>
          </>
        );
        return (
          <li key={`${String(first as string)} ${index}`}>
            {inside.length > 0 && depth < DEEPEST ? (
              <details open={depth < 1}>
                <summary>
                  {line} <span className="badge">{inside.length}</span>
                </summary>
                <Tree label={label} at={at} rows={inside} schema={schema} whole={whole} depth={depth + 1} />
              </details>
            ) : (
              line
            )}
          </li>
        );
      })}
    </ul>
  );
}

export function Thing({
  data,
  schema,
  whole,
  masked,
  Table,
  without,
}: {
  readonly data: Row;
  readonly schema: Schema;
  readonly whole: Schema;
  readonly masked: readonly MaskInfo[];
  readonly Table: NestedTable;
  readonly without?: string | undefined;
}) {
  return <Details columns={allColumns(schema, whole, { rows: [data], masked })} row={data} whole={whole} Table={Table} without={without} />;
}
