import { type Browser, chromium } from 'playwright-core';

/** Without what a browser does for itself in the background: nothing but our own pages is asked for. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env['TAMSHAI_TEST_CHROMIUM'] ?? '/usr/bin/chromium', args: FLAGS });
