/** The icon of the pages in browser tabs. */
import { createHash } from 'node:crypto';
import { createWebFile } from './build.ts';

const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22">' +
  '<rect width="22" height="22" rx="6" fill="#0d6470"/><path d="M5.5 7.2h11M11 10.6v5.6" fill="none" ' +
  'stroke="#fff" stroke-width="2.2" stroke-linecap="round"/></svg>';
const digest = createHash('sha256').update(mark).digest('hex').slice(0, 12);

export const favicon = createWebFile(`tamshai-${digest}.svg`, Buffer.from(mark));
