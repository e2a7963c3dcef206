/** The plain start page and the plain list of pending approvals. */
import { bdi, type Html, html } from '../../identity/web/html.ts';
import { bar, icon, page, type PageFrame } from '../../identity/web/layout.ts';
import { ring, through } from './card.ts';
import { clock } from './format.ts';
import { type ConfirmationState, secondsLeft } from './state.ts';

export interface HomePageOptions {
  readonly base: string;
  readonly person?: { readonly name: string; readonly roles: readonly string[] } | undefined;
  readonly csrf?: string | undefined;
  readonly waiting: readonly ConfirmationState[];
  readonly now: Date;
  readonly frame?: PageFrame | undefined;
}

const items = (waiting: readonly ConfirmationState[], now: Date): Html =>
  html`<ul>${waiting.map(({ confirmationId, confirmationData }) => {
    const left = secondsLeft(confirmationData, now);
    return html`<li><a class="item" href="/approve/${confirmationId}">${ring(left, true)}<span><span class="t1">${bdi(confirmationData.summary)}</span><span class="t2">${through(confirmationData.origin)}</span></span><span class="t3">${clock(left)}</span></a></li>`;
  })}</ul>`;

const nothing = html`<div class="empty">${icon('check')}<h2>No pending approvals</h2><p>Changes that you ask for appear here for five minutes.</p></div>`;
const rule = html`<p class="small faint">Approve or deny each change separately.</p>`;

const list = (waiting: readonly ConfirmationState[], now: Date): Html =>
  html`<section class="card" aria-labelledby="waits"><header><h2 id="waits">Waiting for you</h2>${waiting.length > 0 && html`<span class="badge">${waiting.length} waiting</span>`}</header>${waiting.length > 0 ? items(waiting, now) : nothing}</section>`;

export function homePage({ base, person, csrf, waiting, now, frame }: HomePageOptions): string {
  const body = html`${bar({ name: person?.name, csrf: person && csrf, waiting: waiting.length, current: 'home' })}
<main class="narrow" id="main">
<h1 class="big">Ask your company’s own data</h1>
<p class="lead">Connect any AI assistant and ask in plain language. Most changes need your approval.</p>
${
  person
    ? html`${list(waiting, now)}<section class="card"><header><h2>You</h2></header><div class="pad"><dl class="kv"><dt>Name</dt><dd>${bdi(person.name)}</dd><dt>Roles</dt><dd>${bdi(person.roles.join(', '))}</dd></dl></div></section>`
    : html`<p><a class="btn btn--primary btn--lg" href="/signin">Sign in</a></p>`
}
<section class="card"><header><h2>Connect an assistant</h2></header><div class="pad"><p class="muted">Enter this address in Claude, ChatGPT, your editor or any other MCP client, then sign in.</p><div class="address"><code>${base}/mcp</code><button class="btn needs-js" type="button" data-copy="${base}/mcp">Copy</button></div></div></section>
</main>`;
  return page({ title: 'Start', body, frame });
}

export function approvalsPage({ person, csrf, waiting, now, frame }: HomePageOptions): string {
  const body = html`${bar({ name: person?.name, csrf, waiting: waiting.length, current: 'approvals' })}
<main class="narrow" id="main"><h1 class="big">Approvals</h1>${list(waiting, now)}${rule}</main>`;
  return page({ title: 'Approvals', body, frame });
}
