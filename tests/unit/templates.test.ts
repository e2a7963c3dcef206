/** The templates of `tamshai new domain` produce formatted files. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const VALUES: Readonly<Record<string, string>> = { title: 'Rooms', port: '3120', executive: 'eve.thompson', employee: 'alice.chen' };

test('for a domain called rooms, biome has nothing to format', () => {
  const name = 'rooms';
  const folder = mkdtempSync(join(tmpdir(), 'tamshai-templates-'));
  try {
    cpSync(join(ROOT, 'templates'), folder, { recursive: true });
    const config = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8')) as object;
    writeFileSync(join(folder, 'biome.json'), JSON.stringify({ ...config, files: { includes: ['**/*.ts'] } }));
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    expect(files.length).toBeGreaterThan(6);
    for (const file of files) {
      const text = readFileSync(join(folder, file), 'utf8');
      const filled = text.replaceAll(/\{\{([a-z]+)\}\}/g, (_, key: string) => (key === 'name' ? name : (VALUES[key] ?? 'x')));
      writeFileSync(join(folder, file), filled);
    }
    const biome = join(ROOT, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
    const { status, stdout, stderr } = spawnSync(process.execPath, [biome, 'format', 'domain', 'project'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect([status, status === 0 ? '' : stdout + stderr]).toEqual([0, '']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
