/** Renders the answer of any tool from its output schema: as a table, details, a chart or an approval card. */
import { lazy, Suspense, useMemo, useState } from 'react';
import { isAnalysis } from '../lib/analysis.ts';
import { type Row, fieldHintsOf } from '../lib/columns.ts';
import { conditionText } from '../lib/conditions.ts';
import { dataSchema, fieldsOf, isRecord, ownFieldsOf, rowSchema } from '../lib/schema.ts';
import type { Found } from '../lib/tools.ts';
import { callTool, useCount, usePages } from '../lib/use-tool.ts';
import { labelFor } from '../lib/format.ts';
import { ApprovalCard } from './card.tsx';
import type { CardState } from '../server-pages/approval-card.ts';
import { DataTable } from './data-table.tsx';
import { Thing } from './details.tsx';
import { ErrorNotice } from './notice.tsx';
import { Summary } from './summary.tsx';
import type { Answer, SuccessAnswer } from '../lib/contract.ts';

const Figure = lazy(() => import('./chart/figure.tsx'));
const AnalysisView = lazy(() => import('./chart/analysis.tsx'));

interface AnswerProps {
  readonly tool: Found;
  readonly input: Readonly<Record<string, unknown>>;
  readonly answer: Answer;
  readonly requestId?: string;
  readonly again?: () => void;
  readonly onNarrow?: (filter: string) => void;
  /** Called with the input minus one filter. By default, the list itself calls the tool and shows the answer. */
  readonly onLoosen?: (input: AnswerProps['input']) => void;
  readonly onState?: (state: CardState) => void;
  /** The user opened this card, so its heading takes the focus. */
  readonly opened?: boolean;
}

const PAGING = new Set(['limit', 'cursor', 'sort', 'count']);

export function AnswerView({ tool, input, answer, requestId = '', again, onNarrow, onLoosen, onState, opened = false }: AnswerProps) {
  if (answer.status === 'error') return <ErrorNotice error={answer} requestId={requestId} again={again} />;
  if (answer.status === 'pending_confirmation')
    return <Pending tool={tool} input={input} first={answer.confirmationId} opened={opened} {...(onState && { onState })} />;
  if (Array.isArray(answer.data) && answer.data.every(isRecord))
    return (
      <List key={requestId} tool={tool} input={input} answer={answer} {...(onNarrow && { onNarrow })} {...(onLoosen && { onLoosen })} />
    );
  if (tool.kind === 'analyze' && isAnalysis(answer.data)) {
    return (
      <Suspense fallback={drawing}>
        <AnalysisView tool={tool} input={input} data={answer.data} Rows={AnswerView} />
      </Suspense>
    );
  }
  if (isRecord(answer.data)) return <One tool={tool} answer={answer} data={answer.data} />;
  return <pre className="json">{JSON.stringify(answer.data, null, 2)}</pre>;
}

/** Shows the card of a pending change. If the user prepares the change again, it shows the new card. */
function Pending({
  tool,
  input,
  first,
  onState,
  opened,
}: {
  readonly tool: Found;
  readonly input: AnswerProps['input'];
  readonly first: string;
  readonly onState?: (state: CardState) => void;
  readonly opened: boolean;
}) {
  const [id, setId] = useState(first);
  const [trouble, setTrouble] = useState<Answer>();
  const again = async () => {
    const { answer } = await callTool(tool.server, tool.name, { input });
    if (answer.status === 'pending_confirmation') setId(answer.confirmationId);
    else setTrouble(answer);
  };
  return (
    <>
      <ApprovalCard key={id} id={id} again={again} opened={opened} {...(onState && { onState })} />
      {trouble?.status === 'error' && (
        <div className="mt-5">
          <ErrorNotice error={trouble} />
        </div>
      )}
    </>
  );
}

const drawing = <div className="skeleton skeleton--figure" aria-hidden="true" />;

function List({
  tool,
  input,
  answer,
  onNarrow,
  onLoosen,
}: Pick<AnswerProps, 'tool' | 'input' | 'onNarrow' | 'onLoosen'> & { readonly answer: SuccessAnswer }) {
  const { rows, metadata, trouble, more } = usePages(answer, (cursor) => callTool(tool.server, tool.name, { input: { ...input, cursor } }));
  const count = useCount(tool, input, answer.metadata);
  const [asTable, setAsTable] = useState(false);
  const schema = dataSchema(tool.outputSchema);
  const fields = useMemo(() => fieldsOf(tool.inputSchema).filter(({ name }) => !PAGING.has(name)), [tool]);
  const filters = useMemo(
    () =>
      ownFieldsOf(tool.inputSchema)
        .map(({ name }) => name)
        .filter((name) => !PAGING.has(name) && !(name in input)),
    [tool, input],
  );
  const [wider, setWider] = useState<{ readonly input: AnswerProps['input']; readonly answer: Answer; readonly requestId: string }>();
  const hints = useMemo(() => fieldHintsOf(tool), [tool]);
  const limit = typeof input['limit'] === 'number' ? input['limit'] : 50;
  const name = tool.plural ?? 'rows';
  if (wider) return <AnswerView tool={tool} {...wider} {...(onNarrow && { onNarrow })} />;
  const used = fields
    .filter(({ name }) => name in input)
    .map(({ name, required }) => {
      const rest = Object.fromEntries(Object.entries(input).filter(([key]) => key !== name));
      const look = () => void callTool(tool.server, tool.name, { input: rest }).then((next) => setWider({ ...next, input: rest }));
      return {
        name,
        value: conditionText(input[name]),
        drop: required ? undefined : onLoosen ? () => onLoosen(rest) : look,
      };
    });
  const table = (
    <DataTable
      title={tool.title}
      rows={rows}
      schema={rowSchema(schema, tool.outputSchema)}
      whole={tool.outputSchema}
      masked={tool.masked}
      metadata={metadata}
      count={count}
      filters={filters}
      used={used}
      plural={name}
      hints={hints}
      more={limit}
      {...(onNarrow && { onNarrow })}
      onMore={more}
      trouble={trouble && <ErrorNotice error={trouble.answer} requestId={trouble.requestId} />}
    />
  );
  const summary = isRecord(metadata?.summary) && Object.keys(metadata.summary).length > 0 ? metadata.summary : undefined;
  if (!tool.chart || rows.length === 0) {
    return (
      <div className="stack">
        {summary && <Summary summary={summary} />}
        {table}
      </div>
    );
  }
  return (
    <div className="stack">
      <Suspense fallback={drawing}>
        <Figure
          chart={tool.chart}
          data={rows}
          summary={summary}
          table={table}
          asTable={asTable}
          onSwitch={setAsTable}
          note={figureNote(rows, tool)}
          complete={metadata?.hasMore !== true}
        />
      </Suspense>
    </div>
  );
}

/** Examples: "12 budgets, 2026" for one year or period, "2025 to 2026" for several. */
const figureNote = (rows: readonly Row[], { plural }: Found): string => {
  const years = new Set(rows.map((row) => row['fiscal_year'] ?? row['period']).filter((each) => each !== undefined));
  const [only] = years;
  const periods = [...years].map(String).sort();
  if (years.size === 1) return `${rows.length} ${plural ?? 'rows'}, ${String(only as string)}`;
  return years.size > 1 ? `${periods[0] ?? ''} to ${periods.at(-1) ?? ''}` : `${rows.length} ${plural ?? 'rows'}`;
};

function One({ tool, answer, data }: { readonly tool: Found; readonly answer: SuccessAnswer; readonly data: Record<string, unknown> }) {
  const [asTable, setAsTable] = useState(false);
  const schema = dataSchema(tool.outputSchema);
  const { chart } = tool;
  const at = chart && chart.kind !== 'waterfall' ? chart.rows : undefined;
  const rows = at === undefined ? [] : data[at];
  if (!chart || !Array.isArray(rows) || rows.length === 0) {
    return (
      <section className="panel panel--pad" aria-label={tool.title}>
        <Thing data={data} schema={schema} whole={tool.outputSchema} masked={tool.masked} Table={DataTable} />
        {isRecord(answer.metadata?.summary) && <Summary summary={answer.metadata.summary} />}
      </section>
    );
  }
  const field = fieldsOf(schema, tool.outputSchema).find(({ name }) => name === at);
  const table = (
    <DataTable
      title={labelFor(at ?? '')}
      rows={rows as readonly Row[]}
      schema={rowSchema(field?.schema ?? {}, tool.outputSchema)}
      whole={tool.outputSchema}
      plural="rows"
    />
  );
  return (
    <div className="stack">
      <Suspense fallback={drawing}>
        <Figure
          chart={chart}
          data={rows as readonly Row[]}
          around={data}
          table={table}
          asTable={asTable}
          onSwitch={setAsTable}
          note={noteOf(data)}
          complete
        />
      </Suspense>
      <details className="more">
        <summary>All figures</summary>
        <section className="panel panel--pad" aria-label={tool.title}>
          <Thing data={data} schema={schema} whole={tool.outputSchema} masked={tool.masked} Table={DataTable} without={at} />
        </section>
      </details>
    </div>
  );
}

const noteOf = (data: Readonly<Record<string, unknown>>): string =>
  ['department', 'quarter', 'fiscal_year', 'period']
    .map((key) => data[key])
    .filter((each): each is string | number => typeof each === 'string' || typeof each === 'number')
    .join(', ');
