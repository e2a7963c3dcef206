/**
 * The behaviour of an approval card, on the approval page and in the web app. The server renders each state; this module requests the state
 * after each step.
 */
import { createArmedButtons } from './armed-buttons.ts';
import { createServerClock, drawRing, timeLeft } from './countdown.ts';

export type CardState = 'waiting' | 'executing' | 'done' | 'denied' | 'expired' | 'changed' | 'refused' | 'failed' | 'lost';

export interface CardOptions {
  /** The status region that screen readers announce. */
  readonly live: HTMLElement;
  /** Contains the templates of states that must be visible without a request. */
  readonly templates: ParentNode;
  /** True in the app: the card takes the focus only if the user uses it, and its heading is an h3. */
  readonly inApp?: boolean;
  /** Called for each visible state. In the app also for `signed-out` and for `gone` (the card no longer exists). */
  readonly onState?: (state: CardState | 'signed-out' | 'gone') => void;
}

const WATCH_MS = 5000;
const RUNNING_MS = 1000;
/** After this time, the card shows a running execution as lost. */
const LONGEST_RUN_MS = 8000;
const LOST_MS = 3000;
const TICK_MS = 100;
const WARN_SECONDS = 60;
const LAST_SECONDS = 15;

function find<T extends Element = HTMLElement>(parent: ParentNode, selector: string): T {
  const found = parent.querySelector<T>(selector);
  if (!found) throw new Error(`The card has no ${selector}.`);
  return found;
}

/** Returns a function that detaches the card. */
export function attachCard(slot: HTMLElement, { live, templates, inApp = false, onState = () => {} }: CardOptions): () => void {
  const id = slot.dataset['id'] ?? '';
  const leaving = new AbortController();
  const { signal } = leaving;
  const clock = createServerClock();
  const armed = createArmedButtons(slot);
  let isBusy = false;
  /** The button on which the pointer went down. */
  let pressed: Element | null = null;
  /** The last announced number of seconds. */
  let announced = 0;
  /** The last decision that was sent. */
  let decided: boolean | undefined;
  let runningSince = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const article = () => find(slot, 'article');
  const state = () => article().dataset['state'] as CardState;
  const heading = () => slot.querySelector<HTMLElement>('[data-heading]');
  const announce = (text: string) => {
    live.textContent = text;
  };
  const say = (text: string) => {
    find(slot, '[data-say]').textContent = text;
  };
  const later = (work: () => Promise<void>, ms: number) => {
    clearTimeout(timer);
    if (!signal.aborted) timer = setTimeout(() => void work(), ms);
  };

  function countDown(): void {
    const ring = slot.querySelector<HTMLElement>('[data-ring]');
    const { expires } = article().dataset;
    if (!ring || !expires) return;
    const left = Math.max(0, Math.ceil((Date.parse(expires) - clock.now()) / 1000));
    drawRing(ring, left);
    if (left <= WARN_SECONDS && !isBusy) say(`${timeLeft(left)} left. If it runs out, nothing is changed.`);
    const mark = left <= LAST_SECONDS ? LAST_SECONDS : left <= WARN_SECONDS ? WARN_SECONDS : 0;
    if (mark > 0 && mark !== announced) {
      announced = mark;
      announce(`This expires in ${timeLeft(left)}.`);
    }
    if (left === 0 && !isBusy) {
      isBusy = true;
      void settle();
    }
  }

  function signIn(): void {
    if (inApp) onState('signed-out');
    else location.assign(`/signin?${new URLSearchParams({ to: location.pathname })}`);
  }

  async function get(path: string, accept: string): Promise<Response> {
    const answer = await fetch(path, { headers: { accept }, credentials: 'same-origin', cache: 'no-store', redirect: 'error' });
    clock.correct(answer.headers.get('date'));
    if (answer.status === 401) {
      signIn();
      throw new Error('signed out');
    }
    return answer;
  }

  async function stateAtServer(): Promise<string | undefined> {
    const answer = await get(`/api/confirmations/${id}`, 'application/json');
    if (!answer.ok) return 'gone';
    const body = (await answer.json()) as { readonly state?: string; readonly data?: { readonly state?: string } };
    return (body.data ?? body).state;
  }

  /** The page of the app has its own h1, so the heading of the card becomes an h3. */
  function lowerHeading(): void {
    const title = slot.querySelector('h1');
    if (!inApp || !title) return;
    const lower = document.createElement('h3');
    for (const { name, value } of title.attributes) lower.setAttribute(name, value);
    lower.replaceChildren(...title.childNodes);
    title.replaceWith(lower);
  }

  function show(nodes: readonly Node[]): void {
    if (signal.aborted) return;
    const takesFocus = !inApp || decided !== undefined || slot.contains(document.activeElement);
    slot.replaceChildren(...nodes);
    lowerHeading();
    dispatchEvent(new Event('tamshai:shown'));
    if (takesFocus) heading()?.focus({ preventScroll: true });
    announce(slot.querySelector('.ap-kind')?.textContent ?? '');
    onState(state());
  }

  const fromTemplate = (name: string): Node[] => [
    ...find<HTMLTemplateElement>(templates, `template[${name}]`).content.cloneNode(true).childNodes,
  ];
  function showRunning(): void {
    runningSince = performance.now();
    show(fromTemplate('data-executing'));
  }
  /** Offers to approve again, unless the person denied. Approving again is safe, because the server executes a change only once. */
  function showLost(): void {
    show(fromTemplate('data-lost'));
    if (decided === false) find(slot, '[data-decide]').remove();
    isBusy = false;
    armed.reset();
  }

  /** Shows the card that the server renders now. */
  async function redraw(): Promise<void> {
    const answer = await get(`/approve/${id}`, 'text/html');
    const rendered = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector<HTMLElement>('[data-slot]');
    if (!rendered) {
      if (inApp) onState('gone');
      else location.reload();
      return;
    }
    Object.assign(slot.dataset, rendered.dataset);
    show([...rendered.childNodes].map((node) => document.importNode(node, true)));
    begin();
  }

  async function settle(): Promise<void> {
    try {
      if ((await stateAtServer()) !== 'executing') return await redraw();
      if (state() === 'waiting') showRunning();
      else if (state() === 'executing' && performance.now() - runningSince > LONGEST_RUN_MS) showLost();
      later(settle, state() === 'lost' ? LOST_MS : RUNNING_MS);
    } catch {
      if (signal.aborted) return;
      if (state() !== 'lost') showLost();
      later(settle, LOST_MS);
    }
  }

  /** Another tab or the requesting program may have changed the state. */
  async function watch(): Promise<void> {
    if (!isBusy && document.visibilityState === 'visible') {
      try {
        const now = await stateAtServer();
        if (!isBusy && now !== 'waiting') {
          isBusy = true;
          return await settle();
        }
      } catch {
        /* no answer: the next check asks again */
      }
    }
    if (!isBusy) later(watch, WATCH_MS);
  }

  /** Returns the message if the server refused the decision. Without an answer, `settle` asks whether the server got the request. */
  async function send(approved: boolean): Promise<{ readonly refusal: string } | 'signed-out'> {
    const { csrf = '', card = '' } = slot.dataset;
    if (approved) showRunning();
    try {
      const answer = await fetch(`/api/confirm/${id}`, {
        method: 'POST',
        credentials: 'same-origin',
        cache: 'no-store',
        redirect: 'error',
        headers: { 'content-type': 'application/json', accept: 'application/json', 'x-tamshai-csrf': csrf, 'x-tamshai-card': card },
        body: JSON.stringify({ approved }),
      });
      clock.correct(answer.headers.get('date'));
      if (answer.status === 401) return 'signed-out';
      if (answer.ok) return { refusal: '' };
      const { message = '' } = (await answer.json()) as { readonly message?: string };
      return { refusal: message };
    } catch {
      return { refusal: '' };
    }
  }

  async function decide(approved: boolean): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    decided = approved;
    clearTimeout(timer);
    armed.update(isBusy);
    const sent = await send(approved);
    if (sent === 'signed-out') return signIn();
    await settle();
    if (sent.refusal && state() === 'waiting') {
      say(sent.refusal);
      announce(sent.refusal);
    }
  }

  /** A deletion asks a second time, with buttons in another place. */
  function askAgain(second: boolean): void {
    find(slot, '[data-first]').hidden = second;
    find(slot, '[data-second]').hidden = !second;
    armed.reset();
    armed.update(isBusy);
    (second ? find(slot, '[data-second-text]') : heading())?.focus({ preventScroll: true });
  }

  function press(button: HTMLButtonElement, detail: number): void {
    if (button.hasAttribute('data-check')) {
      clearTimeout(timer);
      void settle();
      return;
    }
    const what = button.dataset['decide'];
    if (!what || isBusy) return;
    if (what === 'back') return askAgain(false);
    // A pointer click counts only if the pointer went down on the same button. A keyboard click has `detail` 0.
    const beganElsewhere = detail > 0 && pressed !== button;
    if (!armed.update(isBusy) || beganElsewhere) return;
    pressed = null;
    if (what === 'ask') askAgain(true);
    else void decide(what === 'approve');
  }

  function begin(): void {
    isBusy = state() !== 'waiting';
    armed.reset();
    announced = 0;
    if (state() === 'waiting') {
      clock.set(Date.parse(article().dataset['now'] ?? ''));
      armed.update(isBusy);
      countDown();
      later(watch, WATCH_MS);
    }
    if (state() === 'executing') {
      runningSince = performance.now();
      later(settle, RUNNING_MS);
    }
  }

  const closest = ({ target }: Event, selector: string) => (target instanceof Element ? target.closest<HTMLButtonElement>(selector) : null);
  slot.addEventListener(
    'pointerdown',
    (event) => {
      pressed = event.isTrusted && armed.update(isBusy) ? closest(event, '[data-decide]') : null;
    },
    { signal },
  );
  slot.addEventListener(
    'click',
    (event) => {
      const button = closest(event, 'button');
      // Only a person may decide. `isTrusted` is false for a click from a script.
      if (button && event.isTrusted) press(button, event.detail);
    },
    { signal },
  );
  document.addEventListener(
    'visibilitychange',
    () => {
      armed.reset();
      if (!document.hidden) void watch();
    },
    { signal },
  );
  const ticking = setInterval(() => {
    if (state() !== 'waiting' && state() !== 'lost') return;
    armed.update(isBusy);
    countDown();
  }, TICK_MS);
  lowerHeading();
  begin();
  if (!inApp) heading()?.focus({ preventScroll: true });
  return () => {
    leaving.abort();
    clearInterval(ticking);
    clearTimeout(timer);
  };
}
