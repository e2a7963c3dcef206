/** The icons of the app and its logo. */
import type { ReactNode } from 'react';

/** Icons have a 16 px grid and the colour of the text. */
const SHAPES = {
  arrow: (
    <>
      <path d="M2.5 8h11M9.5 4l4 4-4 4" />
    </>
  ),
  ask: (
    <>
      <path d="M2.5 4.5a2 2 0 0 1 2-2h7a2 2 0 0 1 2 2v4.8a2 2 0 0 1-2 2H7.2L4 13.7v-2.4a1.7 1.7 0 0 1-1.5-1.7z" />
    </>
  ),
  audit: (
    <>
      <path d="M3 3.5h10M3 8h6M3 12.5h4" />
      <path d="m10.2 11.6 1.5 1.5 2.6-2.9" />
    </>
  ),
  back: (
    <>
      <path d="M10 3.5 5.5 8l4.5 4.5" />
    </>
  ),
  book: (
    <>
      <path d="M3 3.2a1 1 0 0 1 1-1h9v9.6H4.2A1.2 1.2 0 0 0 3 13z" />
      <path d="M3 13a1 1 0 0 0 1 .9h9v-2" />
    </>
  ),
  chain: (
    <>
      <path d="M6.6 9.4a2.6 2.6 0 0 0 3.7 0l2.4-2.4a2.6 2.6 0 1 0-3.7-3.7l-.8.8" />
      <path d="M9.4 6.6a2.6 2.6 0 0 0-3.7 0L3.3 9a2.6 2.6 0 1 0 3.7 3.7l.8-.8" />
    </>
  ),
  check: (
    <>
      <path d="m3 8.5 3.3 3.3L13 4.5" />
    </>
  ),
  chev: (
    <>
      <path d="m6 3.5 4.5 4.5L6 12.5" />
    </>
  ),
  clock: (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M8 4.8V8l2.2 1.6" />
    </>
  ),
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M3.5 10.5a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1" />
    </>
  ),
  dots: (
    <>
      <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2.2" />
    </>
  ),
  down: (
    <>
      <path d="m3.5 6 4.5 4.5L12.5 6" />
    </>
  ),
  down2: (
    <>
      <path d="M8 2.5v11M3.5 9 8 13.5 12.5 9" />
    </>
  ),
  expand: (
    <>
      <path d="M9.5 2.5h4v4M6.5 13.5h-4v-4M13.5 2.5 9.2 6.8M2.5 13.5l4.3-4.3" />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M8 7.4v3.4M8 5.1v.1" />
    </>
  ),
  link: (
    <>
      <path d="M6.8 9.2 13 3M9 3h4v4M11.5 9.5v3a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1h3" />
    </>
  ),
  lock: (
    <>
      <rect x="3.5" y="7" width="9" height="6.5" rx="1.5" />
      <path d="M5.5 7V5a2.5 2.5 0 0 1 5 0v2" />
    </>
  ),
  mail: (
    <>
      <rect x="2" y="3.5" width="12" height="9" rx="1.5" />
      <path d="m2.5 4.5 5.5 4 5.5-4" />
    </>
  ),
  menu: (
    <>
      <path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" />
    </>
  ),
  moon: (
    <>
      <path d="M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z" />
    </>
  ),
  out: (
    <>
      <path d="M6.5 13.5h-3a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1h3M10 5l3 3-3 3M13 8H6.5" />
    </>
  ),
  plug: (
    <>
      <path d="M6 2.5v3M10 2.5v3M4 5.5h8v2a4 4 0 0 1-8 0zM8 11.5v2.5" />
    </>
  ),
  plus: (
    <>
      <path d="M8 3v10M3 8h10" />
    </>
  ),
  quote: (
    <>
      <path d="M6.5 4.5C4.5 5 3.3 6.5 3.3 9.2v2h3.4v-3H5M13 4.5C11 5 9.8 6.5 9.8 9.2v2h3.4v-3h-1.7" />
    </>
  ),
  redo: (
    <>
      <path d="M13.2 8A5.2 5.2 0 1 1 11.5 4.2L13.2 6" />
      <path d="M13.3 2.7V6H10" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="4.2" />
      <path d="m10.2 10.2 3.3 3.3" />
    </>
  ),
  shield: (
    <>
      <path d="M8 1.8 13 3.6v4c0 3.1-2.1 5.4-5 6.6-2.9-1.2-5-3.5-5-6.6v-4z" />
      <path d="m5.8 8 1.6 1.6 2.9-3.1" />
    </>
  ),
  sort: (
    <>
      <path d="M8 13V3.5M4.5 7 8 3.5 11.5 7" />
    </>
  ),
  square: (
    <>
      <rect x="4.5" y="4.5" width="7" height="7" rx="1" fill="currentColor" stroke="none" />
    </>
  ),
  stop: (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="m4.2 4.2 7.6 7.6" />
    </>
  ),
  sun: (
    <>
      <circle cx="8" cy="8" r="2.8" />
      <path d="M8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1" />
    </>
  ),
  table: (
    <>
      <rect x="2.2" y="3" width="11.6" height="10" rx="1.4" />
      <path d="M2.2 6.5h11.6M6.5 6.5V13" />
    </>
  ),
  ticket: (
    <>
      <path d="M2 5.5v-1a1 1 0 0 1 1-1h10a1 1 0 0 1 1 1v1.2a2.3 2.3 0 0 0 0 4.6v1.2a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1v-1.2" />
      <path d="M5.5 6.5h4M5.5 9.5h3" />
    </>
  ),
  tools: (
    <>
      <path d="M2.5 4.5h4M9.5 4.5h4M2.5 11.5h7M12.5 11.5h1" />
      <circle cx="8" cy="4.5" r="1.6" />
      <circle cx="11" cy="11.5" r="1.6" />
    </>
  ),
  up: (
    <>
      <path d="M8 13.5v-11M3.5 7 8 2.5 12.5 7" />
    </>
  ),
  users: (
    <>
      <circle cx="6" cy="5.4" r="2.4" />
      <path d="M1.8 13.2c.3-2.6 1.9-4 4.2-4s3.9 1.4 4.2 4M10.5 3.3a2.3 2.3 0 0 1 0 4.3M11.8 9.6c1.4.5 2.2 1.8 2.4 3.6" />
    </>
  ),
  warn: (
    <>
      <path d="M8 2.2 14.2 13H1.8z" />
      <path d="M8 6.4v3M8 11.3v.1" />
    </>
  ),
  x: (
    <>
      <path d="m4 4 8 8M12 4l-8 8" />
    </>
  ),
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof SHAPES;

export const Icon = ({ name, className = '' }: { readonly name: IconName; readonly className?: string }) => (
  <svg className={`i i-${name} ${className}`} viewBox="0 0 16 16" aria-hidden="true">
    {SHAPES[name]}
  </svg>
);

export const Brand = ({ href, name }: { readonly href: string; readonly name: string }) => (
  <a className="brand" href={href}>
    <svg viewBox="0 0 22 22" aria-hidden="true">
      <rect className="b1" width="22" height="22" rx="6" />
      <path className="b2" d="M5.5 7.2h11" />
      <path className="b2" d="M11 10.6v5.6" />
    </svg>
    <span>{name}</span>
  </a>
);
