/** The layout of the server's HTML pages: head, banners, top bar and icons. */
import type { WebBuild } from './build.ts';
import { favicon } from './favicon.ts';
import { bdi, type Html, html, initials, type Part } from './html.ts';

/** The icons have a 16 px grid and the colour of the text next to them. */
const ICONS = {
  shield: '<path d="M8 1.8 13 3.6v4c0 3.1-2.1 5.4-5 6.6-2.9-1.2-5-3.5-5-6.6v-4z"/><path d="m5.8 8 1.6 1.6 2.9-3.1"/>',
  lock: '<rect x="3.5" y="7" width="9" height="6.5" rx="1.5"/><path d="M5.5 7V5a2.5 2.5 0 0 1 5 0v2"/>',
  arrow: '<path d="M2.5 8h11M9.5 4l4 4-4 4"/>',
  check: '<path d="m3 8.5 3.3 3.3L13 4.5"/>',
  x: '<path d="m4 4 8 8M12 4l-8 8"/>',
  clock: '<circle cx="8" cy="8" r="5.8"/><path d="M8 4.8V8l2.2 1.6"/>',
  warn: '<path d="M8 2.2 14.2 13H1.8z"/><path d="M8 6.4v3M8 11.3v.1"/>',
  info: '<circle cx="8" cy="8" r="5.8"/><path d="M8 7.4v3.4M8 5.1v.1"/>',
  plug: '<path d="M6 2.5v3M10 2.5v3M4 5.5h8v2a4 4 0 0 1-8 0zM8 11.5v2.5"/>',
  search: '<circle cx="7" cy="7" r="4.2"/><path d="m10.2 10.2 3.3 3.3"/>',
  sun:
    '<circle cx="8" cy="8" r="2.8"/><path d="M8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1' +
    'M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1"/>',
  moon: '<path d="M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z"/>',
} as const;
export type IconName = keyof typeof ICONS;

const shapes = Object.fromEntries(
  Object.entries(ICONS).map(([name, markup]) => [
    name,
    { markup: `<svg class="i i-${name}" viewBox="0 0 16 16" aria-hidden="true">${markup}</svg>` },
  ]),
) as Record<IconName, Html>;

export const icon = (name: IconName): Html => shapes[name];

export const brand = (link = '/'): Html =>
  html`<a class="brand" href="${link}"><svg viewBox="0 0 22 22" aria-hidden="true"><rect class="b1" width="22" height="22" rx="6"/><path class="b2" d="M5.5 7.2h11"/><path class="b2" d="M11 10.6v5.6"/></svg><span>Tamshai</span></a>`;

export const themeButton: Html = html`<button class="icon-btn theme-btn needs-js" type="button" data-theme-toggle aria-label="Switch between light and dark">${icon('moon')}${icon('sun')}</button>`;

/** Warnings on every page. */
export interface Banners {
  readonly development?: boolean | undefined;
  readonly scriptedApprovals?: boolean | undefined;
}

const banners = ({ development, scriptedApprovals }: Banners): Html =>
  html`${
    scriptedApprovals &&
    html`<div class="devbar devbar--bad" role="region" aria-label="Scripted approvals">${icon('warn')}<span>Scripted approvals are on: programs on this machine can approve changes.</span></div>`
  }${
    development &&
    html`<div class="devbar" role="region" aria-label="Development mode">${icon('info')}<span>Development mode: sample data, sign-in without passwords, this machine only.</span></div>`
  }`;

/** What all pages of a server have in common. */
export interface PageFrame {
  readonly banners?: Banners | undefined;
  /** Without it, pages have neither style nor script. */
  readonly build?: WebBuild | undefined;
}

export interface Page {
  readonly title: string;
  readonly body: Part;
  readonly frame?: PageFrame | undefined;
  /** The source in web/ of a script that only this page needs. */
  readonly module?: string | undefined;
}

const styleSheet = (path: string): Html => html`<link rel="stylesheet" href="${path}">`;

export function page({ title, body, frame: { banners: warnings = {}, build } = {}, module: source }: Page): string {
  const style = build?.entry('server-pages/page.css');
  const script = build?.entry('server-pages/page.ts');
  const module = source === undefined ? undefined : build?.entry(source);
  return `<!doctype html>\n${
    html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}${title !== 'Tamshai' && ' · Tamshai'}</title>
<link rel="icon" href="${favicon.path}" type="image/svg+xml">
${style && styleSheet(style.path)}
${module?.styles.map(styleSheet)}
${script && html`<script src="${script.path}"></script>`}
${module && html`<script type="module" src="${module.path}"></script>`}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
${banners(warnings)}
${body}
</body>
</html>
`.markup
  }`;
}

/** The top bar: brand, sections, the signed-in person and the sign-out form. */
export interface Bar {
  readonly name?: string | undefined;
  /** For the sign-out form. */
  readonly csrf?: string | undefined;
  readonly waiting?: number | undefined;
  readonly current?: 'home' | 'approvals' | undefined;
}

export function bar({ name, csrf, waiting, current }: Bar): Html {
  const here = (which: Bar['current']) => which === current && html` aria-current="page"`;
  return html`<header class="pbar">${brand()}${
    current !== undefined &&
    name !== undefined &&
    html`<nav aria-label="Sections"><a href="/"${here('home')}>Start</a><a href="/approvals"${here('approvals')}>Approvals${
      waiting !== undefined && waiting > 0 && html`<span class="count" aria-label="${waiting} waiting">${waiting}</span>`
    }</a></nav>`
  }<span class="grow"></span>${
    name !== undefined &&
    html`<span class="row small muted"><span class="avatar avatar--me" aria-hidden="true">${initials(name)}</span><span class="hide-s">Signed in as</span> ${bdi(name)}</span>`
  }${
    csrf !== undefined &&
    html`<form method="post" action="/signout" data-leave><input type="hidden" name="csrf" value="${csrf}"><button class="btn btn--quiet" type="submit">Sign out</button></form>`
  }${name === undefined && html`<a class="btn" href="/signin">Sign in</a>`}${themeButton}</header>`;
}
