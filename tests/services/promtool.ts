/** Finds or downloads promtool, which checks the text format of Prometheus metrics. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { output } from './server-process.ts';

const PLACES = ['/usr/bin/promtool', '/usr/local/bin/promtool'];

/** The path of promtool: the installed program, or one from the Debian package of Prometheus, which is downloaded once. */
export function promtool(): string {
  const installed = PLACES.find((path) => existsSync(path));
  if (installed !== undefined) return installed;
  const folder = process.env.TAMSHAI_TEST_CACHE || join(homedir(), '.cache', 'tamshai-test');
  const kept = join(folder, 'promtool');
  if (existsSync(kept)) return kept;
  const part = `${kept}.part-${process.pid}`;
  mkdirSync(part, { recursive: true });
  try {
    output('sh', ['-c', 'cd "$0" && (apt-get download -qq prometheus || (apt-get update -qq && apt-get download -qq prometheus))', part]);
    const deb = readdirSync(part).find((name) => name.endsWith('.deb'));
    if (deb === undefined) throw new Error('These tests need promtool: install Prometheus, or let apt fetch it.');
    output('dpkg', ['-x', join(part, deb), part]);
    renameSync(join(part, 'usr/bin/promtool'), kept);
    return kept;
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}
