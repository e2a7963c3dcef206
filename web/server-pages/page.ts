/**
 * The script of every server-rendered page: theme, local times, sign-out, search, copying. It is a classic script without imports and runs
 * before the page is drawn, so the stored theme does not flash.
 */
const root = document.documentElement;
const COPIED_MS = 1200;

function storedTheme(): string | null {
  try {
    return localStorage.getItem('theme');
  } catch {
    return null;
  }
}

function toggleTheme(): void {
  const shown = root.dataset['theme'];
  const dark = shown ? shown === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  const theme = dark ? 'light' : 'dark';
  root.dataset['theme'] = theme;
  try {
    localStorage.setItem('theme', theme);
  } catch {
    /* storage may be disabled in private windows */
  }
}

const CLOCK: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const FULL: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric', second: '2-digit', ...CLOCK };

/** The server writes times in UTC. Only the browser knows the user's time zone. */
function showLocalTimes(): void {
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-local]')) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    time.textContent = new Intl.DateTimeFormat('en-GB', time.dataset['local'] === 'full' ? FULL : CLOCK).format(at);
  }
}

/** With `fetch` the browser sends our origin. A plain form would send `Origin: null`. */
async function signOut(form: HTMLFormElement): Promise<void> {
  const fields = [...new FormData(form)].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  await fetch(form.action, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
  location.assign('/');
}

async function copy(button: HTMLElement): Promise<void> {
  await navigator.clipboard.writeText(button.dataset['copy'] ?? '');
  const label = button.textContent;
  button.textContent = 'Copied';
  setTimeout(() => {
    button.textContent = label;
  }, COPIED_MS);
}

function filterPeople(typed: string): void {
  const wanted = typed.trim().toLowerCase();
  for (const entry of document.querySelectorAll<HTMLElement>('[data-name]')) entry.hidden = !entry.dataset['name']?.includes(wanted);
}

root.dataset['js'] = '';
const theme = storedTheme();
if (theme === 'light' || theme === 'dark') root.dataset['theme'] = theme;

// Cards send this event when they show new content.
addEventListener('tamshai:shown', showLocalTimes);
addEventListener('DOMContentLoaded', () => {
  showLocalTimes();
  for (const button of document.querySelectorAll('[data-theme-toggle]')) button.addEventListener('click', toggleTheme);
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-leave]')) {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void signOut(form);
    });
  }
  const search = document.querySelector<HTMLInputElement>('[data-find]');
  search?.addEventListener('input', () => filterPeople(search.value));
  for (const button of document.querySelectorAll<HTMLElement>('[data-copy]')) button.addEventListener('click', () => void copy(button));
});

// This makes the file a module for TypeScript. Names of a global script would clash with other files.
export {};
