/** Static assets of the server's pages: style sheet, script and icon. */
import { createHash } from 'node:crypto';
import { styleSheet } from './styles.ts';

export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

/** The file name contains a digest of the content, so browsers may cache the file forever. */
export function asset(name: string, extension: 'css' | 'js' | 'svg', body: string): Asset {
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 12);
  const type = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' }[extension];
  return { path: `/assets/${name}-${digest}.${extension}`, type: `${type}; charset=utf-8`, body };
}

/** Runs before the page is drawn, so that the chosen theme does not flash; the rest waits for the document. */
const pageScript = `'use strict';
(() => {
  const root = document.documentElement;
  root.dataset.js = '';
  const stored = () => { try { return localStorage.getItem('theme'); } catch { return null; } };
  const theme = stored();
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  const localTimes = () => {
    for (const time of document.querySelectorAll('time[data-local]')) {
      const at = new Date(time.dateTime);
      if (Number.isNaN(at.getTime())) continue;
      const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
      const full = { day: 'numeric', month: 'short', year: 'numeric', second: '2-digit', ...clock };
      time.textContent = new Intl.DateTimeFormat('en-GB', time.dataset.local === 'full' ? full : clock).format(at);
    }
  };
  addEventListener('tamshai:shown', localTimes);
  addEventListener('DOMContentLoaded', () => {
    localTimes();
    for (const button of document.querySelectorAll('[data-theme-toggle]')) {
      button.addEventListener('click', () => {
        const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
        root.dataset.theme = dark ? 'light' : 'dark';
        try { localStorage.setItem('theme', root.dataset.theme); } catch { /* private windows may refuse */ }
      });
    }
    // A script's request names its origin exactly; a plain form's would only say null.
    for (const form of document.querySelectorAll('form[data-leave]')) {
      form.addEventListener('submit', async (event) => {
        event.preventDefault();
        await fetch(form.action, { method: 'POST', body: new URLSearchParams(new FormData(form)), redirect: 'manual' });
        location.assign('/');
      });
    }
    const find = document.querySelector('[data-find]');
    find?.addEventListener('input', () => {
      const wanted = find.value.trim().toLowerCase();
      for (const entry of document.querySelectorAll('[data-name]')) entry.hidden = !entry.dataset.name.includes(wanted);
    });
    for (const button of document.querySelectorAll('[data-copy]')) {
      button.addEventListener('click', async () => {
        await navigator.clipboard.writeText(button.dataset.copy);
        const words = button.textContent;
        button.textContent = 'Copied';
        setTimeout(() => { button.textContent = words; }, 1200);
      });
    }
  });
})();
`;

const mark = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22"><rect width="22" height="22" rx="6" fill="#0d6470"/><path d="M5.5 7.2h11M11 10.6v5.6" fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round"/></svg>`;

export const assets = {
  style: asset('page', 'css', styleSheet),
  script: asset('page', 'js', pageScript),
  icon: asset('tamshai', 'svg', mark),
} as const;
