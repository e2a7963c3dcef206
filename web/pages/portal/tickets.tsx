/** The list of support tickets that a customer contact may see. */
import { useEffect, useState } from 'react';
import { DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { Notice, ErrorNotice } from '../../components/notice.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { useApp } from '../../lib/app.tsx';
import { dataSchema, rowSchema } from '../../lib/schema.ts';
import { findTool } from '../../lib/tools.ts';
import { callTool, useCount, usePages, useTool } from '../../lib/use-tool.ts';
import { count } from '../../lib/format.ts';

const KINDS = [
  ['', 'All'],
  ['open', 'Open'],
  ['in_progress', 'In progress'],
  ['pending', 'Waiting for you'],
  ['resolved', 'Resolved'],
] as const;

const WORDS = { pending: 'Waiting for you', organization: 'Organisation', private: 'Private' };
const COLUMNS = {
  subject: { label: 'Ticket' },
  status: { label: 'Status' },
  priority: { label: 'Priority', kind: 'code' },
  opened_by: { label: 'Opened by' },
  visibility: { label: 'Seen by' },
  updated_at: { label: 'Updated', kind: 'ago' },
} as const;

export function TicketsPage() {
  const { me, servers } = useApp();
  const tool = findTool(servers, 'support', 'customer_list_tickets');
  const [status, setStatus] = useState('');
  const [typed, setTyped] = useState('');
  const [query, setQuery] = useState('');
  const input = { ...(status !== '' && { status }), ...(query !== '' && { query }) };
  const { answer, requestId, again } = useTool('support', 'customer_list_tickets', input);
  useEffect(() => {
    const timer = setTimeout(() => setQuery(typed.trim()), 300);
    return () => clearTimeout(timer);
  }, [typed]);
  const { rows, metadata, trouble, more } = usePages(answer, (cursor) =>
    callTool('support', 'customer_list_tickets', { input: { ...input, cursor } }),
  );
  const matching = useCount(tool, input, answer?.status === 'success' ? answer.metadata : undefined);
  const waits = rows.filter((row) => row['status'] === 'pending');
  const [one] = waits;
  const lead = me.roles.includes('lead-customer');
  return (
    <div className="stack">
      <div className="row between row-wrap">
        <div>
          <h1>Tickets</h1>
          <p className="small muted">
            {lead
              ? 'All tickets of your organisation, because you are the lead contact.'
              : 'Your own tickets, and those that colleagues share with the organisation.'}
          </p>
        </div>
        <a className="btn btn--primary" href="/portal/new">
          <Icon name="plus" />
          New ticket
        </a>
      </div>
      {one && (
        <Notice
          look="warn"
          icon="mail"
          what={
            metadata?.hasMore
              ? `At least ${count(waits.length, 'ticket')} ${waits.length === 1 ? 'waits' : 'wait'} for you.`
              : waits.length === 1
                ? 'One ticket waits for you.'
                : `${waits.length} tickets wait for you.`
          }
          action={
            <a className="btn btn--sm" href={`/portal/t/${String(one['ticket_id'] as string)}`}>
              Answer
            </a>
          }
        >
          <bdi>{String(one['subject'] as string)}</bdi>
        </Notice>
      )}
      <div className="row between row-wrap">
        <div className="seg" role="group" aria-label="Status">
          {KINDS.map(([value, label]) => (
            <button key={value} type="button" aria-pressed={status === value} onClick={() => setStatus(value)}>
              {label}
            </button>
          ))}
        </div>
        <SearchField className="search--full" label="Search tickets" value={typed} onChange={setTyped} />
      </div>
      {answer?.status === 'error' && <ErrorNotice error={answer} requestId={requestId} again={again} />}
      {!answer && <div className="skeleton skeleton--figure" aria-hidden="true" />}
      {answer?.status === 'success' && tool && (
        <DataTable
          title="Tickets"
          rows={rows}
          schema={rowSchema(dataSchema(tool.outputSchema), tool.outputSchema)}
          whole={tool.outputSchema}
          metadata={metadata}
          count={matching}
          plural="tickets"
          used={[
            ...(status === ''
              ? []
              : [{ name: 'status', value: KINDS.find(([kind]) => kind === status)?.[1] ?? status, drop: () => setStatus('') }]),
            ...(query === '' ? [] : [{ name: 'words', value: query, drop: () => setTyped('') }]),
          ]}
          rowLink={(row) => `/portal/t/${String(row['ticket_id'] as string)}`}
          words={WORDS}
          only={COLUMNS}
          bare
          onMore={more}
          trouble={trouble && <ErrorNotice error={trouble.answer} requestId={trouble.requestId} />}
        />
      )}
    </div>
  );
}
