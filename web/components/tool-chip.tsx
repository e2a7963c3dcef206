/** Shows a tool call of an answer, collapsed until the user opens it. */
import { useApp } from '../lib/app.tsx';
import type { ToolUse } from '../lib/turns.ts';
import { isAnalysis } from '../lib/analysis.ts';
import { count, number } from '../lib/format.ts';
import { CopyButton } from './copy-button.tsx';
import { Icon } from './icon.tsx';

function said({ answer, rows, ms, hasMore }: ToolUse, waits: (id: string) => boolean): string {
  if (!answer) return 'running';
  if (answer.status === 'pending_confirmation') return waits(answer.confirmationId) ? 'waits for you' : 'asked you';
  if (answer.status === 'error')
    return answer.code === 'SERVICE_UNAVAILABLE' || answer.code === 'TIMEOUT'
      ? 'no answer'
      : answer.code.toLowerCase().replaceAll('_', ' ');
  const list = Array.isArray(answer.data);
  const groups = isAnalysis(answer.data) && answer.data.chart.kind !== 'figure' ? answer.data.group_count : undefined;
  return (
    [
      list && rows !== undefined && `${number(rows)}${hasMore ? '+' : ''} ${rows === 1 ? 'row' : 'rows'}`,
      groups !== undefined && count(groups, 'group'),
      ms !== undefined && `${number(Math.round(ms))} ms`,
    ]
      .filter(Boolean)
      .join(' · ') || 'done'
  );
}

export function ToolChip({ use, known }: { readonly use: ToolUse; readonly known: boolean }) {
  const { waiting } = useApp();
  const { server, tool, input, answer, rows, ms, hasMore, requestId } = use;
  const icon = !answer
    ? undefined
    : answer.status === 'error'
      ? 'warn'
      : answer.status === 'pending_confirmation'
        ? 'shield'
        : hasMore
          ? 'warn'
          : 'check';
  const look = icon === 'warn' ? 'warn' : icon === 'check' ? 'ok' : '';
  const json = JSON.stringify(input, null, 2);
  return (
    <details className="tool">
      <summary>
        <Icon name="chev" className="chev" />
        {icon ? <Icon name={icon} className={look} /> : <span className="spin" aria-hidden="true" />}
        <b>
          {server}.{tool}
        </b>
        <span className="sep" aria-hidden="true">
          ·
        </span>
        <span className="num">{said(use, (id) => waiting.some(({ confirmationId }) => confirmationId === id))}</span>
      </summary>
      <div className="tool-body">
        <pre tabIndex={0}>{json}</pre>
        <dl className="kv">
          {answer?.status === 'success' && Array.isArray(answer.data) && (
            <>
              <dt>Answer</dt>
              <dd>
                {number(rows ?? answer.data.length)} rows{hasMore ? ', more exist' : ''}
              </dd>
            </>
          )}
          {answer?.status === 'error' && (
            <>
              <dt>Answer</dt>
              <dd>
                <code>{answer.code}</code> {answer.message}
              </dd>
            </>
          )}
          {ms !== undefined && (
            <>
              <dt>Took</dt>
              <dd>{number(ms)} ms</dd>
            </>
          )}
          {requestId && (
            <>
              <dt>Request</dt>
              <dd>
                <code>{requestId}</code>
              </dd>
            </>
          )}
        </dl>
        <div className="acts">
          {known && (
            <a
              className="btn btn--quiet btn--sm"
              href={`/tools/${server}/${tool}?${new URLSearchParams({ input: JSON.stringify(input) })}`}
            >
              <Icon name="tools" className="i-14" />
              Open in Tools
            </a>
          )}
          <CopyButton label="Copy input" text={() => json} />
        </div>
      </div>
    </details>
  );
}
