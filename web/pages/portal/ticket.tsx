/** One support ticket: its messages, its details and the reply form. */
import { useId, useState } from 'react';
import { ApprovalCard } from '../../components/card.tsx';
import { Icon } from '../../components/icon.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { useApp } from '../../lib/app.tsx';
import { lookOf } from '../../lib/columns.ts';
import { loadDraft, saveDraft } from '../../lib/browser-session.ts';
import { useTitle } from '../../lib/title.ts';
import { callTool, useTool } from '../../lib/use-tool.ts';
import { labelForCode, initials, moment, whenAt } from '../../lib/format.ts';
import { MayHelp } from './articles.tsx';
import type { ErrorAnswer } from '../../lib/contract.ts';

interface Comment {
  readonly comment_id: string;
  readonly author_name: string;
  readonly author_kind: 'customer' | 'staff';
  readonly body: string;
  readonly created_at: string;
}
interface Ticket {
  readonly ticket_id: string;
  readonly subject: string;
  readonly description: string;
  readonly status: string;
  readonly priority: string;
  readonly category: string;
  readonly visibility: string;
  readonly opened_by: string;
  readonly agent: string | null;
  readonly created_at: string;
  readonly resolution: string | null;
  readonly resolved_at: string | null;
  readonly comments: readonly Comment[];
}
const LONGEST = 2000;

type Reader = Pick<ReturnType<typeof useApp>['me'], 'name' | 'roles'>;
/** Only the author and the lead contact see a private ticket, so the reader is one of them. */
function whoSees({ visibility, opened_by: author }: Ticket, { name, roles }: Reader): string {
  if (visibility === 'organization') return 'Everyone in your organisation';
  if (!roles.includes('lead-customer')) return 'You and your lead contact';
  return author === name ? 'Only you' : `${author} and you`;
}
function othersWhoSee({ visibility, opened_by: author }: Ticket, { name, roles }: Reader): string {
  if (visibility === 'organization') return 'everyone in your organisation';
  if (!roles.includes('lead-customer')) return 'your lead contact';
  return author === name ? 'you' : author;
}

const Message = ({
  by,
  staff,
  me,
  at,
  text,
}: {
  readonly by: string;
  readonly staff: boolean;
  readonly me: boolean;
  readonly at: string;
  readonly text: string;
}) => (
  <li className="msg">
    <span className={`avatar avatar--32 ${staff ? '' : 'avatar--me'}`} aria-hidden="true">
      {initials(by)}
    </span>
    <div>
      <div className="by">
        <b>
          <bdi>{by}</bdi>
        </b>
        <span className="small faint">{staff ? 'Tamshai Support' : me ? 'You' : 'Your organisation'}</span>
        <span className="grow" />
        <time className="small faint" dateTime={at}>
          {moment(at)}
        </time>
      </div>
      <p className="txt pre">
        <bdi>{text}</bdi>
      </p>
    </div>
  </li>
);

function Reply({ ticket, onSent }: { readonly ticket: Ticket; readonly onSent: () => void }) {
  const { me } = useApp();
  const id = useId();
  const draftName = `ticket:${ticket.ticket_id}`;
  const [text, setText] = useState(() => loadDraft(me.username, draftName));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ErrorAnswer>();
  const [card, setCard] = useState<string>();
  const change = (next: string) => {
    setText(next);
    saveDraft(me.username, draftName, next);
  };
  const submit = async () => {
    if (busy || text.trim() === '') return;
    setBusy(true);
    const { answer } = await callTool('support', 'customer_add_comment', { input: { ticket_id: ticket.ticket_id, comment: text } });
    setBusy(false);
    if (answer.status === 'error') setProblem(answer);
    else {
      setProblem(undefined);
      change('');
      if (answer.status === 'pending_confirmation') setCard(answer.confirmationId);
      onSent();
    }
  };
  return (
    <form
      className="field mt-6"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label htmlFor={id}>Your answer</label>
      <textarea
        id={id}
        className="area"
        rows={4}
        maxLength={LONGEST}
        value={text}
        placeholder={ticket.agent ? `Write to ${ticket.agent.split(' ')[0]}` : 'Write to support'}
        aria-describedby={`${id}-h`}
        aria-invalid={problem ? true : undefined}
        onChange={({ target }) => change(target.value)}
      />
      {problem && (
        <span className="err">
          <Icon name="warn" />
          <span>{problem.message}</span>
        </span>
      )}
      <span className="hint row between" id={`${id}-h`}>
        <span>Seen by Tamshai Support and {othersWhoSee(ticket, me)}. Sent immediately.</span>
        <span className="num nowrap">
          {text.length.toLocaleString('en-US')} / {LONGEST.toLocaleString('en-US')}
        </span>
      </span>
      <span className="mt-4">
        <button className="btn btn--primary" type="submit" aria-busy={busy}>
          Send answer
        </button>
      </span>
      {card && <ApprovalCard id={card} opened onState={(state) => state === 'done' && onSent()} />}
    </form>
  );
}

/** An invalid id gets the same message as a ticket of another customer. The server's hint names tools, so this replaces it. */
const asNotFound = (error: ErrorAnswer, id: string): ErrorAnswer =>
  error.code === 'VALIDATION_ERROR' || error.code === 'TICKET_NOT_FOUND'
    ? {
        ...error,
        code: 'TICKET_NOT_FOUND',
        message: `There is no ticket ${id} that you can see.`,
        suggestedAction: 'Search for it in the list of tickets.',
      }
    : error;

export function TicketPage({ id }: { readonly id: string }) {
  const { me } = useApp();
  const { answer, requestId, again } = useTool('support', 'customer_get_ticket', { ticket_id: id });
  useTitle(answer?.status === 'success' ? (answer.data as Ticket).subject : 'Ticket');
  const back = (
    <p className="mb-4">
      <a className="btn btn--quiet btn--sm back" href="/portal">
        <Icon name="back" className="i-14" />
        Tickets
      </a>
    </p>
  );
  if (!answer) return <div className="skeleton skeleton--figure" aria-hidden="true" />;
  if (answer.status !== 'success') {
    return (
      <>
        {back}
        <h1 className="mb-6">Ticket</h1>
        {answer.status === 'error' && <ErrorNotice error={asNotFound(answer, id)} requestId={requestId} again={again} />}
      </>
    );
  }
  const ticket = answer.data as Ticket;
  const solved = ticket.resolved_at !== null;
  return (
    <>
      {back}
      <h1>
        <bdi>{ticket.subject}</bdi>
      </h1>
      <p className="row row-wrap small muted mt-2">
        <span className={`badge badge--${lookOf(ticket.status)}`}>
          {ticket.status === 'pending' ? 'Waiting for you' : labelForCode(ticket.status)}
        </span>
        <span>{labelForCode(ticket.priority)}</span>
        <span>{labelForCode(ticket.category)}</span>
        <span>Opened {whenAt(ticket.created_at)}</span>
      </p>
      <div className="two mt-7">
        <div>
          <ol aria-label="Messages">
            <Message
              by={ticket.opened_by}
              staff={false}
              me={ticket.opened_by === me.name}
              at={ticket.created_at}
              text={ticket.description}
            />
            {ticket.comments.map((comment) => (
              <Message
                key={comment.comment_id}
                by={comment.author_name}
                staff={comment.author_kind === 'staff'}
                me={comment.author_name === me.name}
                at={comment.created_at}
                text={comment.body}
              />
            ))}
          </ol>
          {solved && (
            <p className="event">
              <Icon name="check" />
              <span>
                Resolved {whenAt(ticket.resolved_at ?? '')}
                {ticket.resolution && (
                  <>
                    : <bdi>{ticket.resolution}</bdi>
                  </>
                )}
              </span>
            </p>
          )}
          {ticket.status === 'closed' ? (
            <p className="small muted mt-6">This ticket is closed. Open a new one if the problem comes back.</p>
          ) : (
            <Reply ticket={ticket} onSent={again} />
          )}
        </div>
        <aside className="stack-l">
          <section>
            <h2 className="mid strong mb-4">About</h2>
            <dl className="kv mid">
              <dt>Opened by</dt>
              <dd>
                <bdi>{ticket.opened_by}</bdi>
              </dd>
              <dt>Agent</dt>
              <dd>{ticket.agent ? <bdi>{ticket.agent}</bdi> : 'Not yet assigned'}</dd>
              <dt>Priority</dt>
              <dd>{labelForCode(ticket.priority)}</dd>
              <dt>Category</dt>
              <dd>{labelForCode(ticket.category)}</dd>
              <dt>Seen by</dt>
              <dd>
                <bdi>{whoSees(ticket, me)}</bdi>
              </dd>
            </dl>
          </section>
          <MayHelp title="Related articles" words={ticket.subject} />
        </aside>
      </div>
    </>
  );
}
