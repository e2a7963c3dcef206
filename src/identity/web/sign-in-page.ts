import { html } from './html.ts';
import { brand, page } from './layout.ts';

export interface SignInPage {
  /** The company's own identity provider, as people know it: its host. */
  readonly staffHost: string;
  readonly staffHref: string;
  readonly customerHref?: string | undefined;
}

/** With a company's own provider: one button, and the customers' way in below it. */
export const signInPage = ({ staffHost, staffHref, customerHref }: SignInPage): string =>
  page({
    title: 'Sign in',
    body: html`<main class="signin signin--small" id="main"><div class="signin-in">
${brand()}
<h1 class="big">Sign in</h1>
<p class="lead">Ask your company’s data a question. You see what your roles let you see, and nothing changes until you approve it.</p>
<a class="btn btn--primary btn--lg btn--wide" href="${staffHref}">Continue with your company account</a>
<p class="small faint after">You go to ${staffHost} and come back here.</p>
${customerHref !== undefined && html`<p class="other">Customer of ours? <a href="${customerHref}">Sign in to the customer portal</a></p>`}
</div></main>`,
  });

const STOPPED = {
  refused: 'You were not signed in: it was cancelled, or took too long. Please start again.',
  unavailable: 'The identity provider does not answer. Please try again in a moment.',
  unusable: 'Your account is good, but it is not set up for Tamshai. Ask an administrator to give it access.',
} as const;

export const signInStoppedPage = (why: keyof typeof STOPPED, again: string): string =>
  page({
    title: 'Sign-in stopped',
    body: html`<main class="signin signin--small" id="main"><div class="signin-in">
${brand()}
<h1 class="big">Sign-in stopped</h1>
<p class="lead">${STOPPED[why]}</p>
<a class="btn btn--primary btn--lg btn--wide" href="${again}">Sign in again</a>
</div></main>`,
  });
