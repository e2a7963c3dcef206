/** Embeds the approval card that the server renders. `attachCard` sends the decision; this component sends none. */
import { useEffect, useRef, useState } from 'react';
import { get, ApiError, send, sessionEnded } from '../lib/api.ts';
import { useApp } from '../lib/app.tsx';
import type { AuditEntry } from '../lib/contract.ts';
import { attachCard, type CardState } from '../server-pages/approval-card.ts';
import { CopyButton } from './copy-button.tsx';
import { ErrorNotice } from './notice.tsx';

interface CardProps {
  readonly id: string;
  /** The user opened this card, so its heading takes the focus. */
  readonly opened?: boolean;
  /** Prepares the same change again. */
  readonly again?: (() => Promise<void>) | undefined;
  readonly onState?: (state: CardState) => void;
}

const AGAIN: Partial<Record<CardState, string>> = { denied: 'Ask again', expired: 'Prepare it again', changed: 'Prepare with new values' };

/** The buttons of a receipt: copy it, or open its audit record. */
function Receipt({ id, text }: { readonly id: string; readonly text: () => string }) {
  const { me } = useApp();
  const [record, setRecord] = useState<AuditEntry>();
  useEffect(() => {
    if (me.realm === 'customer') return;
    const leaving = new AbortController();
    // This searches the newest 50 records. The audit log page finds older ones.
    get<readonly AuditEntry[]>('/api/audit?limit=50', leaving.signal).then(
      (entries) => setRecord(entries.find(({ confirmationId, decision }) => confirmationId === id && decision === 'approved')),
      () => {},
    );
    return () => leaving.abort();
  }, [id, me.realm]);
  return (
    <div className="acts">
      <CopyButton label="Copy receipt" text={text} />
      {record && (
        <a className="btn btn--quiet btn--sm" href={`/audit/${encodeURIComponent(record.chain)}/${record.n}`}>
          Audit record{' '}
          <code>
            {record.chain} #{record.n}
          </code>
        </a>
      )}
    </div>
  );
}

export function ApprovalCard({ id, opened = false, again, onState }: CardProps) {
  const { decided, reload, ended } = useApp();
  const slot = useRef<HTMLDivElement>(null);
  const live = useRef<HTMLParagraphElement>(null);
  const [state, setState] = useState<CardState>();
  const [trouble, setTrouble] = useState<ApiError>();
  const [attempt, setAttempt] = useState(0);
  const [asking, setAsking] = useState(false);
  const heard = useRef({ decided, reload, onState });
  heard.current = { decided, reload, onState };

  useEffect(() => {
    let stop = () => {};
    let gone = false;
    const tell = (next: CardState | 'signed-out' | 'gone') => {
      if (next === 'signed-out') sessionEnded();
      else if (next === 'gone') setAttempt((before) => before + 1);
      else {
        setState(next);
        heard.current.onState?.(next);
        if (next !== 'waiting' && next !== 'executing') heard.current.decided();
        if (next === 'done') heard.current.reload();
      }
    };
    const begin = async () => {
      try {
        const answer = await send(`/approve/${encodeURIComponent(id)}`, { headers: { accept: 'text/html' } });
        const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
        const drawn = page.querySelector<HTMLElement>('[data-slot]');
        if (gone || !slot.current || !live.current) return;
        if (!drawn) {
          const message = page.querySelector('.lead')?.textContent ?? 'This change cannot be shown.';
          throw new ApiError({
            status: 'error',
            code: 'CONFIRMATION_NOT_FOUND',
            message,
            suggestedAction: '',
            retryable: answer.status >= 500,
          });
        }
        setTrouble(undefined);
        Object.assign(slot.current.dataset, drawn.dataset);
        slot.current.replaceChildren(...[...drawn.childNodes].map((node) => document.importNode(node, true)));
        dispatchEvent(new Event('tamshai:shown'));
        stop = attachCard(slot.current, { live: live.current, templates: page, inApp: true, onState: tell });
        const first = slot.current.querySelector('article')?.dataset['state'] as CardState | undefined;
        setState(first);
        if (first) heard.current.onState?.(first);
        if (opened) {
          slot.current.querySelector<HTMLElement>('[data-heading]')?.focus({ preventScroll: true });
          slot.current.scrollIntoView({ block: 'nearest' });
        }
      } catch (error) {
        if (!gone) setTrouble(error instanceof ApiError ? error : undefined);
      }
    };
    void begin();
    return () => {
      gone = true;
      stop();
    };
  }, [id, opened, attempt]);

  const more = state && again && AGAIN[state];
  return (
    <div className="card-host" inert={ended}>
      {/* The script of the card owns the children of this element. React only mounts it. */}
      <div ref={slot} />
      <p ref={live} className="sr" role="status" />
      {!state && !trouble && <div className="skeleton skeleton--card" aria-hidden="true" />}
      {trouble && <ErrorNotice error={trouble.answer} again={() => setAttempt((before) => before + 1)} />}
      {state === 'done' && <Receipt id={id} text={() => slot.current?.innerText.replace(/\n{2,}/g, '\n').trim() ?? ''} />}
      {more && (
        <p className="mt-5">
          <button
            className="btn"
            type="button"
            disabled={asking}
            onClick={() => {
              setAsking(true);
              void again().finally(() => setAsking(false));
            }}
          >
            {more}
          </button>
        </p>
      )}
    </div>
  );
}
