/** The state of one conversation: its turns, the running answer, rate limits and errors. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Conversation as Kept } from './contract.ts';
import { get, OFFLINE, ApiError, remove } from './api.ts';
import { useApp } from './app.tsx';
import { ask as stream } from './ask.ts';
import { isLeaving, saveDraft, stream as newStream } from './browser-session.ts';
import { refreshRecent } from './recent.ts';
import { go } from './router.ts';
import { cardsOf, applyEvent, newTurn, turnsOf, type Turn } from './turns.ts';

export interface Conversation {
  readonly turns: readonly Turn[];
  readonly title: string;
  readonly answering: boolean;
  /** Screen readers announce this once per answer. */
  readonly status: string;
  readonly trouble: ApiError | undefined;
  readonly held: number;
  readonly model: string | undefined;
  ask(question: string): void;
  again(): void;
  stop(): void;
  erase(): Promise<void>;
}

/** A question that only says yes or no. It decides nothing: only the buttons of the card do. */
const DECISION =
  /^\s*(yes|yep|yeah|y|ok|okay|sure|approve(d)?( it)?|confirm(ed)?|do it|go ahead|deny|no|cancel|ja|oui|sí|si)(,? (please|do it|go ahead))?[\s.!]*$/i;
const CANNOT = 'I cannot approve for you. Press Approve or Deny on the card above.';

/** The draft with the question that is being answered. After a reload it is still there, because the answer did not end. */
export const ASKED = 'asked';

let lastModel: string | undefined;

/** `back` receives a question that the server did not accept. `due` sends it again after the rate limit. */
export interface Asker {
  back(question: string): void;
  due(question: string): void;
}

export function useConversation(id: string | undefined, asker: Asker): Conversation {
  const { me, servers, waiting, refresh, lost } = useApp();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [answering, setAnswering] = useState(false);
  const [status, setStatus] = useState('');
  const [trouble, setTrouble] = useState<ApiError>();
  const [held, setHeld] = useState(0);
  const [model, setModel] = useState(lastModel);
  const current = useRef<string>(undefined);
  const running = useRef<AbortController>(undefined);
  const waits = useRef(waiting);
  waits.current = waiting;
  const shown = useRef(turns);
  shown.current = turns;
  const given = useRef(asker);
  given.current = asker;
  const names = useRef<readonly string[]>([]);
  names.current = servers.map(({ name }) => name);

  const load = useCallback(async (wanted: string, signal: AbortSignal) => {
    try {
      const found = await get<Kept>(`/api/conversations/${encodeURIComponent(wanted)}`, signal);
      setTurns(turnsOf(found, names.current));
      setTrouble(undefined);
    } catch (error) {
      if (!signal.aborted && error instanceof ApiError) setTrouble(error);
    }
  }, []);
  useEffect(() => {
    if (id === current.current) return;
    running.current?.abort();
    current.current = id;
    setTurns([]);
    setTrouble(undefined);
    setHeld(0);
    if (id === undefined) return;
    const leaving = new AbortController();
    void load(id, leaving.signal);
    return () => leaving.abort();
  }, [id, load]);
  useEffect(() => () => running.current?.abort(), []);

  const run = useCallback(
    async (question: string) => {
      const controller = newStream();
      running.current = controller;
      setAnswering(true);
      setStatus('Answering');
      setTrouble(undefined);
      saveDraft(me.username, ASKED, question);
      let turn = newTurn(question);
      setTurns((before) => [...before, turn]);
      // An answer has hundreds of pieces, so the page renders at most once per frame.
      let frame = 0;
      const draw = () => {
        frame = 0;
        setTurns((before) => before.map((each) => (each.key === turn.key ? turn : each)));
      };
      const change = (next: Turn) => {
        turn = next;
        frame ||= requestAnimationFrame(draw);
      };
      let cards = 0;
      try {
        for await (const event of stream(question, current.current, controller.signal)) {
          if (event.type === 'start') {
            lastModel = event.model;
            setModel(event.model);
            if (current.current !== event.conversationId) {
              current.current = event.conversationId;
              go(`/c/${event.conversationId}`, { replace: current.current !== undefined });
            }
          }
          if (event.type === 'pending_confirmation') {
            cards += 1;
            refresh();
          }
          change(applyEvent(turn, event));
        }
        if (turn.state === 'answering') change({ ...turn, state: controller.signal.aborted ? 'stopped' : 'done' });
        setStatus(
          cards > 0
            ? `${cards === 1 ? 'One change needs' : `${cards} changes need`} your approval within five minutes.`
            : controller.signal.aborted
              ? 'Stopped'
              : 'Answer ready',
        );
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (isLeaving()) return;
        const { code, details } = error.answer;
        if (code === OFFLINE) lost();
        if (turn.text === '' && turn.uses.length === 0) {
          setTurns((before) => before.filter((each) => each.key !== turn.key));
          if (code === 'RATE_LIMITED') setHeld(Math.max(1, Number(details?.['retryAfterSeconds'] ?? 5)));
          else if (code !== 'UNAUTHENTICATED') setTrouble(error);
          waitingQuestion.current = question;
          given.current.back(question);
          setStatus(error.message);
        } else {
          change({ ...turn, state: 'broken', brokeAt: new Date().toISOString() });
          setStatus('The answer was interrupted.');
        }
      } finally {
        cancelAnimationFrame(frame);
        draw();
        setAnswering(false);
        if (!isLeaving()) saveDraft(me.username, ASKED, '');
        controller.abort();
        void refreshRecent();
      }
    },
    [me.username, refresh, lost],
  );

  const waitingQuestion = useRef('');
  const again = useCallback(() => {
    const question = waitingQuestion.current;
    if (question === '') {
      if (current.current !== undefined) void load(current.current, new AbortController().signal);
      return;
    }
    waitingQuestion.current = '';
    given.current.due(question);
  }, [load]);
  useEffect(() => {
    if (held === 0) return;
    const timer = setTimeout(() => {
      setHeld(held - 1);
      if (held === 1) again();
    }, 1000);
    return () => clearTimeout(timer);
  }, [held, again]);

  const ask = useCallback(
    (question: string) => {
      if (question.trim() === '' || running.current?.signal.aborted === false) return;
      const open = cardsOf(shown.current).filter((card) => waits.current.some(({ confirmationId }) => confirmationId === card));
      if (open.length > 0 && DECISION.test(question)) {
        setTurns((before) => [...before, { ...newTurn(question), text: CANNOT, state: 'local' }]);
        setStatus(CANNOT);
        return;
      }
      void run(question);
    },
    [run],
  );
  const stop = useCallback(() => running.current?.abort(), []);
  const erase = useCallback(async () => {
    if (current.current === undefined) return;
    running.current?.abort();
    try {
      await remove(`/api/conversations/${encodeURIComponent(current.current)}`);
      void refreshRecent();
      go('/');
    } catch (error) {
      if (error instanceof ApiError) setTrouble(error);
      else throw error;
    }
  }, []);
  return { turns, title: turns[0]?.question ?? 'Ask', answering, status, trouble, held, model, ask, again, stop, erase };
}
