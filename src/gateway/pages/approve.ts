/** The approval page of one change, and the server's message pages (not found, not yours, try again). */
import { createHash } from 'node:crypto';
import { bdi, html } from '../../identity/web/html.ts';
import { bar, brand, icon, page, type PageFrame } from '../../identity/web/layout.ts';
import { type CardOptions, card, executing, lost } from './card.ts';
import { type ConfirmationState, viewOf } from './state.ts';

export { pageHeaders } from '../../identity/web/headers.ts';

export interface ApprovePageOptions extends CardOptions {
  /** The CSRF token of this session. */
  readonly csrf: string;
  /** The CSRF token for a decision on this card in this session; see `cardDigest`. */
  readonly cardToken?: string | undefined;
  readonly frame?: PageFrame | undefined;
}

/** The CSRF token of a decision is valid only for this ticket and the content of its card. */
export const cardDigest = ({ confirmationId, confirmationData }: Pick<ConfirmationState, 'confirmationId' | 'confirmationData'>): string =>
  `card:${confirmationId}:${createHash('sha256').update(JSON.stringify(confirmationData)).digest('base64url')}`;

/** The URL of the page contains the confirmation id and no other data. */
export function approvePage(state: ConfirmationState, { csrf, cardToken = '', person, now, frame }: ApprovePageOptions): string {
  const { origin, summary } = state.confirmationData;
  const program = origin === 'web' || origin === 'command' ? undefined : origin;
  const waits = viewOf(state, now) === 'waiting';
  const body = html`${bar({ name: person, csrf })}
<main class="narrow" id="main">
${
  waits &&
  program !== undefined &&
  html`<div class="notice notice--accent">${icon('info')}<div><b>${bdi(program)} asks on your behalf.</b> It cannot approve the change. Only you can, on this page.</div></div>`
}
<div data-slot data-id="${state.confirmationId}" data-csrf="${csrf}" data-card="${cardToken}">${card(state, { person, now })}</div>
<p class="small faint after">You can close this page${waits && ' afterwards'}.${program !== undefined && html` ${bdi(program)} sees the result.`}</p>
<p class="sr" role="status" data-status></p>
<template data-executing>${executing(summary)}</template>
<template data-lost>${lost}</template>
</main>`;
  return page({ title: 'Approve a change', body, frame, module: 'server-pages/approve.ts' });
}

export interface MessagePageOptions {
  readonly person?: string | undefined;
  readonly csrf?: string | undefined;
  readonly frame?: PageFrame | undefined;
}

const WAITING = { href: '/approvals', label: 'Show pending approvals' };

interface Message {
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

function messagePage({ title, heading, text }: Message, { frame }: MessagePageOptions, to = WAITING): string {
  return page({
    title,
    frame,
    body: html`<main class="signin signin--small" id="main"><div class="signin-in">${brand()}<h1 class="big">${heading}</h1><p class="lead">${bdi(text)}</p><p class="foot"><a class="btn" href="${to.href}">${to.label}</a></p></div></main>`,
  });
}

export const notYoursPage = (options: MessagePageOptions = {}): string =>
  messagePage(
    {
      title: 'Not yours',
      heading: 'You cannot decide on this change',
      text: 'This change waits for someone else. You can only approve your own.',
    },
    options,
  );

export const notFoundPage = (text: string, options: MessagePageOptions = {}): string =>
  messagePage({ title: 'Not found', heading: 'Change not found', text }, options);

export const noSuchPage = (options: MessagePageOptions = {}): string =>
  messagePage({ title: 'Not found', heading: 'Page not found', text: 'There is nothing at this address.' }, options, {
    href: '/',
    label: 'Go to the start page',
  });

export const troublePage = (text: string, options: MessagePageOptions = {}): string =>
  messagePage({ title: 'Try again later', heading: 'This did not work', text }, options);
