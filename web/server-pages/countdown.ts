/** Shows the time left to decide, by the clock of the server, as text and as a ring. */
const CIRCLE = 2 * Math.PI * 19;
const WAITS_SECONDS = 300;
/** The header `date` has whole seconds, so smaller differences are ignored. */
const TOLERANCE_MS = 1500;

export interface ServerClock {
  now(): number;
  set(at: number): void;
  /** Corrects the clock by the header `date` of an answer. */
  correct(date: string | null): void;
}

/** The last known server time plus the time since then. */
export function createServerClock(): ServerClock {
  let known = { server: 0, here: 0 };
  const now = () => known.server + (performance.now() - known.here);
  const set = (at: number) => {
    known = { server: at, here: performance.now() };
  };
  return {
    now,
    set,
    correct(date) {
      const server = Date.parse(date ?? '') + 500;
      if (Number.isFinite(server) && Math.abs(server - now()) > TOLERANCE_MS) set(server);
    },
  };
}

const count = (n: number, unit: string) => `${n} ${unit}${n === 1 ? '' : 's'}`;

/** For example `4 minutes 12 seconds`. */
export function timeLeft(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  return [minutes > 0 ? count(minutes, 'minute') : '', rest > 0 || minutes === 0 ? count(rest, 'second') : ''].filter(Boolean).join(' ');
}

export function drawRing(ring: HTMLElement, seconds: number): void {
  ring.querySelector('.fg')?.setAttribute('stroke-dashoffset', String(CIRCLE * (1 - Math.min(1, seconds / WAITS_SECONDS))));
  const label = ring.querySelector('b');
  if (label) label.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  ring.setAttribute('aria-label', `Expires in ${timeLeft(seconds)}`);
  ring.classList.toggle('ring--warn', seconds <= 60 && seconds > 15);
  ring.classList.toggle('ring--bad', seconds <= 15);
}
