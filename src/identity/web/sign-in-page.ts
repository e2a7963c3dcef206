/** The sign-in page for external identity providers, and the page for a stopped sign-in. */
import { html } from './html.ts';
import { brand, page, type PageFrame } from './layout.ts';

export interface SignInPage {
  /** The host of the company's identity provider. */
  readonly staffHost: string;
  readonly staffHref: string;
  readonly customerHref?: string | undefined;
  readonly frame: PageFrame;
}

export const signInPage = ({ staffHost, staffHref, customerHref, frame }: SignInPage): string =>
  page({
    title: 'Sign in',
    frame,
    body: html`<main class="signin signin--small" id="main"><div class="signin-in">
${brand()}
<h1 class="big">Sign in</h1>
<p class="lead">Ask questions about your company’s data.</p>
<a class="btn btn--primary btn--lg btn--wide" href="${staffHref}">Continue with your company account</a>
<p class="small faint after">You sign in at ${staffHost}.</p>
${customerHref !== undefined && html`<p class="other">Are you a customer? <a href="${customerHref}">Sign in to the customer portal</a></p>`}
</div></main>`,
  });

const STOPPED = {
  refused: 'Sign-in was cancelled or took too long. Please try again.',
  unavailable: 'The identity provider does not answer. Please try again in a moment.',
  unusable: 'Your account has no access to Tamshai. Ask an administrator for access.',
} as const;

export const signInStoppedPage = (why: keyof typeof STOPPED, again: string, frame: PageFrame): string =>
  page({
    title: 'Sign-in stopped',
    frame,
    body: html`<main class="signin signin--small" id="main"><div class="signin-in">
${brand()}
<h1 class="big">Sign-in stopped</h1>
<p class="lead">${STOPPED[why]}</p>
<a class="btn btn--primary btn--lg btn--wide" href="${again}">Sign in again</a>
</div></main>`,
  });
