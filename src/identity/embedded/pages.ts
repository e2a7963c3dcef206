/** HTML pages of the embedded provider: choose a person, consent, error. */
import type { Persona } from '../../declare/sample.ts';
import { bdi, type Html, html, initials } from '../web/html.ts';
import { brand, icon, page, type PageFrame, themeButton } from '../web/layout.ts';

export interface PickerPage {
  readonly action: string;
  readonly csrf: string;
  readonly people: readonly Persona[];
  /** The link to the sign-in of the other realm. Only our own web client gets it. */
  readonly otherRealm?: { readonly question: string; readonly href: string; readonly link: string } | undefined;
  /** The name of the client that requests the sign-in, if it is not ours. */
  readonly program?: string | undefined;
  readonly frame: PageFrame;
}

const top: Html = html`<div class="row between">${brand()}${themeButton}</div>`;

export function pickerPage({ action, csrf, people, otherRealm, program, frame }: PickerPage): string {
  const body = html`<main class="signin" id="main"><div class="signin-in">
${top}
<h1 class="big">${people.length > 0 ? 'Who are you today?' : 'Nobody can sign in here'}</h1>
${people.length > 0 ? choice({ action, csrf, people, program }) : html`<p class="lead">This configuration has no sample people.</p>`}
${otherRealm && html`<p class="other">${otherRealm.question} <a href="${otherRealm.href}">${otherRealm.link}</a></p>`}
<p class="small faint foot">This list exists only with the built-in identity provider. With <code>OIDC_ISSUER</code> set, people sign in with their company account.</p>
</div></main>`;
  return page({ title: 'Sign in', body, frame });
}

function choice({ action, csrf, people, program }: Omit<PickerPage, 'otherRealm' | 'frame'>): Html {
  const customers = people.every(({ realm }) => realm === 'customer');
  return html`<p class="lead">Choose a person to sign in as.${
    program !== undefined && html` Then you are asked whether ${bdi(program)} may act for them.`
  }</p>
<section aria-labelledby="who"><div class="row between"><h2 id="who">${customers ? 'Customers' : 'Staff'}</h2>${
    people.length > 8 &&
    html`<div class="search needs-js"><label class="sr" for="find">Find a person</label>${icon('search')}<input id="find" class="input" placeholder="Find a person" autocomplete="off" data-find></div>`
  }</div>
<form method="post" action="${action}"><input type="hidden" name="csrf" value="${csrf}"><ul class="people">${people.map(
    (person) =>
      html`<li data-name="${`${person.name} ${person.title}`.toLowerCase()}"><button class="person" name="person" value="${person.sub}"><span class="avatar avatar--32" aria-hidden="true">${initials(person.name)}</span><span class="grow"><b>${person.name}</b><small>${describe(person)}</small></span>${icon('arrow')}</button></li>`,
  )}</ul></form></section>`;
}

function describe({ realm, title, roles }: Persona): Html {
  if (realm === 'customer') return html`${title}`;
  const writes = roles.filter((role) => role.endsWith('-write'));
  const holds = roles.includes('executive')
    ? 'reads everything'
    : writes.length > 0
      ? writes.join(', ')
      : roles.includes('manager')
        ? 'manager'
        : 'own data';
  return html`${title} · <span class="holds">${holds}</span>`;
}

export interface ConsentPage {
  readonly action: string;
  readonly csrf: string;
  readonly person: Persona;
  /** The name that the client gave itself, if any. */
  readonly name: string | undefined;
  /** True if the client uses the id of our command. Any program on this machine can do that. */
  readonly asCommand: boolean;
  readonly redirectHost: string;
  readonly audience: string;
  readonly frame: PageFrame;
}

export function consentPage({ action, csrf, person, name, asCommand, redirectHost, audience, frame }: ConsentPage): string {
  const shown = name === undefined ? html`A program without a name` : bdi(name);
  const body = html`<main class="signin" id="main"><div class="signin-in">
${top}
<h1 class="big">Let ${shown} act for ${person.name}?</h1>
<p class="lead">${
    asCommand
      ? 'A program on this computer says that it is the Tamshai command. Allow it only if you have just started it yourself.'
      : 'Anyone can choose this name for a program. Allow it only if you have just asked to be connected.'
  }</p>
<section class="card"><header><h2>${shown}</h2><span class="badge badge--warn">${icon('warn')}Unverified</span></header>
<div class="pad"><dl class="kv">
<dt>Returns you to</dt><dd class="mono">${bdi(redirectHost)}</dd>
<dt>Acts as</dt><dd>${person.name}, ${person.title}</dd>
<dt>Can access</dt><dd class="mono">${bdi(audience)}</dd>
<dt>Can</dt><dd>See what ${person.name} may see, and request changes. A few changes, such as those to own tasks, need no approval.</dd>
<dt>Cannot</dt><dd>Approve a change. Only you can.</dd>
</dl></div>
<form class="ap-foot" method="post" action="${action}"><input type="hidden" name="csrf" value="${csrf}"><p class="say">You are asked again each time it connects.</p><button class="btn" name="answer" value="no">Cancel</button><button class="btn btn--primary" name="answer" value="yes">Allow</button></form>
</section></div></main>`;
  return page({ title: 'Allow a program', body, frame });
}

const MESSAGES: Readonly<Record<string, string>> = {
  invalid_client: 'The program that sent you here is not known any more. Connect it again from its own settings.',
  invalid_redirect_uri: 'The program that sent you here wants to send you back to an address that it did not register.',
  expired: 'This sign-in took too long, or it has already ended. Please start again.',
  forbidden: 'This form did not come from our own page, so nothing was done. Please start the sign-in again.',
  server_error: 'Something went wrong on our side. Nothing was changed. Please try again.',
};

export function errorPage(code: string, description: string | undefined, frame: PageFrame): string {
  const message = description === 'client is invalid' ? MESSAGES['invalid_client'] : MESSAGES[code];
  const body = html`<main class="signin signin--small" id="main"><div class="signin-in">
${brand()}
<h1 class="big">Sign-in stopped</h1>
<p class="lead">${message ?? 'The program that sent you here asked for something that is not possible.'}</p>
${message === undefined && html`<p class="small faint foot">${bdi(code)}${description !== undefined && html`: ${bdi(description)}`}</p>`}
<p class="foot"><a class="btn" href="/">Back to the start page</a></p>
</div></main>`;
  return page({ title: 'Sign-in stopped', body, frame });
}
