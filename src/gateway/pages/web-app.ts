/** The page that loads the web app. */
import { html } from '../../identity/web/html.ts';
import { page, type PageFrame } from '../../identity/web/layout.ts';

export interface WebAppPage {
  readonly csrf: string;
  readonly frame: PageFrame;
}

export const webAppPage = ({ csrf, frame }: WebAppPage): string =>
  page({
    title: 'Tamshai',
    frame,
    module: 'main.tsx',
    body: html`<div id="app" data-csrf="${csrf}"></div><noscript><p class="narrow">This page needs JavaScript. Turn it on and reload the page.</p></noscript>`,
  });
