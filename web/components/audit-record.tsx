/** The details of one audit record, with its place in its chain. */
import { useEffect, useRef, useState } from 'react';
import { get, ApiError } from '../lib/api.ts';
import type { SealedRecord } from '../lib/contract.ts';
import { number, toTheSecond } from '../lib/format.ts';
import { Icon } from './icon.tsx';
import { ErrorNotice } from './notice.tsx';

/** The names of our own clients. Other MCP clients appear under their registered names. */
const ORIGINS: Readonly<Record<string, string>> = { web: 'Web app', command: 'The tamshai command' };

/** The input is stored as text, because the record's MAC covers its exact bytes. */
function pretty(input: unknown): string {
  try {
    return JSON.stringify(typeof input === 'string' ? JSON.parse(input) : (input ?? null), null, 2);
  } catch {
    return String(input as string);
  }
}

export function AuditRecord({ chain, n }: { readonly chain: string; readonly n: string }) {
  const [entry, setEntry] = useState<SealedRecord>();
  const [trouble, setTrouble] = useState<ApiError>();
  const heading = useRef<HTMLHeadingElement>(null);
  // The record opens far from the selected row, so the focus moves to it.
  useEffect(() => heading.current?.focus(), [chain, n]);
  useEffect(() => {
    const leaving = new AbortController();
    setEntry(undefined);
    setTrouble(undefined);
    get<SealedRecord>(`/api/audit/${encodeURIComponent(chain)}/${encodeURIComponent(n)}`, leaving.signal).then(
      setEntry,
      (error: unknown) => {
        if (error instanceof ApiError) setTrouble(error);
      },
    );
    return () => leaving.abort();
  }, [chain, n]);
  return (
    <aside className="drawer" aria-label={`Record ${chain} ${n}`}>
      <header>
        <h2 className="mid" ref={heading} tabIndex={-1}>
          Record <code>{chain}</code> <code>#{n}</code>
        </h2>
        <a className="icon-btn" href="/audit" aria-label="Close the record">
          <Icon name="x" />
        </a>
      </header>
      {trouble && (
        <div>
          <ErrorNotice error={trouble.answer} />
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
                <bdi>{ORIGINS[entry.origin] ?? entry.origin}</bdi> <span className="faint">({entry.surface})</span>
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
            <h3 className="eyebrow mb-4">Input (redacted)</h3>
            <pre className="json json--well" tabIndex={0}>
              {pretty(entry.input)}
            </pre>
          </div>
          {entry.changes !== undefined && (
            <div>
              <h3 className="eyebrow mb-4">Changes</h3>
              <pre className="json json--well" tabIndex={0}>
                {JSON.stringify(entry.changes, null, 2)}
              </pre>
            </div>
          )}
          <div>
            <h3 className="eyebrow mb-4">Chain of {chain}</h3>
            <ul className="links">
              <li>
                <span>
                  <code>#{entry.n}</code> <code className="faint">{entry.mac.slice(0, 12)}…</code>
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
