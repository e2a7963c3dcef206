/** The audit log page: filters, records, CSV export and one record in detail. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { AuditRecord } from '../components/audit-record.tsx';
import { ChainBadge } from '../components/chain-badge.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { ErrorNotice } from '../components/notice.tsx';
import { SearchField } from '../components/search-field.tsx';
import { type CallResult, fetchJson, ApiError } from '../lib/api.ts';
import { useApp } from '../lib/app.tsx';
import { auditFilterOf } from '../lib/audit-filter.ts';
import { csv } from '../lib/csv.ts';
import { go, useAddress } from '../lib/router.ts';
import { usePages } from '../lib/use-tool.ts';
import { number, toTheSecond } from '../lib/format.ts';
import { Shell } from '../shell.tsx';
import type { Answer, AuditEntry as Entry } from '../lib/contract.ts';

const DAY_MS = 86_400_000;
/** How long the search waits for the next key. */
const TYPING_MS = 250;
/** The start of each period, as a timestamp. */
const PERIODS: readonly (readonly [name: string, from: (now: Date) => number])[] = [
  ['Any time', () => 0],
  ['Today', (now) => new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()],
  ['Last hour', (now) => now.getTime() - DAY_MS / 24],
  ['Last 7 days', (now) => now.getTime() - 7 * DAY_MS],
  ['Last 30 days', (now) => now.getTime() - 30 * DAY_MS],
];

type Page = Pick<CallResult, 'answer' | 'requestId'>;
type Filters = Readonly<Record<string, string>>;
async function page(filters: Filters, cursor?: string): Promise<Page> {
  try {
    const asked = new URLSearchParams({ limit: '50', ...filters, ...(cursor !== undefined && { cursor }) });
    const { body, requestId } = await fetchJson(`/api/audit?${asked}`);
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
  const { me, servers } = useApp();
  const { pathname } = useAddress();
  const all = me.roles.includes('executive');
  const [first, setFirst] = useState<Page>();
  const [busy, setBusy] = useState(true);
  const [wanted, setWanted] = useState('');
  const [server, setServer] = useState('');
  const [decision, setDecision] = useState('');
  const [period, setPeriod] = useState(0);

  const [words, setWords] = useState('');
  useEffect(() => {
    const typed = setTimeout(() => setWords(wanted.trim()), TYPING_MS);
    return () => clearTimeout(typed);
  }, [wanted]);
  const names = useMemo(() => [...servers.map(({ name }) => name), 'gateway'], [servers]);
  const filters = useMemo<Filters>(() => {
    const from = PERIODS[period]?.[1](new Date()) ?? 0;
    return {
      ...(server !== '' && { server }),
      ...(decision !== '' && { decision }),
      ...(from > 0 && { from: new Date(from).toISOString() }),
      ...auditFilterOf(words, names),
    };
  }, [server, decision, period, words, names]);

  const { rows, metadata, trouble: further, more } = usePages(first?.answer, (cursor) => page(filters, cursor));
  const shown = rows as readonly unknown[] as readonly Entry[];
  const load = useCallback((get: () => Promise<void>) => {
    setBusy(true);
    void get().finally(() => setBusy(false));
  }, []);
  const newest = useRef(filters);
  const begin = useCallback(() => {
    newest.current = filters;
    load(async () => {
      const found = await page(filters);
      // A slow answer to earlier filters must not replace a later one.
      if (newest.current === filters) setFirst(found);
    });
  }, [load, filters]);
  useEffect(begin, [begin]);
  const trouble = first?.answer.status === 'error' ? { answer: first.answer, requestId: first.requestId } : further;
  const filtered = Object.keys(filters).length > 0;
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
          <SearchField className="grow" label="Person, tool, record or request id" value={wanted} onChange={setWanted} />
          {pick('Servers', server, { values: names, change: setServer })}
          {pick('Decisions', decision, { values: Object.keys(LOOKS), change: setDecision })}
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
              {shown.length === 0 && !busy && !trouble && (
                <div className="empty">
                  <Icon name={filtered ? 'search' : 'audit'} />
                  <h3>{filtered ? 'No record matches' : 'No records yet'}</h3>
                  <p>{filtered ? 'Remove a filter to see more.' : 'Your tool calls appear here.'}</p>
                </div>
              )}
            </div>
            <div className="dt-foot">
              <span className="grow">
                <b>{number(shown.length)}</b>{' '}
                {metadata?.hasMore
                  ? 'loaded, more exist'
                  : metadata?.warning === undefined
                    ? 'records, complete'
                    : 'records, complete for the processes that answered'}
              </span>
              {more && (
                <button className="btn btn--sm" type="button" aria-disabled={busy} onClick={() => !busy && load(more)}>
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
