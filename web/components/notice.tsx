/** Notices: errors of tools, lost connection, unavailable servers. */
import type { ReactNode } from 'react';
import { useApp } from '../lib/app.tsx';
import { labelFor, joined } from '../lib/format.ts';
import { CopyButton } from './copy-button.tsx';
import { Icon, type IconName } from './icon.tsx';
import type { ErrorAnswer } from '../lib/contract.ts';

interface NoticeProps {
  readonly look?: 'info' | 'accent' | 'warn' | 'bad';
  readonly icon?: IconName;
  readonly what: ReactNode;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}

export const Notice = ({ look = 'info', icon = 'info', what, children, action }: NoticeProps) => (
  <div className={`notice notice--${look}`}>
    <Icon name={icon} />
    <div>
      <b>{what}</b> {children}
    </div>
    {action && <div className="act">{action}</div>}
  </div>
);

const REFUSED = new Set(['INSUFFICIENT_PERMISSIONS', 'SEPARATION_OF_DUTIES', 'IDENTITY_NOT_LINKED', 'PERSON_REQUIRED']);

/** Shows the error of a tool. The code decides icon, text and action. */
export function ErrorNotice({
  error,
  requestId = '',
  again,
}: {
  readonly error: Omit<ErrorAnswer, 'status'>;
  readonly requestId?: string;
  readonly again?: (() => void) | undefined;
}) {
  const retry = again && error.retryable && (
    <button className="btn btn--sm" type="button" onClick={again}>
      <Icon name="redo" className="i-14" />
      Try again
    </button>
  );
  if (error.code === 'INTERNAL_ERROR') {
    const id = requestId || String((error.details?.['requestId'] as string | undefined) ?? '');
    const acts = (
      <>
        {id !== '' && <CopyButton label="Copy id" text={() => id} />}
        {retry}
      </>
    );
    return (
      <Notice look="bad" icon="warn" what="Something went wrong on our side." action={acts}>
        Nothing was changed.{' '}
        {id !== '' && (
          <>
            Request <code>{id}</code>
          </>
        )}
      </Notice>
    );
  }
  if (error.code === 'RATE_LIMITED') {
    return (
      <Notice look="warn" icon="clock" what={error.message} action={retry}>
        Nothing is lost.
      </Notice>
    );
  }
  if (error.code === 'SERVICE_UNAVAILABLE' || error.code === 'TIMEOUT' || error.code === 'OFFLINE') {
    return (
      <Notice look="warn" icon="plug" what={error.message} action={retry}>
        {error.suggestedAction}
      </Notice>
    );
  }
  const notFound = /(^|_)NOT_FOUND$/.test(error.code);
  return (
    <Notice icon={REFUSED.has(error.code) ? 'lock' : notFound ? 'search' : 'info'} what={error.message} action={retry}>
      {error.suggestedAction}
    </Notice>
  );
}

/** Shows a banner while the browser is offline or a server does not answer. */
export function Offline() {
  const { online, states } = useApp();
  const down = states.filter(({ state }) => state !== 'ok');
  return (
    <div role="status" className="notices">
      {!online && (
        <p className="strip strip--warn">
          <Icon name="plug" />
          <span>
            <b>No connection.</b> The page does not update. Checking every few seconds.
          </span>
        </p>
      )}
      {online && down.length > 0 && (
        <p className="strip strip--warn">
          <Icon name="plug" />
          <span>
            <b>
              {joined(down.map(({ title, server }) => title || labelFor(server)))} {down.length === 1 ? 'does' : 'do'} not answer.
            </b>{' '}
            Other data is not affected.
          </span>
        </p>
      )}
    </div>
  );
}
