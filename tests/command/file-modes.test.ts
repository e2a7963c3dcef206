/** Files of the data folder are readable by their own user only, whatever the umask. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bin, build, environment, DEADLINE_MS, prepared, removeFolders, type Settings, tamshai } from './command-support.ts';

let settings: Settings;
beforeAll(async () => {
  build();
  settings = await prepared();
  // The start has to create these files itself.
  for (const name of readdirSync(data()).filter((each) => each !== 'pg')) rmSync(join(data(), name));
}, DEADLINE_MS);
afterAll(removeFolders);

const data = () => settings['TAMSHAI_DATA'] ?? '';

/** Every path below the folder that another user could read, write or enter. */
function open(): string[] {
  const inside = readdirSync(data(), { recursive: true, withFileTypes: true })
    // The test copied pg/ with its modes. Other users cannot enter its parent folder.
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(data(), 'pg', '/')));
  return [data(), ...inside].flatMap((path) => {
    const { mode } = statSync(path);
    return (mode & 0o077) === 0 ? [] : [`${path.slice(data().length)} ${(mode & 0o777).toString(8)}`];
  });
}

async function startAndStop(umask: string): Promise<string[]> {
  const child = spawn('sh', ['-c', `umask ${umask}; exec "$0" "$@"`, process.execPath, bin(), 'start', '--json'], {
    env: environment(settings),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    await Promise.race([once(child.stdout, 'data'), ended]);
    expect((await tamshai(['call', 'tasks', 'list_tasks', '--as', 'nina.patel'], { settings })).code).toBe(0);
    return open();
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

test.each(['000', '022', '077'])(
  'with the umask %s, other users can open nothing in the data folder',
  async (umask) => {
    expect(await startAndStop(umask)).toEqual([]);
    expect(open()).toEqual([]);
  },
  2 * DEADLINE_MS,
);

test(
  'a lock file that other users can read, from an earlier version, is closed to them',
  async () => {
    chmodSync(join(data(), 'lock.db'), 0o644);
    expect(await startAndStop('022')).toEqual([]);
  },
  2 * DEADLINE_MS,
);
