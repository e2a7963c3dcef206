/** The conversation page: suggestions, questions, answers and the question field. */
import { lazy, Suspense, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Composer } from '../components/composer.tsx';
import { Icon } from '../components/icon.tsx';
import { Notice, ErrorNotice } from '../components/notice.tsx';
import { SmallRing, useSecondsLeft } from '../components/ring.tsx';
import { TurnView } from '../components/turn.tsx';
import { useApp } from '../lib/app.tsx';
import { ASKED, type Asker, useConversation } from '../lib/conversation.ts';
import { useKeys } from '../lib/keyboard.ts';
import { loadDraft, saveDraft } from '../lib/browser-session.ts';
import { go, useAddress } from '../lib/router.ts';
import { type SuggestionGroup, suggestions } from '../lib/tools.ts';
import { count, labelFor, joined } from '../lib/format.ts';
import { Shell } from '../shell.tsx';

const EraseDialog = lazy(() => import('../components/erase-dialog.tsx'));

const NOTE = 'Most changes need your approval.';
const NEAR = 80;
/** The height of the bar at the top of the page, with some space. */
const BAR = 68;
/** The page follows a growing answer until this long after its last change. Later growth comes from the user. */
const SETTLES_MS = 5000;

function Waits() {
  const { waiting } = useApp();
  const [first] = waiting;
  const left = useSecondsLeft(first?.confirmationData.expiresAt ?? '1970-01-01');
  if (!first) return null;
  return (
    <a className="waiting" href="/approvals">
      <SmallRing left={left} />
      <span className="grow mid">
        <b>{waiting.length === 1 ? '1 change waits for you:' : `${waiting.length} changes wait for you:`}</b>{' '}
        <bdi>{first.confirmationData.summary}</bdi>
      </span>
      <span className="mid medium accent">Review</span>
    </a>
  );
}

function Suggestions({ groups, onAsk }: { readonly groups: readonly SuggestionGroup[]; readonly onAsk: (question: string) => void }) {
  const { servers } = useApp();
  const tools = servers.reduce((sum, each) => sum + each.tools.length, 0);
  return (
    <>
      {groups.map(({ name, suggestions: some }) => (
        <section key={name} aria-label={`You could ask: ${name.toLowerCase()}`} className="mt-8">
          <h2 className="eyebrow mb-4">{name}</h2>
          <div className="suggest">
            {some.map(({ ask, server, writes, atOnceWhen }) => (
              <button key={ask} type="button" onClick={() => onAsk(ask)}>
                <span>{ask}</span>
                <span className="tag">{writes ? `${server}, ${atOnceWhen === null ? 'needs' : 'may need'} approval` : server}</span>
              </button>
            ))}
          </div>
        </section>
      ))}
      <p className="small muted mt-7">
        You can use {count(tools, 'tool')} on {count(servers.length, 'server')}. <a href="/tools">See all of them</a>
      </p>
    </>
  );
}

const aboutWhat = (groups: readonly SuggestionGroup[]) =>
  joined(
    groups.map(({ name }) => (name === 'You' ? 'yourself' : name.toLowerCase())),
    'or',
  );

/** The end of the page, but not so far down that the last question leaves the view. */
function endInView(): number {
  const question = [...document.querySelectorAll('.turn')].at(-1);
  const top = question === undefined ? Number.POSITIVE_INFINITY : question.getBoundingClientRect().top + scrollY - BAR;
  return Math.min(document.documentElement.scrollHeight - innerHeight, top);
}

/** Scrolls with a growing answer if the user is at its end. */
function useFollowing(changes: readonly unknown[]): { readonly away: boolean; readonly toEnd: () => void } {
  const [away, setAway] = useState(false);
  const following = useRef(true);
  const until = useRef(0);
  useEffect(() => {
    const look = () => {
      following.current = Math.abs(endInView() - scrollY) < NEAR;
      setAway(document.documentElement.scrollHeight - innerHeight - scrollY >= NEAR);
    };
    addEventListener('scroll', look, { passive: true });
    return () => removeEventListener('scroll', look);
  }, []);
  const toEnd = useCallback(() => {
    following.current = true;
    scrollTo({ top: document.documentElement.scrollHeight });
  }, []);
  // Cards and charts appear later and also move the end of the page.
  const some = changes.length > 0;
  useEffect(() => {
    const thread = document.querySelector('.thread');
    if (!some || !thread) return;
    const watch = new ResizeObserver(() => {
      if (following.current && performance.now() < until.current) scrollTo({ top: endInView() });
    });
    watch.observe(thread);
    return () => watch.disconnect();
  }, [some]);
  useLayoutEffect(() => {
    until.current = performance.now() + SETTLES_MS;
    if (following.current && changes.length > 0) scrollTo({ top: endInView() });
  }, [changes]);
  return { away, toEnd };
}

export function AskPage({ id }: { readonly id: string | undefined }) {
  const { me, servers, waiting } = useApp();
  const groups = useMemo(() => suggestions(servers, me.roles), [servers, me.roles]);
  const { pathname } = useAddress();
  const field = useRef<HTMLTextAreaElement>(null);
  // A reload during an answer puts the question back into the field.
  const [interrupted] = useState(() => loadDraft(me.username, ASKED));
  const [draft, setDraft] = useState(() => loadDraft(me.username, 'draft') || interrupted);
  // True if the returned question is in the field. Then the later text of the field is sent, or nothing.
  const givenBack = useRef(false);
  const asker: Asker = {
    back: (question) => {
      givenBack.current = draft.trim() === '';
      if (givenBack.current) setDraft(question);
    },
    due: (question) => {
      const meant = givenBack.current ? draft.trim() : question;
      if (meant !== '') put(meant);
    },
  };
  const conversation = useConversation(id, asker);
  const { turns, answering, status, trouble, held, model } = conversation;
  const { away, toEnd } = useFollowing(turns);
  useEffect(() => saveDraft(me.username, 'draft', draft), [me.username, draft]);
  useEffect(() => saveDraft(me.username, ASKED, ''), [me.username]);
  useEffect(() => {
    if (matchMedia('(min-width: 760px)').matches) field.current?.focus({ preventScroll: true });
  }, [id === undefined, turns.length === 0]);
  useKeys(useMemo(() => (answering ? { Escape: conversation.stop } : {}), [answering, conversation.stop]));

  const { ask } = conversation;
  const put = useCallback(
    (question: string) => {
      // The user may have typed another draft meanwhile, so only this question is removed.
      setDraft((before) => (before.trim() === question ? '' : before));
      ask(question);
      requestAnimationFrame(toEnd);
    },
    [ask, toEnd],
  );
  const narrow = useCallback((filter: string) => {
    setDraft(`Only with ${labelFor(filter).toLowerCase()} `);
    field.current?.focus();
  }, []);
  const composer = (
    <Composer
      field={field}
      draft={draft}
      onDraft={setDraft}
      onAsk={() => put(draft.trim())}
      onStop={conversation.stop}
      answering={answering}
      waits={held}
      model={model ?? me.assistant.model}
      long={turns.length === 0}
      placeholder={turns.length === 0 ? `Ask about ${aboutWhat(groups)}` : 'Ask a follow-up'}
    />
  );
  const said = (
    <p className="sr" role="status">
      {status}
    </p>
  );
  const limited = held > 0 && (
    <Notice look="warn" icon="clock" what="Too many questions in a short time.">
      Your next question is sent in {count(held, 'second')}. Nothing is lost.
    </Notice>
  );
  const back = interrupted !== '' && draft === interrupted && (
    <Notice icon="redo" what="The page was reloaded before the answer was complete.">
      Your question is back in its field.
    </Notice>
  );
  if (turns.length === 0 && id === undefined) {
    return (
      <Shell path={pathname} title="Ask" bare beside={<SearchHint />}>
        <main className="ask" id="main" tabIndex={-1}>
          <h1>What do you want to know, {me.name.split(' ')[0]}?</h1>
          <div className="mt-7">{composer}</div>
          <p className="small faint dock-note">{NOTE}</p>
          {back}
          {limited}
          {trouble && <ErrorNotice error={trouble.answer} requestId={trouble.requestId} again={conversation.again} />}
          {waiting.length > 0 && (
            <div className="mt-6">
              <Waits />
            </div>
          )}
          <Suggestions groups={groups} onAsk={put} />
          {said}
        </main>
      </Shell>
    );
  }
  return (
    <Shell
      path={pathname}
      title={conversation.title}
      beside={
        <>
          {id !== undefined && turns.length > 0 && <Erase key={id} onErase={() => void conversation.erase()} />}
          <button
            className="btn"
            type="button"
            onClick={() => {
              go('/');
              requestAnimationFrame(() => field.current?.focus());
            }}
          >
            <Icon name="plus" />
            New
          </button>
        </>
      }
    >
      <main className="thread" id="main" tabIndex={-1}>
        <div aria-live="off">
          {turns.map((turn, index) => (
            <TurnView
              key={turn.key}
              turn={turn}
              next={turns[index + 1]?.question}
              last={index === turns.length - 1}
              onAsk={put}
              onNarrow={narrow}
            />
          ))}
        </div>
        {turns.length === 0 && !trouble && (
          <div className="first" aria-busy="true">
            <span className="spin spin--20" aria-hidden="true" />
          </div>
        )}
        {trouble && (
          <div className="mt-7">
            <ErrorNotice error={trouble.answer} requestId={trouble.requestId} again={conversation.again} />
          </div>
        )}
        {said}
      </main>
      <div className="jump" hidden={!away}>
        <button className="btn" type="button" onClick={toEnd}>
          <Icon name="down2" className="i-14" />
          Go to the end
        </button>
      </div>
      <section className="dock" aria-label="Ask a question">
        <div className="dock-in">
          {back}
          {limited}
          {composer}
          <p className="small faint dock-note">{NOTE}</p>
        </div>
      </section>
    </Shell>
  );
}

function Erase({ onErase }: { readonly onErase: () => void }) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <button className="btn btn--quiet btn--sm hide-s" type="button" aria-haspopup="dialog" onClick={() => setAsking(true)}>
        Erase
      </button>
      <Suspense fallback={null}>{asking && <EraseDialog onErase={onErase} onClose={() => setAsking(false)} />}</Suspense>
    </>
  );
}

const SearchHint = () => (
  <button
    className="btn btn--quiet btn--sm"
    type="button"
    onClick={() => dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true }))}
  >
    <Icon name="search" />
    Search <span className="kbd hide-s">Ctrl K</span>
  </button>
);
