/**
 * The browser script of an approval card, on the approval page and in the web app. Every state is a card that the server renders; the
 * script asks the server for the state after each step.
 */
export const approveScript = `'use strict';
(() => {
  const INERT_MS = 800, WATCH_MS = 5000, RUNNING_MS = 1000, PATIENCE_MS = 8000, LOST_MS = 3000, CIRCLE = 2 * Math.PI * 19, WAITS = 300;
  /**
   * slot: holds the card. root: where the templates are. inApp: the card is one thing among others, so it never takes the focus from
   * elsewhere and its heading is not the page's. told: hears each state that is shown, and 'signed-out' and 'gone'.
   */
  const attach = (slot, { live, root, inApp = false, told: tell = () => {} }) => {
  const { id } = slot.dataset;
  const address = '/approve/' + id;
  const leaving = new AbortController();
  const article = () => slot.querySelector('article');
  const state = () => article().dataset.state;
  const say = (text) => { live.textContent = text; };
  const heading = () => slot.querySelector('[data-heading]');

  // The server's clock: what it said, plus what has passed here since.
  let told = { server: 0, here: 0 };
  const serverNow = () => told.server + (performance.now() - told.here);
  const hear = (header) => {
    const server = Date.parse(header ?? '') + 500;
    if (Number.isFinite(server) && Math.abs(server - serverNow()) > 1500) told = { server, here: performance.now() };
  };

  // Buttons do nothing until they have stood still, in a window that has the focus, for a while.
  let stood = '', since = 0, pressed = null, busy = false, announced = 0, last = null, ranSince = 0;
  const buttons = () => [...slot.querySelectorAll('[data-arming]')].filter((each) => each.offsetParent !== null);
  const where = () => [document.visibilityState, document.hasFocus(), ...buttons().map((each) => {
    const { left, top, width, height } = each.getBoundingClientRect();
    return [left, top, width, height].map(Math.round).join();
  })].join(' ');
  const watchButtons = () => {
    const now = where();
    if (now !== stood) { stood = now; since = performance.now(); }
    const ready = !busy && performance.now() - since >= INERT_MS;
    for (const each of buttons()) {
      if (ready) each.removeAttribute('aria-disabled'); else each.setAttribute('aria-disabled', 'true');
    }
    return ready;
  };

  const words = (left) => {
    const count = (n, what) => n + ' ' + what + (n === 1 ? '' : 's');
    const minutes = Math.floor(left / 60), rest = left % 60;
    return [minutes > 0 ? count(minutes, 'minute') : '', rest > 0 || minutes === 0 ? count(rest, 'second') : ''].filter(Boolean).join(' ');
  };
  const countDown = () => {
    const card = article(), ring = slot.querySelector('[data-ring]');
    if (!ring || !card.dataset.expires) return;
    const left = Math.max(0, Math.ceil((Date.parse(card.dataset.expires) - serverNow()) / 1000));
    ring.querySelector('.fg').setAttribute('stroke-dashoffset', String(CIRCLE * (1 - Math.min(1, left / WAITS))));
    ring.querySelector('b').textContent = Math.floor(left / 60) + ':' + String(left % 60).padStart(2, '0');
    ring.setAttribute('aria-label', 'Expires in ' + words(left));
    ring.classList.toggle('ring--warn', left <= 60 && left > 15);
    ring.classList.toggle('ring--bad', left <= 15);
    if (left <= 60 && !busy) slot.querySelector('[data-say]').textContent = words(left) + ' left. If it runs out, nothing is changed.';
    const mark = left <= 15 ? 15 : left <= 60 ? 60 : 0;
    if (mark && mark !== announced) { announced = mark; say('This expires in ' + words(left) + '.'); }
    if (left === 0 && !busy) { busy = true; settle(); }
  };

  const signIn = () => {
    if (inApp) tell('signed-out');
    else location.assign('/signin?' + new URLSearchParams({ to: location.pathname }));
  };
  const get = async (path, accept) => {
    const answer = await fetch(path, { headers: { accept }, credentials: 'same-origin', cache: 'no-store', redirect: 'error' });
    hear(answer.headers.get('date'));
    if (answer.status === 401) { signIn(); throw new Error('signed out'); }
    return answer;
  };

  const stateIn = (body) => (body.data ?? body).state;

  let next;
  const later = (work, ms) => { clearTimeout(next); if (!leaving.signal.aborted) next = setTimeout(work, ms); };
  const lower = () => {
    const title = slot.querySelector('h1');
    if (!inApp || !title) return;
    const below = document.createElement('h3');
    for (const { name, value } of title.attributes) below.setAttribute(name, value);
    below.replaceChildren(...title.childNodes);
    title.replaceWith(below);
  };
  const show = (nodes) => {
    if (leaving.signal.aborted) return;
    const here = !inApp || last !== null || slot.contains(document.activeElement);
    slot.replaceChildren(...nodes);
    lower();
    dispatchEvent(new Event('tamshai:shown'));
    if (here) heading()?.focus({ preventScroll: true });
    say(slot.querySelector('.ap-kind')?.textContent ?? '');
    tell(state());
  };
  const fromTemplate = (name) => root.querySelector('template[' + name + ']').content.cloneNode(true).childNodes;
  const showRunning = () => { ranSince = performance.now(); show(fromTemplate('data-executing')); };
  // A second press settles what a first one began; after a Deny there is nothing to press again.
  const showLost = () => {
    show(fromTemplate('data-lost'));
    if (last === false) slot.querySelector('[data-decide]').remove();
    busy = false; stood = '';
  };

  // The card as the server draws it now.
  const redraw = async () => {
    const answer = await get(address, 'text/html');
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('[data-slot]');
    if (!fresh) { if (inApp) tell('gone'); else location.reload(); return; }
    Object.assign(slot.dataset, fresh.dataset);
    show([...fresh.childNodes].map((node) => document.importNode(node, true)));
    begin();
  };

  // Where does it stand? Asked until it stands somewhere.
  const settle = async () => {
    try {
      const answer = await get('/api/confirmations/' + id, 'application/json');
      const now = answer.ok ? stateIn(await answer.json()) : 'gone';
      if (now === 'executing') {
        if (state() === 'waiting') showRunning();
        else if (state() === 'executing' && performance.now() - ranSince > PATIENCE_MS) showLost();
        later(settle, state() === 'lost' ? LOST_MS : RUNNING_MS);
        return;
      }
      await redraw();
    } catch {
      if (leaving.signal.aborted) return;
      if (state() !== 'lost') showLost();
      later(settle, LOST_MS);
    }
  };

  // Another tab, or the program that asked, may have moved it on.
  const watch = async () => {
    if (!busy && document.visibilityState === 'visible') {
      try {
        const answer = await get('/api/confirmations/' + id, 'application/json');
        const now = answer.ok ? stateIn(await answer.json()) : 'gone';
        if (!busy && now !== 'waiting') { busy = true; await settle(); return; }
      } catch { /* the next look will tell */ }
    }
    if (!busy) later(watch, WATCH_MS);
  };

  const decide = async (approved) => {
    if (busy) return;
    busy = true;
    last = approved;
    clearTimeout(next);
    watchButtons();
    const { csrf, card } = slot.dataset;
    if (approved) showRunning();
    let trouble = '';
    try {
      const answer = await fetch('/api/confirm/' + id, {
        method: 'POST', credentials: 'same-origin', cache: 'no-store', redirect: 'error',
        headers: { 'content-type': 'application/json', accept: 'application/json', 'x-tamshai-csrf': csrf, 'x-tamshai-card': card },
        body: JSON.stringify({ approved }),
      });
      hear(answer.headers.get('date'));
      if (answer.status === 401) { signIn(); return; }
      if (!answer.ok) trouble = String((await answer.json()).message ?? '');
    } catch { /* whether it arrived is what settle finds out */ }
    await settle();
    if (trouble && state() === 'waiting') { slot.querySelector('[data-say]').textContent = trouble; say(trouble); }
  };

  const step = (second) => {
    slot.querySelector('[data-first]').hidden = second;
    slot.querySelector('[data-second]').hidden = !second;
    stood = '';
    watchButtons();
    (second ? slot.querySelector('[data-second-text]') : heading()).focus({ preventScroll: true });
  };

  const { signal } = leaving;
  slot.addEventListener('pointerdown', (event) => { pressed = event.isTrusted && watchButtons() ? event.target.closest('[data-decide]') : null; }, { signal });
  slot.addEventListener('click', (event) => {
    if (!event.isTrusted) return;
    const button = event.target.closest('button');
    if (button?.hasAttribute('data-check')) { clearTimeout(next); settle(); return; }
    if (!button?.dataset.decide || busy) return;
    if (button.dataset.decide === 'back') { step(false); return; }
    // A press has to begin on this button as well, unless it came from the keyboard.
    if (!watchButtons() || (event.detail > 0 && pressed !== button)) return;
    pressed = null;
    if (button.dataset.decide === 'ask') step(true); else decide(button.dataset.decide === 'approve');
  }, { signal });
  document.addEventListener('visibilitychange', () => { stood = ''; if (!document.hidden) watch(); }, { signal });

  const begin = () => {
    busy = state() !== 'waiting';
    stood = ''; announced = 0;
    const { now } = article().dataset;
    if (state() === 'waiting') {
      told = { server: Date.parse(now), here: performance.now() };
      watchButtons();
      countDown();
      later(watch, WATCH_MS);
    }
    if (state() === 'executing') { busy = true; ranSince = performance.now(); later(settle, RUNNING_MS); }
  };
  const ticking = setInterval(() => { if (state() === 'waiting' || state() === 'lost') { watchButtons(); countDown(); } }, 100);
  lower();
  begin();
  if (!inApp) heading()?.focus({ preventScroll: true });
  return () => { leaving.abort(); clearInterval(ticking); clearTimeout(next); };
  };

  if (document.getElementById('app')) window.tamshaiCard = attach;
  else attach(document.querySelector('[data-slot]'), { live: document.querySelector('[data-status]'), root: document });
})();
`;
