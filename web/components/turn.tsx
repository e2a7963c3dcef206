/** One question with its answer: text, tool calls, tables, charts and approval cards. */
import { type ComponentProps, lazy, memo, Suspense, useState } from 'react';
import { useApp } from '../lib/app.tsx';
import { allColumns, type Column, fieldHintsOf, isHidden, type Row, tableColumns, valueText } from '../lib/columns.ts';
import { dataSchema, isRecord, rowSchema } from '../lib/schema.ts';
import { type Found, findTool } from '../lib/tools.ts';
import type { ToolUse, Turn } from '../lib/turns.ts';
import { callTool } from '../lib/use-tool.ts';
import { initials, moment } from '../lib/format.ts';
import { CopyButton } from './copy-button.tsx';
import { Icon } from './icon.tsx';
import { Notice, ErrorNotice } from './notice.tsx';
import { Prose } from './prose.tsx';
import { ToolChip } from './tool-chip.tsx';
import type { Answer } from '../lib/contract.ts';

/** Loads with the first answer that has tool results. */
const Loaded = lazy(() => import('./answer-view.tsx').then((part) => ({ default: part.AnswerView })));
const AnswerView = (props: ComponentProps<typeof Loaded>) => (
  <Suspense fallback={<div className="skeleton skeleton--figure" aria-hidden="true" />}>
    <Loaded {...props} />
  </Suspense>
);

interface TurnProps {
  readonly turn: Turn;
  /** The question of the next turn. It marks the choice that the user made in this turn. */
  readonly next: string | undefined;
  readonly last: boolean;
  readonly onAsk: (question: string) => void;
  readonly onNarrow: (filter: string) => void;
}

const LIMITS: Readonly<Record<string, string>> = {
  calls: 'I stopped after 12 look-ups. This is what I have; ask for a smaller part to go on.',
  time: 'I stopped after a minute. This is what I have; ask for a smaller part to go on.',
  tokens: 'I stopped because this question grew too large. This is what I have; ask for a smaller part to go on.',
  length: 'The answer became too long. This is what I have; ask for a smaller part to go on.',
};
const MOST_CHOICES = 6;

/** Its answer has a chart. */
const isDrawn = (tool: Found | undefined): boolean => tool !== undefined && (tool.chart !== null || tool.kind === 'analyze');

/** Selects the tool results to show. If there are cards, it selects only the cards, otherwise all charts and the last other result. */
function shownOf(uses: readonly ToolUse[], find: (use: ToolUse) => Found | undefined): ToolUse[] {
  const cards = uses.filter(({ answer }) => answer?.status === 'pending_confirmation');
  if (cards.length > 0) return cards;
  const good = uses.filter(({ answer }) => answer?.status === 'success');
  const last = good.filter((use) => !isDrawn(find(use))).at(-1);
  return good.filter((use) => isDrawn(find(use)) || use === last);
}

interface RowChoice {
  readonly name: string;
  readonly beside: string;
  /** The next question: what tells the row from the others. */
  readonly answer: string;
}

/** If the answer ends with a question, the rows of the last tool call become choices. */
function choicesOf({ text, uses, state }: Turn, find: (use: ToolUse) => Found | undefined): RowChoice[] {
  const last = uses.at(-1);
  const { answer } = last ?? {};
  if (state !== 'done' || !/\?\s*$|which one/i.test(text) || answer?.status !== 'success' || !Array.isArray(answer.data)) return [];
  const rows = answer.data.filter(isRecord);
  if (rows.length < 2 || rows.length > MOST_CHOICES) return [];
  const tool = last && find(last);
  const whole = tool?.outputSchema ?? {};
  const all = allColumns(rowSchema(dataSchema(whole), whole), whole, { rows, masked: tool?.masked ?? [] });
  const [main, ...others] = tableColumns(all, rows, tool && { hints: fieldHintsOf(tool) });
  if (main === undefined) return [];
  const number = all.find(({ key, value }) => key.endsWith('_number') && new Set(rows.map(value)).size === rows.length);
  const textIn = (row: Row, { kind, value }: Column) => (isHidden(value(row)) ? undefined : valueText(value(row), kind));
  const named = rows.map((row) => ({ row, name: textIn(row, main) ?? '' }));
  return named
    .filter(({ name }) => name !== '')
    .map(({ row, name }) => {
      const isShared = named.filter((each) => each.name === name).length > 1;
      const beside = [...(number && isShared ? [number] : []), ...others].flatMap((column) => textIn(row, column) ?? []).join(', ');
      const told = isShared ? ((number && textIn(row, number)) ?? (beside === '' ? name : `${name}, ${beside}`)) : name;
      return { name, beside, answer: told };
    });
}

/** A stored result may be truncated and old, so this offers to call the tool again. */
function StoredResult({ use, tool }: { readonly use: ToolUse; readonly tool: Found }) {
  const [fresh, setFresh] = useState<{ readonly answer: Answer; readonly requestId: string }>();
  const [busy, setBusy] = useState(false);
  if (use.answer?.status === 'pending_confirmation') return <AnswerView tool={tool} input={use.input} answer={use.answer} />;
  if (fresh) return <AnswerView key={fresh.requestId} tool={tool} input={use.input} answer={fresh.answer} requestId={fresh.requestId} />;
  if (!tool.annotations.readOnlyHint) return null;
  const load = async () => {
    setBusy(true);
    setFresh(await callTool(use.server, use.tool, { input: use.input }).finally(() => setBusy(false)));
  };
  return (
    <p>
      <button className="btn btn--sm" type="button" disabled={busy} onClick={() => void load()}>
        <Icon name="table" className="i-14" />
        {tool.title}: show current data
      </button>
    </p>
  );
}

export const TurnView = memo(({ turn, next, last, onAsk, onNarrow }: TurnProps) => {
  const { me, servers } = useApp();
  const find = (use: ToolUse) => findTool(servers, use.server, use.tool);
  const { question, text, uses, down, error, state, reason } = turn;
  const shown = shownOf(uses, find);
  const choices = choicesOf(turn, find);
  const hasTable = shown.some(
    (use) => use.answer?.status === 'success' && (Array.isArray(use.answer.data) ? find(use) : isDrawn(find(use))),
  );
  const failed =
    state === 'done' && text === ''
      ? uses.flatMap(({ answer, requestId = '' }) => (answer?.status === 'error' ? [{ answer, requestId }] : [])).at(-1)
      : undefined;
  // A pending card or a choice is the next step, so "Copy" and "Ask again" are hidden.
  const waits = shown.some(({ answer }) => answer?.status === 'pending_confirmation');
  const finished = state === 'done' || state === 'stopped' || state === 'broken';
  return (
    <article className="turn" aria-busy={state === 'answering'}>
      <div className="q">
        <span className="avatar avatar--me" aria-hidden="true">
          {initials(me.name)}
        </span>
        <h2>
          <bdi>{question}</bdi>
        </h2>
      </div>
      <div className="a">
        {uses.length > 0 && (
          <div className="trace" role="group" aria-label="Tools used">
            {uses.map((use) => (
              <ToolChip key={use.id} use={use} known={find(use) !== undefined} />
            ))}
          </div>
        )}
        {(text !== '' || state === 'answering') && <Prose text={text} growing={state === 'answering'} withoutTables={hasTable} />}
        {choices.length > 0 && (
          <div className="choices" role="group" aria-label="Choose one">
            {choices.map(({ name, beside, answer }) => {
              return (
                <button
                  key={answer}
                  className="choice"
                  type="button"
                  aria-pressed={next === undefined ? undefined : next === answer}
                  disabled={!last}
                  onClick={() => onAsk(answer)}
                >
                  <span className="avatar" aria-hidden="true">
                    {initials(name)}
                  </span>
                  <span className="grow">
                    <b>{name}</b>
                    <small>{beside}</small>
                  </span>
                  {next === answer && <Icon name="check" />}
                </button>
              );
            })}
          </div>
        )}
        {choices.length === 0 &&
          shown.map((use) => {
            const tool = find(use);
            if (!tool || !use.answer) return null;
            if (use.stored) return <StoredResult key={use.id} use={use} tool={tool} />;
            // The text already describes a single record, so its details start collapsed.
            const single = use.answer.status === 'success' && !isDrawn(tool) && !Array.isArray(use.answer.data);
            const view = (
              <AnswerView tool={tool} input={use.input} answer={use.answer} requestId={use.requestId ?? ''} onNarrow={onNarrow} />
            );
            return single ? (
              <details key={use.id} className="more">
                <summary>{tool.title}: all fields</summary>
                {view}
              </details>
            ) : (
              <div key={use.id}>{view}</div>
            );
          })}
        {down.map(({ server, message }) => (
          <Notice
            key={server}
            look="warn"
            icon="plug"
            what={message}
            action={
              <button className="btn btn--sm" type="button" onClick={() => onAsk(question)}>
                <Icon name="redo" className="i-14" />
                Try again
              </button>
            }
          >
            Its data is missing here; the other results are included.
          </Notice>
        ))}
        {error && error.code !== 'SERVICE_UNAVAILABLE' && (
          <ErrorNotice error={error} requestId={turn.requestId ?? ''} again={() => onAsk(question)} />
        )}
        {failed && !error && <ErrorNotice error={failed.answer} requestId={failed.requestId} />}
        {reason && LIMITS[reason] && <Notice icon="info" what={LIMITS[reason]} />}
        {state === 'stopped' && <p className="small faint">Stopped by you.</p>}
        {state === 'broken' && (
          <Notice
            look="warn"
            icon="plug"
            what="The answer was interrupted."
            action={
              <button className="btn btn--sm" type="button" onClick={() => onAsk(question)}>
                Ask again
              </button>
            }
          >
            {turn.brokeAt !== undefined && `The connection was lost at ${moment(turn.brokeAt)}. `}The part above is complete up to that
            point.
          </Notice>
        )}
        {finished && text !== '' && choices.length === 0 && !waits && (
          <div className="acts">
            <CopyButton label="Copy" text={() => text} />
            <button className="btn btn--quiet btn--sm" type="button" onClick={() => onAsk(question)}>
              <Icon name="redo" className="i-14" />
              Ask again
            </button>
          </div>
        )}
        {state === 'local' && (
          <p>
            <button
              className="btn btn--sm"
              type="button"
              onClick={() => [...document.querySelectorAll<HTMLElement>('.card-host [data-heading]')].at(-1)?.focus()}
            >
              Go to the card
            </button>
          </p>
        )}
      </div>
    </article>
  );
});
TurnView.displayName = 'TurnView';
