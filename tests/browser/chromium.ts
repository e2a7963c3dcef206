/** Starts Chromium for the browser tests. */
import { type Browser, chromium } from 'playwright-core';

/** Turns off background requests, because the tests fail on any request to another origin. */
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
