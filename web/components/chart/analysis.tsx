/** Shows an analysis as the chart that fits, with its figures as a table. A figure opens the rows that it was made from. */
import { type ComponentType, useState } from 'react';
import {
  type Analysis,
  columnOf,
  decimalsFor,
  type FigureColumn,
  type FigureRow,
  figureText,
  groupText,
  type Opener,
} from '../../lib/analysis.ts';
import { useApp } from '../../lib/app.tsx';
import { conditionText } from '../../lib/conditions.ts';
import type { Answer } from '../../lib/contract.ts';
import { csv } from '../../lib/csv.ts';
import { count, day, labelFor, number } from '../../lib/format.ts';
import { isRecord } from '../../lib/schema.ts';
import { type Found, findTool } from '../../lib/tools.ts';
import { canCount, useTool } from '../../lib/use-tool.ts';
import { CopyButton } from '../copy-button.tsx';
import { Icon } from '../icon.tsx';
import { Bars, BigFigures, flatRows, OverTime, type Opened, Stacked, wayOf } from './analysis-charts.tsx';
import { FigureTable } from './figure-table.tsx';
import { Frame } from './frame.tsx';

/** Renders the rows behind a figure. It is a property because an import would be a cycle. */
type RowsView = ComponentType<{
  readonly tool: Found;
  readonly input: Readonly<Record<string, unknown>>;
  readonly answer: Answer;
  readonly requestId?: string;
  readonly title?: string;
}>;

interface AnalysisProps {
  readonly tool: Found;
  readonly input: Readonly<Record<string, unknown>>;
  readonly data: Analysis;
  readonly Rows: RowsView;
}

function noteOf(
  { rows, totals, group_count: groups, compared }: Analysis,
  plural: string,
  where: Readonly<Record<string, unknown>>,
): string {
  const filters = Object.entries(where).map(([name, value]) => `${labelFor(name).toLowerCase()} ${conditionText(value)}`);
  const counted = totals?.['count'];
  return [
    typeof counted === 'number' ? `${number(counted)} ${plural}` : undefined,
    totals === undefined || groups < 2
      ? undefined
      : rows.length < groups
        ? `${number(rows.length)} of ${count(groups, 'group')}`
        : count(groups, 'group'),
    ...filters,
    compared && `compared with ${day(compared.previous_from)} to ${day(compared.previous_to)}`,
  ]
    .filter(Boolean)
    .join(', ');
}

const isFigureColumn = ({ role, type }: FigureColumn) => role !== 'group' || type === 'whole' || type === 'number';

function AllFigures({
  data,
  opened,
  onOpen,
}: {
  readonly data: Analysis;
  readonly opened: Opened | undefined;
  readonly onOpen: (opened: Opened) => void;
}) {
  const { columns, rows, totals, title } = data;
  const cells = (row: FigureRow) =>
    columns.map((column) => ({
      text: column.role === 'group' ? groupText(row[column.name], column) : figureText(row[column.name], column, decimalsFor(column, rows)),
      isFigure: isFigureColumn(column),
    }));
  return (
    <FigureTable
      title={title}
      columns={columns.map((column) => ({ label: column.label, isFigure: isFigureColumn(column) }))}
      rows={flatRows(data).map(({ key, label, row, opens }) => ({
        key,
        cells: cells(row),
        isOpen: opened?.key === key,
        onOpen: opens ? () => onOpen({ key, label, opens }) : undefined,
      }))}
      totals={totals && cells(totals).map((cell, at) => (columns[at]?.role === 'group' ? { ...cell, text: at === 0 ? 'All' : '' } : cell))}
    />
  );
}

/** The rows of the list that belong to a figure, with their exact count. */
function OpenedRows({
  server,
  opened,
  onClose,
  Rows,
}: {
  readonly server: string;
  readonly opened: Opened;
  readonly onClose: () => void;
  readonly Rows: RowsView;
}) {
  const { servers } = useApp();
  const list = findTool(servers, server, opened.opens.tool);
  const { answer, requestId } = useTool(server, opened.opens.tool, list && withCount(opened.opens, list));
  if (!list) return null;
  return (
    <section className="fig-rows" aria-label={`${list.title}: ${opened.label}`}>
      <div className="row between">
        <h4 tabIndex={-1} ref={(heading) => heading?.focus({ preventScroll: true })}>
          <bdi>{opened.label}</bdi>
        </h4>
        <span className="row">
          <a
            className="btn btn--quiet btn--sm"
            href={`/tools/${server}/${list.name}?${new URLSearchParams({ input: JSON.stringify(opened.opens.input) })}`}
          >
            <Icon name="tools" className="i-14" />
            Open list
          </a>
          <button className="btn btn--quiet btn--sm" type="button" onClick={onClose}>
            <Icon name="x" className="i-14" />
            Close
          </button>
        </span>
      </div>
      {answer ? (
        <Rows key={requestId} tool={list} input={opened.opens.input} answer={answer} requestId={requestId} />
      ) : (
        <div className="skeleton skeleton--figure" aria-hidden="true" />
      )}
    </section>
  );
}
const withCount = ({ input }: Opener, list: Found) => ({ ...input, ...(canCount(list) && { count: true }) });

export default function AnalysisView({ tool, input, data, Rows }: AnalysisProps) {
  const { servers } = useApp();
  const [asTable, setAsTable] = useState(false);
  const [opened, setOpened] = useState<Opened>();
  const where = isRecord(input['where']) ? input['where'] : {};
  const plural = findTool(servers, tool.server, data.of)?.plural ?? 'rows';
  const { columns, rows, title, totals, chart } = data;
  const measure = columnOf(
    data,
    chart.measures.find((name) => columnOf(data, name)?.type !== 'day'),
  );
  const toggle = (next: Opened) => setOpened((before) => (before?.key === next.key ? undefined : next));
  if (rows.length === 0) {
    return (
      <section className="dt" aria-label={title}>
        <div className="empty">
          <Icon name="search" />
          <h3>No {plural} match</h3>
          <p>{noteOf(data, plural, where) || 'There are no rows that you may see.'}</p>
        </div>
      </section>
    );
  }
  const way = measure === undefined ? 'table' : wayOf(data, input, measure.name);
  const shared = { data, where, opened, onOpen: toggle };
  const cut = rows.length < data.group_count;
  const foot = (
    <>
      {cut && (
        <p className="small muted grow">
          The first {number(rows.length)} of {number(data.group_count)} groups. {totals && 'The totals cover all of them.'}
        </p>
      )}
      <CopyButton
        label="Copy as CSV"
        text={() =>
          csv(
            columns.map(({ label }) => label),
            rows.map((row) => columns.map((column) => (column.role === 'group' ? groupText(row[column.name], column) : row[column.name]))),
          )
        }
      />
      <a
        className="btn btn--quiet btn--sm fig-tools"
        href={`/tools/${tool.server}/${tool.name}?${new URLSearchParams({ input: JSON.stringify(input) })}`}
      >
        <Icon name="tools" className="i-14" />
        Open in Tools
      </a>
    </>
  );
  return (
    <div className="stack">
      <Frame
        title={title}
        note={noteOf(data, plural, where)}
        asTable={asTable || way === 'table'}
        onSwitch={setAsTable}
        isSingle={way === 'figure' || way === 'table'}
        foot={foot}
      >
        {asTable || way === 'table' || measure === undefined ? (
          <AllFigures data={data} opened={opened} onOpen={toggle} />
        ) : way === 'figure' ? (
          <BigFigures {...shared} />
        ) : way === 'columns' || way === 'lines' ? (
          <OverTime {...shared} measure={measure} kind={way} />
        ) : way === 'stacked' ? (
          <Stacked {...shared} measure={measure} isSorted={'sort' in input} />
        ) : (
          <Bars {...shared} measure={measure} />
        )}
      </Frame>
      {opened && <OpenedRows key={opened.key} server={tool.server} opened={opened} onClose={() => setOpened(undefined)} Rows={Rows} />}
    </div>
  );
}
