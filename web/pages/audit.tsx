import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import type { AuditVerdict } from '../../src/core/audit.ts';
import type { ListMetadata } from '../../src/core/answer.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { Refusal } from '../components/notice.tsx';
import { get, hear, Refused } from '../lib/api.ts';
import { useApp } from '../lib/app.tsx';
import { csv } from '../lib/csv.ts';
import { go, useAddress } from '../lib/router.ts';
import { inWords, number, toTheSecond } from '../lib/words.ts';
import { Shell } from '../shell.tsx';

interface Entry {
  readonly chain: string;
  readonly n: number;
  readonly at: string;
  readonly username: string;
  readonly surface: string;
  readonly origin: string;
  readonly server: string;
  readonly tool: string;
  readonly decision: string;
  readonly code: string | null;
  readonly ms: number;
  readonly rows: number;
  readonly requestId: string;
  readonly input?: unknown;
  readonly changes?: unknown;
  readonly confirmationId?: string;
  readonly mac?: string;
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

/** What can be vouched for: all of the trail, never a part that somebody chose. */
function ChainBadge() {
  const [verdict, setVerdict] = useState<{ readonly says: AuditVerdict; readonly at: Date }>();
  const [running, setRunning] = useState(false);
  const [trouble, setTrouble] = useState<Refused>();
  const verify = useCallback(async () => {
    setRunning(true);
    try {
      setVerdict({ says: await get<AuditVerdict>('/api/audit/verify'), at: new Date() });
      setTrouble(undefined);
    } catch (error) {
      if (error instanceof Refused) setTrouble(error);
      else throw error;
    } finally {
      setRunning(false);
    }
  }, []);
  if (trouble) return <Refusal error={trouble.answer} again={() => void verify()} />;
  const broken = verdict?.says.ok === false ? verdict.says : undefined;
  const good = verdict?.says.ok === true ? verdict.says : undefined;
  const says: readonly [string, ReactNode] = running
    ? ['Verifying every record', 'Each one is held against the one before it and against the signed checkpoints.']
    : broken
      ? [`The ${broken.chain} chain is broken at record #${number(broken.n)}`, broken.problem]
      : good
        ? [
            good.chains.length === 1 ? 'The chain is verified' : `All ${good.chains.length} chains verified`,
            `${number(good.chains.reduce((sum, { count }) => sum + count, 0))} records: no change, no gap, no missing end. Checked at ${toTheSecond(verdict?.at.toISOString() ?? '')}; ${number(good.chains.reduce((sum, { checkpointed }) => sum + checkpointed, 0))} under signed checkpoints.`,
          ]
        : ['Not yet checked', 'Verifying walks every record of every chain.'];
  return (
    <div className={`chain ${broken ? 'chain--bad' : ''} ${good || broken ? '' : 'chain--open'}`} role="status">
      <span className="seal">
        {running ? <span className="spin spin--20" aria-hidden="true" /> : <Icon name={broken ? 'warn' : 'chain'} className="i-20" />}
      </span>
      <div className="grow">
        <p className={`strong ${broken ? 'bad' : ''}`}>{says[0]}</p>
        <p className="small muted">{says[1]}</p>
      </div>
      {broken && (
        <a className="btn btn--sm" href={`/audit/${encodeURIComponent(broken.chain)}/${broken.n}`}>
          Show record
        </a>
      )}
      <button className="btn btn--sm" type="button" disabled={running} onClick={() => void verify()}>
        Verify now
      </button>
    </div>
  );
}

/** Inputs are kept as text, as they were when the record was sealed. */
function pretty(input: unknown): string {
  try {
    return JSON.stringify(typeof input === 'string' ? JSON.parse(input) : (input ?? null), null, 2);
  } catch {
    return String(input as string);
  }
}

function Record({ chain, n }: { readonly chain: string; readonly n: string }) {
  const [entry, setEntry] = useState<Entry>();
  const [trouble, setTrouble] = useState<Refused>();
  useEffect(() => {
    const leaving = new AbortController();
    setEntry(undefined);
    setTrouble(undefined);
    get<Entry>(`/api/audit/${encodeURIComponent(chain)}/${encodeURIComponent(n)}`, leaving.signal).then(setEntry, (error: unknown) => {
      if (error instanceof Refused) setTrouble(error);
    });
    return () => leaving.abort();
  }, [chain, n]);
  return (
    <aside className="drawer" aria-label={`Record ${chain} ${n}`}>
      <header>
        <h2 className="mid">
          Record <code>{chain}</code> <code>#{n}</code>
        </h2>
        <a className="icon-btn" href="/audit" aria-label="Close the record">
          <Icon name="x" />
        </a>
      </header>
      {trouble && (
        <div>
          <Refusal error={trouble.answer} />
        </div>
      )}
      {entry && (
        <>
          <div>
            <dl className="kv mid">
              <dt>What</dt>
              <dd>
                <code>
                  {entry.server}.{entry.tool}
                </code>
                , {entry.decision}
              </dd>
              <dt>Who</dt>
              <dd>
                <bdi>{entry.username}</bdi>
              </dd>
              <dt>When</dt>
              <dd>
                <time dateTime={entry.at}>{toTheSecond(entry.at)}</time>
              </dd>
              <dt>Where</dt>
              <dd>
                {inWords(entry.surface)}, <bdi>{entry.origin}</bdi>
              </dd>
              {entry.code && (
                <>
                  <dt>Code</dt>
                  <dd>
                    <code>{entry.code}</code>
                  </dd>
                </>
              )}
              <dt>Rows</dt>
              <dd>{number(entry.rows)}</dd>
              <dt>Took</dt>
              <dd>{number(entry.ms)} ms</dd>
              <dt>Request</dt>
              <dd>
                <code className="small">{entry.requestId}</code>
              </dd>
              {entry.confirmationId && (
                <>
                  <dt>Confirmation</dt>
                  <dd>
                    <code className="small">{entry.confirmationId}</code>
                  </dd>
                </>
              )}
            </dl>
          </div>
          <div>
            <h3 className="eyebrow mb-2">Input, secrets removed</h3>
            <pre className="json json--well" tabIndex={0}>
              {pretty(entry.input)}
            </pre>
          </div>
          {entry.changes !== undefined && (
            <div>
              <h3 className="eyebrow mb-2">Changes</h3>
              <pre className="json json--well" tabIndex={0}>
                {JSON.stringify(entry.changes, null, 2)}
              </pre>
            </div>
          )}
          <div>
            <h3 className="eyebrow mb-2">Chain of {chain}</h3>
            <ul className="links">
              <li>
                <span>
                  <code>#{entry.n}</code> <code className="faint">{entry.mac?.slice(0, 12)}…</code>
                </span>
              </li>
              {entry.n > 1 && (
                <li>
                  <span>
                    <code>#{entry.n - 1}</code> comes before it
                  </span>
                </li>
              )}
            </ul>
          </div>
        </>
      )}
    </aside>
  );
}

export function AuditPage({ chain, n }: { readonly chain: string | undefined; readonly n: string | undefined }) {
  const { me } = useApp();
  const { pathname } = useAddress();
  const all = me.roles.includes('executive');
  const [entries, setEntries] = useState<readonly Entry[]>([]);
  const [metadata, setMetadata] = useState<Pick<ListMetadata, 'hasMore' | 'nextCursor'>>();
  const [trouble, setTrouble] = useState<Refused>();
  const [busy, setBusy] = useState(false);
  const [wanted, setWanted] = useState('');
  const [server, setServer] = useState('');
  const [decision, setDecision] = useState('');

  const load = useCallback(async (cursor: string | undefined) => {
    setBusy(true);
    try {
      const { body, requestId } = await hear(`/api/audit?${new URLSearchParams({ limit: '50', ...(cursor !== undefined && { cursor }) })}`);
      const answer = body as { status: string; data: readonly Entry[]; metadata: ListMetadata };
      if (answer.status !== 'success') throw new Refused(body as Refused['answer'], requestId);
      setEntries((before) => (cursor === undefined ? answer.data : [...before, ...answer.data]));
      setMetadata(answer.metadata);
      setTrouble(undefined);
    } catch (error) {
      if (error instanceof Refused) setTrouble(error);
      else throw error;
    } finally {
      setBusy(false);
    }
  }, []);
  useEffect(() => void load(undefined), [load]);

  const words = wanted.trim().toLowerCase();
  const shown = useMemo(
    () =>
      entries.filter(
        (entry) =>
          (server === '' || entry.server === server) &&
          (decision === '' || entry.decision === decision) &&
          (words === '' || `${entry.username} ${entry.server}.${entry.tool} ${entry.requestId}`.toLowerCase().includes(words)),
      ),
    [entries, server, decision, words],
  );
  const filtered = shown.length !== entries.length;
  const pick = (label: string, value: string, values: readonly string[], change: (next: string) => void) => (
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
      title="Audit trail"
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
        {all ? <ChainBadge /> : <p className="small muted">Your own calls, newest first. Executives see everyone’s.</p>}
        <div className="filters-bar">
          <div className="search grow">
            <Icon name="search" />
            <input
              className="input"
              type="search"
              aria-label="Person, tool or request id"
              placeholder="Person, tool or request id"
              value={wanted}
              onChange={({ target }) => setWanted(target.value)}
            />
          </div>
          {pick(
            'Servers',
            server,
            distinct((entry) => entry.server),
            setServer,
          )}
          {pick(
            'Decisions',
            decision,
            distinct((entry) => entry.decision),
            setDecision,
          )}
        </div>
        {trouble && <Refusal error={trouble.answer} requestId={trouble.requestId} again={() => void load(metadata?.nextCursor)} />}
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
              {entries.length === 0 && !busy && !trouble && (
                <div className="empty">
                  <Icon name="audit" />
                  <h3>Nothing yet</h3>
                  <p>Every call that you make leaves a record here.</p>
                </div>
              )}
            </div>
            <div className="dt-foot">
              <span className="grow">
                <b>{number(shown.length)}</b>{' '}
                {filtered
                  ? `of the ${number(entries.length)} loaded records`
                  : metadata?.hasMore
                    ? 'loaded, more exist'
                    : 'records, complete'}
              </span>
              {metadata?.hasMore && (
                <button className="btn btn--sm" type="button" disabled={busy} onClick={() => void load(metadata.nextCursor)}>
                  {busy && <span className="spin" aria-hidden="true" />}
                  Show 50 more
                </button>
              )}
            </div>
          </section>
          {chain !== undefined && n !== undefined && <Record chain={chain} n={n} />}
        </div>
      </main>
    </Shell>
  );
}
