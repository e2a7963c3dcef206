/** The approvals page: pending changes, recently decided changes, and the selected card. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import { ApprovalCard } from '../components/card.tsx';
import type { CardState } from '../server-pages/approval-card.ts';
import { Icon, type IconName } from '../components/icon.tsx';
import { SmallRing, useSecondsLeft } from '../components/ring.tsx';
import { useApp } from '../lib/app.tsx';
import { get } from '../lib/api.ts';
import { useKeys } from '../lib/keyboard.ts';
import { go, useAddress } from '../lib/router.ts';
import { clock, moment } from '../lib/format.ts';
import { Shell } from '../shell.tsx';
import type { Confirmation } from '../lib/contract.ts';

const through = (origin: string): string =>
  origin === 'web' ? 'You, in the web app' : origin === 'command' ? 'You, with the tamshai command' : `You, through ${origin}`;

function WaitingTicket({ ticket, href, current }: { readonly ticket: Confirmation; readonly href: string; readonly current: boolean }) {
  const { confirmationData: data } = ticket;
  const left = useSecondsLeft(data.expiresAt);
  return (
    <a className="item" href={href} aria-current={current ? 'true' : undefined}>
      <SmallRing left={left} />
      <span>
        <span className="t1">
          <bdi>{data.summary}</bdi>
        </span>
        <span className="t2">{through(data.origin)}</span>
      </span>
      <span className="t3" aria-hidden="true">
        {clock(left)}
      </span>
    </a>
  );
}

const OUTCOMES: Readonly<Record<string, { readonly icon: IconName; readonly look: string; readonly label: string }>> = {
  done: { icon: 'check', look: 'ok', label: 'Approved by you' },
  denied: { icon: 'x', look: 'faint', label: 'Denied by you' },
  expired: { icon: 'clock', look: 'faint', label: 'Expired, nothing changed' },
  failed: { icon: 'warn', look: 'warn', label: 'Not applied, nothing changed' },
  executing: { icon: 'clock', look: 'faint', label: 'Approved, running' },
};

/** The time of the decision or of the expiry. */
const endOf = ({ decidedAt, confirmationData }: Confirmation): string => decidedAt ?? confirmationData.expiresAt;

function Decided({ ticket, href, current }: { readonly ticket: Confirmation; readonly href: string; readonly current: boolean }) {
  const outcome = OUTCOMES[ticket.state] ?? OUTCOMES['failed'];
  return (
    <a className="item" href={href} aria-current={current ? 'true' : undefined}>
      <Icon name={outcome?.icon ?? 'warn'} className={outcome?.look ?? ''} />
      <span>
        <span className="t1">
          <bdi>{ticket.confirmationData.summary}</bdi>
        </span>
        <span className="t2">{ticket.error?.code === 'CHANGED_SINCE_APPROVAL' ? 'Not applied, it had changed' : outcome?.label}</span>
      </span>
      <span className="t3">{moment(endOf(ticket))}</span>
    </a>
  );
}

export function Inbox({ id, base }: { readonly id: string | undefined; readonly base: string }) {
  const { waiting } = useApp();
  const [decided, setDecided] = useState<readonly Confirmation[]>([]);
  const [opened, setOpened] = useState(false);
  const load = useCallback(async () => {
    const found = await get<readonly Confirmation[]>('/api/confirmations?decided=true').catch(() => []);
    setDecided(found.toSorted((a, b) => Date.parse(endOf(b)) - Date.parse(endOf(a))));
  }, []);
  useEffect(() => void load(), [load, waiting]);
  const order = useMemo(() => [...waiting, ...decided].map(({ confirmationId }) => confirmationId), [waiting, decided]);
  // Shows the first card without moving the focus to it.
  const shown = id ?? waiting[0]?.confirmationId;
  const move = useCallback(
    (by: number) => {
      const next = order[Math.max(0, Math.min(order.length - 1, order.indexOf(shown ?? '') + by))];
      if (next === undefined) return;
      setOpened(false);
      go(`${base}/${next}`, { replace: true });
    },
    [order, shown, base],
  );
  useKeys(
    useMemo(
      () => ({
        j: () => move(1),
        k: () => move(-1),
        Enter: () => {
          if (document.activeElement === document.body) document.querySelector<HTMLElement>('.card-host [data-heading]')?.focus();
        },
        Escape: () => go(base),
      }),
      [move, base],
    ),
  );
  return (
    <main
      id="main"
      tabIndex={-1}
      className={`inbox ${id === undefined ? '' : 'show-detail'}`}
      onClick={({ target }) => target instanceof Element && target.closest('.item') && setOpened(true)}
    >
      <div className="inbox-list">
        <h2>Waiting for you</h2>
        {waiting.length === 0 && (
          <div className="empty">
            <Icon name="check" />
            <h3>No pending approvals</h3>
            <p>Changes that you ask for appear here for five minutes.</p>
          </div>
        )}
        {waiting.length > 0 && (
          <ul>
            {waiting.map((ticket) => (
              <li key={ticket.confirmationId}>
                <WaitingTicket ticket={ticket} href={`${base}/${ticket.confirmationId}`} current={ticket.confirmationId === shown} />
              </li>
            ))}
          </ul>
        )}
        {decided.length > 0 && (
          <>
            <h2>Last 24 hours</h2>
            <ul>
              {decided.map((ticket) => (
                <li key={ticket.confirmationId}>
                  <Decided ticket={ticket} href={`${base}/${ticket.confirmationId}`} current={ticket.confirmationId === shown} />
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
      <section className="inbox-detail" aria-label="The change">
        {id !== undefined && (
          <p className="show-s mb-5">
            <a className="btn btn--quiet btn--sm" href={base}>
              <Icon name="back" className="i-14" />
              All approvals
            </a>
          </p>
        )}
        {shown !== undefined ? (
          <Shown key={shown} id={shown} opened={opened} />
        ) : (
          <p className="small faint">Approve or deny each change separately.</p>
        )}
      </section>
    </main>
  );
}

function Shown({ id, opened }: { readonly id: string; readonly opened: boolean }) {
  const [state, setState] = useState<CardState>();
  return (
    <>
      <ApprovalCard id={id} opened={opened} onState={setState} />
      {state === 'waiting' && <p className="small faint mt-5">Approve or deny each change separately.</p>}
    </>
  );
}

export function ApprovalsPage({ id }: { readonly id: string | undefined }) {
  const { waiting } = useApp();
  const { pathname } = useAddress();
  return (
    <Shell
      path={pathname}
      title="Approvals"
      badge={waiting.length > 0 && <span className="badge badge--accent">{waiting.length} waiting</span>}
      beside={
        <span className="small faint hide-s">
          <span className="kbd">J</span> <span className="kbd">K</span> move, <span className="kbd">Enter</span> opens
        </span>
      }
    >
      <Inbox id={id} base="/approvals" />
    </Shell>
  );
}
