/** The audit log page: filters, records, CSV export and one record in detail. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import { AuditRecord } from '../components/audit-record.tsx';
import { ChainBadge } from '../components/chain-badge.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { ErrorNotice } from '../components/notice.tsx';
import { SearchField } from '../components/search-field.tsx';
import { type CallResult, fetchJson, ApiError } from '../lib/api.ts';
import { useApp } from '../lib/app.tsx';
import { csv } from '../lib/csv.ts';
import { go, useAddress } from '../lib/router.ts';
import { usePages } from '../lib/use-tool.ts';
import { number, toTheSecond } from '../lib/format.ts';
import { Shell } from '../shell.tsx';
import type { Answer, AuditEntry as Entry } from '../lib/contract.ts';

const DAY_MS = 86_400_000;
/** The start of each period, as a timestamp. */
const PERIODS: readonly (readonly [name: string, from: (now: Date) => number])[] = [
  ['Any time', () => 0],
  ['Today', (now) => new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()],
  ['Last hour', (now) => now.getTime() - DAY_MS / 24],
  ['Last 7 days', (now) => now.getTime() - 7 * DAY_MS],
  ['Last 30 days', (now) => now.getTime() - 30 * DAY_MS],
];

type Page = Pick<CallResult, 'answer' | 'requestId'>;
async function page(cursor?: string): Promise<Page> {
  try {
    const { body, requestId } = await fetchJson(
      `/api/audit?${new URLSearchParams({ limit: '50', ...(cursor !== undefined && { cursor }) })}`,
    );
    return { answer: body as Answer, requestId };
  } catch (error) {
    if (error instanceof ApiError) return { answer: error.answer, requestId: error.requestId };
    throw error;
  }
}

const LOOKS: Readonly<Record<string, { readonly icon: IconName; readonly look: string }>> = {
  allowed: { icon: 'check', look: 'plain' },
  approved: { icon: 'check', look: 'ok' },
  pending: { icon: 'clock', look: 'accent' },
  denied: { icon: 'x', look: 'plain' },
  refused: { icon: 'lock', look: 'bad' },
  failed: { icon: 'plug', look: 'warn' },
};
const Decision = ({ entry }: { readonly entry: Entry }) => {
  const { icon, look } = LOOKS[entry.decision] ?? { icon: 'info' as const, look: 'plain' };
  return (
    <span className={`badge badge--${look}`}>
      <Icon name={icon} />
      {entry.decision}
    </span>
  );
};

export function AuditPage({ chain, n }: { readonly chain: string | undefined; readonly n: string | undefined }) {
  const { me } = useApp();
  const { pathname } = useAddress();
  const all = me.roles.includes('executive');
  const [first, setFirst] = useState<Page>();
  const [busy, setBusy] = useState(true);
  const [wanted, setWanted] = useState('');
  const [server, setServer] = useState('');
  const [decision, setDecision] = useState('');
  const [period, setPeriod] = useState(0);

  const { rows, metadata, trouble: further, more } = usePages(first?.answer, page);
  const entries = rows as readonly unknown[] as readonly Entry[];
  const load = useCallback((get: () => Promise<void>) => {
    setBusy(true);
    void get().finally(() => setBusy(false));
  }, []);
  const begin = useCallback(() => load(async () => setFirst(await page())), [load]);
  useEffect(begin, [begin]);
  const trouble = first?.answer.status === 'error' ? { answer: first.answer, requestId: first.requestId } : further;

  const words = wanted.trim().toLowerCase();
  const from = useMemo(() => PERIODS[period]?.[1](new Date()) ?? 0, [period]);
  const shown = useMemo(
    () =>
      entries.filter(
        (entry) =>
          (from === 0 || Date.parse(entry.at) >= from) &&
          (server === '' || entry.server === server) &&
          (decision === '' || entry.decision === decision) &&
          (words === '' || `${entry.username} ${entry.server}.${entry.tool} ${entry.requestId}`.toLowerCase().includes(words)),
      ),
    [entries, server, decision, words, from],
  );
  // The newest records come first, so an older record means that the period is complete.
  const oldest = entries.at(-1);
  const reached = from > 0 && oldest !== undefined && Date.parse(oldest.at) < from;
  const further50 = reached ? undefined : more;
  const filtered = shown.length !== entries.length;
  const pick = (
    label: string,
    value: string,
    { values, change }: { readonly values: readonly string[]; readonly change: (next: string) => void },
  ) => (
    <select className="select" aria-label={label} value={value} onChange={({ target }) => change(target.value)}>
      <option value="">All {label.toLowerCase()}</option>
      {values.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  );
  const distinct = (of: (entry: Entry) => string) => [...new Set(entries.map(of))].sort();
  return (
    <Shell
      path={pathname}
      title="Audit log"
      beside={
        <CopyButton
          label="Copy as CSV"
          text={() =>
            csv(
              ['at', 'username', 'server', 'tool', 'decision', 'code', 'rows', 'ms', 'requestId', 'chain', 'n'],
              shown.map((entry) => [
                entry.at,
                entry.username,
                entry.server,
                entry.tool,
                entry.decision,
                entry.code,
                entry.rows,
                entry.ms,
                entry.requestId,
                entry.chain,
                entry.n,
              ]),
            )
          }
        />
      }
    >
      <main className="page page--wide stack" id="main" tabIndex={-1}>
        {all ? <ChainBadge /> : <p className="small muted">Your own calls, newest first. Executives see the calls of everyone.</p>}
        <div className="filters-bar">
          <SearchField className="grow" label="Person, tool or request id" value={wanted} onChange={setWanted} />
          {pick('Servers', server, { values: distinct((entry) => entry.server), change: setServer })}
          {pick('Decisions', decision, { values: distinct((entry) => entry.decision), change: setDecision })}
          <select className="select" aria-label="Period" value={period} onChange={({ target }) => setPeriod(Number(target.value))}>
            {PERIODS.map(([name], at) => (
              <option key={name} value={at}>
                {name}
              </option>
            ))}
          </select>
        </div>
        {trouble && <ErrorNotice error={trouble.answer} requestId={trouble.requestId} again={() => (more ? load(more) : begin())} />}
        {metadata?.warning !== undefined && <p className="muted mid">{metadata.warning}</p>}
        <div className={chain !== undefined ? 'split' : ''}>
          <section className="dt dt--tall" aria-label="Records" aria-busy={busy}>
            <div className="dt-scroll" tabIndex={0} role="region" aria-label="Records, newest first">
              <table className="t" role="table">
                <thead role="rowgroup">
                  <tr role="row">
                    {['Time', ...(all ? ['Person'] : []), 'Tool', 'Decision'].map((name) => (
                      <th key={name} scope="col" role="columnheader">
                        <span>{name}</span>
                      </th>
                    ))}
                    {['Rows', 'Took'].map((name) => (
                      <th key={name} scope="col" role="columnheader" className="num">
                        <span>{name}</span>
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody role="rowgroup">
                  {shown.map((entry) => {
                    const to = `/audit/${encodeURIComponent(entry.chain)}/${entry.n}`;
                    return (
                      <tr
                        key={`${entry.chain} ${entry.n}`}
                        role="row"
                        className="t-link"
                        aria-current={pathname === to ? 'true' : undefined}
                        onClick={() => go(to)}
                      >
                        <td role="cell">
                          <time dateTime={entry.at}>{toTheSecond(entry.at)}</time>
                        </td>
                        {all && (
                          <td role="cell">
                            <bdi>{entry.username}</bdi>
                          </td>
                        )}
                        <td role="cell" className="cell-main">
                          <a className="rowlink" href={to}>
                            <code>
                              {entry.server}.{entry.tool}
                            </code>
                          </a>
                        </td>
                        <td role="cell" className="cell-end">
                          <Decision entry={entry} />
                        </td>
                        <td role="cell" className="num" data-l="rows">
                          {number(entry.rows)}
                        </td>
                        <td role="cell" className="num">
                          {entry.ms < 1 ? '<1' : number(Math.round(entry.ms))} ms
                        </td>
                      </tr>
                    );
                  })}
                </tbody>
              </table>
              {entries.length > 0 && shown.length === 0 && (
                <div className="empty">
                  <Icon name="search" />
                  <h3>No loaded record matches</h3>
                  <p>{further50 ? 'Show older records or remove a filter.' : 'Remove a filter to see more.'}</p>
                </div>
              )}
              {entries.length === 0 && !busy && !trouble && (
                <div className="empty">
                  <Icon name="audit" />
                  <h3>No records yet</h3>
                  <p>Your tool calls appear here.</p>
                </div>
              )}
            </div>
            <div className="dt-foot">
              <span className="grow">
                <b>{number(shown.length)}</b>{' '}
                {filtered && reached && metadata?.warning === undefined && server === '' && decision === '' && words === ''
                  ? `records of this period, complete`
                  : filtered
                    ? `of the ${number(entries.length)} loaded records`
                    : metadata?.hasMore
                      ? 'loaded, more exist'
                      : metadata?.warning === undefined
                        ? 'records, complete'
                        : 'records, complete for the processes that answered'}
              </span>
              {further50 && (
                <button className="btn btn--sm" type="button" aria-disabled={busy} onClick={() => !busy && load(further50)}>
                  {busy && <span className="spin" aria-hidden="true" />}
                  Show 50 more
                </button>
              )}
            </div>
          </section>
          {chain !== undefined && n !== undefined && <AuditRecord chain={chain} n={n} />}
        </div>
      </main>
    </Shell>
  );
}
