/** The approval card as HTML, in every state of a change. */
import type { CardChange } from '../../declare/answer.ts';
import { labelFor } from '../../declare/display.ts';
import { bdi, type Html, html, mixesAlphabets, type Part } from '../../identity/web/html.ts';
import { type IconName, icon } from '../../identity/web/layout.ts';
import { clock, difference, formatValue, PLAIN, timeLeft } from './format.ts';
import { type ConfirmationState, secondsLeft, viewOf } from './state.ts';

export interface CardOptions {
  /** The name of the person who sees the card. */
  readonly person: string;
  readonly now: Date;
}

const CIRCLE = 2 * Math.PI * 19;
const WAITS = 300;

const ringLook = (left: number) => (left <= 15 ? ' ring--bad' : left <= 60 ? ' ring--warn' : '');
export const ring = (left: number, small = false): Html =>
  html`<div class="ring${ringLook(left)}${small && ' ring--24'}" role="timer" aria-label="Expires in ${timeLeft(left)}" data-ring><svg viewBox="0 0 44 44" aria-hidden="true"><circle class="tr" cx="22" cy="22" r="19"/><circle class="fg" cx="22" cy="22" r="19" stroke-dasharray="${CIRCLE.toFixed(1)}" stroke-dashoffset="${(CIRCLE * (1 - Math.min(1, left / WAITS))).toFixed(1)}"/></svg><b aria-hidden="true">${clock(left)}</b></div>`;

const STATE = /(^|_)(status|stage|state|priority|tier)$/;
const CODE = /^[A-Z]+(_[A-Z]+)*$/;
/** States read as words, as in tables: "Pending approval" instead of PENDING_APPROVAL. */
const textOf = (change: CardChange, raw: unknown): string | undefined => {
  const text = formatValue(raw, change);
  return text !== undefined && STATE.test(change.field) && CODE.test(text) ? labelFor(text.toLowerCase()) : text;
};
const valueHtml = (change: CardChange, raw: unknown): Html => {
  const text = textOf(change, raw);
  return text === undefined ? html`<span class="none">none</span>` : bdi(text);
};

export const time = (at: string | number, look: 'full' | 'clock'): Html => {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return html`${bdi(String(at))}`;
  const iso = date.toISOString();
  return html`<time datetime="${iso}" data-local="${look}">${look === 'clock' ? `${iso.slice(11, 16)} UTC` : `${iso.slice(0, 10)}, ${iso.slice(11, 19)} UTC`}</time>`;
};

function diff(changes: readonly CardChange[], columns: readonly [now: string, after: string], gone: boolean): Html | false {
  const moving = changes.filter((change) => gone || !stay(change));
  if (moving.length === 0) return false;
  const [now, after] = columns;
  const rows = moving.map((change) => {
    const to = formatValue(change.to, change);
    const delta = difference(change);
    return html`<tr><th scope="row">${bdi(change.label)}</th><td class="was" data-l="${now}"><del>${valueHtml(change, change.from)}</del></td><td class="new${(gone || to === undefined) && ' gone'}" data-l="${after.split(' ')[0] ?? ''}"><ins>${valueHtml(change, change.to)}</ins>${delta !== undefined && html` <span class="delta">${delta}${isLower(change) && html` <b>lower</b>`}</span>`}</td></tr>`;
  });
  return html`<table class="diff"><caption class="sr">What changes</caption><thead><tr><th scope="col">Field</th><th scope="col">${now}</th><th scope="col">${after}</th></tr></thead><tbody>${rows}</tbody></table>`;
}

/** "web" and "command" are our own programs. A client chooses any other origin itself. */
export function through(origin: string): Html {
  if (origin === 'web') return html`You, in the web app`;
  return origin === 'command' ? html`You, with the tamshai command` : html`You, through ${bdi(origin)}`;
}

/** A value that stays is no change. The card shows it below, because the person decides on it. */
const stay = (change: CardChange): boolean => formatValue(change.from, change) === formatValue(change.to, change);
const firstChange = (changes: readonly CardChange[]): CardChange | undefined => changes.find((change) => !stay(change)) ?? changes[0];
const isLower = ({ from, to }: CardChange): boolean => typeof from === 'number' && typeof to === 'number' && to < from;

function meta({ confirmationData: data }: ConfirmationState): Html {
  const { subject, changes, reason, origin, timestamp, mcpServer, action } = data;
  return html`<div class="ap-meta"><dl class="kv"><dt>About</dt><dd>${bdi(subject.label)}${
    mixesAlphabets(subject.label) && html` <span class="badge badge--warn">${icon('warn')}Letters of two alphabets</span>`
  }</dd>${changes.filter(stay).map((change) => html`<dt>${bdi(change.label)}</dt><dd>${valueHtml(change, change.to)}</dd>`)}${subject.id !== '' && html`<dt>Id</dt><dd class="mono">${bdi(subject.id)}</dd>`}${
    reason !== null && reason !== '' && html`<dt>Reason</dt><dd>${bdi(reason)}</dd>`
  }<dt>Asked by</dt><dd>${through(origin)} at ${time(timestamp, 'clock')}</dd><dt>Tool</dt><dd class="mono">${bdi(`${mcpServer}.${action}`)}</dd></dl></div>`;
}

interface Head {
  readonly look: '' | 'ok' | 'off' | 'warn' | 'bad';
  readonly icon: IconName;
  readonly kind: string;
  readonly title: Part;
  readonly text: Part;
  readonly beside?: Part;
}

const head = ({ look, icon: name, kind, title, text, beside }: Head): Html =>
  html`<div class="ap-head"><div><p class="ap-kind ${look}">${icon(name)}${kind}</p><h1 tabindex="-1" data-heading>${title}</h1><p>${text}</p></div>${beside}</div>`;

const foot = (text: Part, buttons?: Part): Html => html`<div class="ap-foot"><p class="say" data-say>${text}</p>${buttons}</div>`;
const spinner = html`<span class="spin spin--20" aria-hidden="true"></span>`;
const code = (text: string | undefined) => text !== undefined && html`<span class="mono">${text}</span>`;

/** Adds a comma after a label with a comma: "Sarah Kim, Engineer, is now". */
const named = ({ label }: ConfirmationState['confirmationData']['subject']) => html`${bdi(label)}${label.includes(',') && ','}`;

/** For example "Salary of Sarah Kim stays $112,000." It uses the old values, because the change was not made. */
function stays({ confirmationData: { subject, changes } }: ConfirmationState): Html {
  const first = changes.find(({ from }) => formatValue(from, PLAIN) !== undefined);
  return first
    ? html`${bdi(first.label)} of ${named(subject)} stays ${valueHtml(first, first.from)}.`
    : html`Nothing was changed for ${bdi(subject.label)}.`;
}

function becomes({ confirmationData: { subject, changes, summary } }: ConfirmationState): Html {
  const first = firstChange(changes);
  return first ? html`${bdi(first.label)} of ${named(subject)} is now ${valueHtml(first, first.to)}.` : bdi(summary);
}

/** The verb at the beginning of the summary, for the confirm button. */
const verbOf = (summary: string) => /^[A-Z][a-z]+(?=\s)/.exec(summary)?.[0] ?? 'Do it for';

const NOT_YET = 'Nothing has changed yet.';
function waiting(state: ConfirmationState, { now }: CardOptions): Html {
  const { summary, changes, destructive, subject, because, afterwards } = state.confirmationData;
  const left = secondsLeft(state.confirmationData, now);
  const verb = verbOf(summary);
  const text =
    left <= 60 ? `${timeLeft(left)} left. If it runs out, nothing is changed.` : 'The server checks these values again when you approve.';
  const buttons = html`<button class="btn needs-js" type="button" data-decide="deny" aria-disabled="true" data-arming>Deny</button><button class="btn btn--primary needs-js" type="button" data-decide="${destructive ? 'ask' : 'approve'}" aria-disabled="true" data-arming>Approve</button>`;
  const second =
    destructive &&
    html`<div class="ap-conf" role="group" aria-label="Confirm" data-second hidden><span class="grow" tabindex="-1" data-second-text><b>${verb} ${bdi(subject.label)}?</b>${afterwards !== undefined && html` ${bdi(afterwards)}`}</span><button class="btn btn--danger" type="button" data-decide="approve" aria-disabled="true" data-arming>Yes, ${verb === 'Do it for' ? 'do it' : verb.toLowerCase()}</button><button class="btn" type="button" data-decide="back">Back</button></div>`;
  return html`${head({
    look: '',
    icon: destructive ? 'warn' : 'shield',
    kind: destructive ? 'Needs your approval. This removes a record.' : 'Needs your approval',
    title: bdi(summary),
    text: because === undefined ? NOT_YET : html`${bdi(because)} ${NOT_YET}`,
    beside: ring(left),
  })}${diff(changes, ['Now', 'After approval'], destructive)}${meta(state)}${html`<div data-first>${foot(text, buttons)}</div>`}${second}<div class="ap-foot no-js"><p class="say">This page needs JavaScript. Nothing has changed.</p></div>`;
}

export const executing = (summary: string): Html =>
  html`<article class="ap" aria-busy="true" data-state="executing">${head({
    look: 'off',
    icon: 'clock',
    kind: 'Approved, running',
    title: bdi(summary),
    text: 'You can close this page. The change runs once.',
    beside: spinner,
  })}${foot('', html`<button class="btn" type="button" aria-disabled="true">Deny</button><button class="btn" type="button" aria-disabled="true"><span class="spin" aria-hidden="true"></span>Running</button>`)}</article>`;

export const lost: Html = html`<article class="ap" aria-busy="true" data-state="lost">${head({
  look: 'warn',
  icon: 'plug',
  kind: 'Connection lost',
  title: 'We do not know yet whether it ran.',
  text: 'Checking every few seconds. You can wait or press Approve again: the change cannot run twice.',
  beside: spinner,
})}${foot('', html`<button class="btn" type="button" data-check>Check now</button><button class="btn btn--primary" type="button" data-decide="approve" aria-disabled="true" data-arming>Approve again</button>`)}</article>`;

function done(state: ConfirmationState, { person }: CardOptions): Html {
  const { changes, subject } = state.confirmationData;
  const first = firstChange(changes);
  const was = first && textOf(first, first.from);
  const { message } = (state.result ?? {}) as { readonly message?: string };
  return html`${head({ look: 'ok', icon: 'check', kind: 'Done', title: becomes(state), text: was === undefined ? bdi(message ?? state.message) : html`${message !== undefined && html`${bdi(message)} `}It was ${bdi(was)}.` })}${
    changes.length > 1 && diff(changes, ['Before', 'Now'], false)
  }<dl class="receipt"><div><dt>Approved by</dt><dd>${bdi(person)}</dd></div>${
    state.decidedAt !== undefined && html`<div><dt>At</dt><dd>${time(state.decidedAt, 'full')}</dd></div>`
  }${state.auditRecord !== undefined && html`<div><dt>Audit record</dt><dd class="mono">${state.auditRecord}</dd></div>`}${
    state.requestId !== undefined && html`<div><dt>Request</dt><dd class="mono">${state.requestId}</dd></div>`
  }${subject.id !== '' && html`<div class="wide"><dt>Id</dt><dd class="mono">${bdi(subject.id)}</dd></div>`}</dl>${foot(html`Confirmation <span class="mono">${state.confirmationId}</span>`)}`;
}

interface Moved {
  readonly label: string;
  readonly saw: Html;
  readonly now: Html;
}

/** The fields that changed after the card was shown, if the server returns their current values. */
function moved({ confirmationData: { changes }, error }: ConfirmationState): Moved[] {
  const current = error?.details?.['current'];
  if (typeof current !== 'object' || current === null) return [];
  const entries: [string, unknown][] = Array.isArray(current)
    ? current.flatMap((each: unknown) =>
        typeof each === 'object' && each !== null && 'field' in each && 'from' in each
          ? [[String(each.field), each.from] as [string, unknown]]
          : [],
      )
    : Object.entries(current);
  return entries.flatMap(([field, now]) => {
    const change = changes.find((each) => each.field === field);
    if (!change || formatValue(change.from, change) === formatValue(now, change)) return [];
    return [{ label: change.label, saw: valueHtml(change, change.from), now: valueHtml(change, now) }];
  });
}

function changed(state: ConfirmationState): Html {
  const { subject } = state.confirmationData;
  const rows = moved(state).map(
    ({ label, saw, now }) =>
      html`<tr><th scope="row">${bdi(label)}</th><td class="was" data-l="Saw">${saw}</td><td class="new moved" data-l="Now"><ins>${now}</ins></td></tr>`,
  );
  return html`${head({
    look: 'warn',
    icon: 'warn',
    kind: 'Not applied: changed since you looked',
    title: html`${named(subject)} is no longer what this card showed.`,
    text: 'Nothing was written. Look at the new values before you decide.',
  })}${
    rows.length > 0 &&
    html`<table class="diff"><caption class="sr">What you saw and what is there now</caption><thead><tr><th scope="col">Field</th><th scope="col">You saw</th><th scope="col">There now</th></tr></thead><tbody>${rows}</tbody></table>`
  }${foot(html`${code('CHANGED_SINCE_APPROVAL')} Ask for the change again to get a new card.`)}`;
}

function refused(state: ConfirmationState): Html {
  const roles = state.error?.details?.['requiredRoles'];
  const names = Array.isArray(roles) ? roles.filter((role) => typeof role === 'string').join(' or ') : '';
  return html`${head({
    look: 'off',
    icon: 'lock',
    kind: 'You can no longer approve this',
    title: bdi(state.error?.message ?? ''),
    text: `Nothing was changed.${names === '' ? '' : ` Someone with ${names} can make the change.`}`,
  })}${foot(code(state.error?.code))}`;
}

const BODIES: Readonly<Record<Exclude<ReturnType<typeof viewOf>, 'executing'>, (state: ConfirmationState, options: CardOptions) => Html>> =
  {
    waiting,
    done,
    changed,
    refused,
    denied: (state) =>
      html`${head({ look: 'off', icon: 'x', kind: 'Denied by you', title: stays(state), text: html`Nothing was changed.${state.decidedAt !== undefined && html` Denied at ${time(state.decidedAt, 'clock')}.`}` })}${foot('To change your mind, ask for it again.')}`,
    expired: (state) =>
      html`${head({ look: 'off', icon: 'clock', kind: 'Expired', title: stays(state), text: 'Nobody answered within five minutes, so nothing was changed. This is not a denial.' })}${foot('If you still want it, ask for it again.')}`,
    failed: (state) =>
      html`${head({ look: 'bad', icon: 'warn', kind: 'Not applied', title: bdi(state.error?.message ?? 'Something went wrong on our side.'), text: html`Nothing was changed. ${state.error !== undefined && bdi(state.error.suggestedAction)}` })}${foot(code(state.error?.code))}`,
  };

export function card(state: ConfirmationState, options: CardOptions): Html {
  const view = viewOf(state, options.now);
  const { summary, destructive, expiresAt } = state.confirmationData;
  if (view === 'executing') return executing(summary);
  const look = view !== 'waiting' ? '' : destructive ? ' ap--danger' : ' ap--wait';
  const clockData = view === 'waiting' && html` data-expires="${expiresAt}" data-now="${options.now.toISOString()}"`;
  return html`<article class="ap${look}" data-state="${view}"${clockData}>${BODIES[view](state, options)}</article>`;
}
