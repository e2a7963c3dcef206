/** Packs the package as `npm pack` does, and installs it into a project elsewhere, from the registry or offline. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from './services/built.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export interface PackedProject {
  readonly folder: string;
  /** The paths in the package. */
  readonly files: readonly string[];
  /** The command, for `node`. */
  readonly program: string;
  write(files: Readonly<Record<string, string>>): void;
  remove(): void;
}

/** Returns the name of the tarball. */
function pack(folder: string): string {
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  const [tarball = ''] = execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n').slice(-1);
  return tarball;
}

/** npm sets these for the scripts that it runs. They would make an inner npm install into the checkout. */
const OF_OUTER_NPM = /^npm_(?:package|lifecycle|command|execpath|config_(?:local_|global_)?prefix)|^INIT_CWD$/i;

/** Installs the package and the dependencies of the project in `folder` with npm. Returns the command, and what npm printed. */
export function installPacked(folder: string): { readonly program: string; readonly output: string } {
  buildIfStale();
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_OUTER_NPM.test(name)));
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', `./${pack(folder)}`];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`npm install failed:\n${stdout}${stderr}`);
  return { program: join(folder, 'node_modules', 'tamshai', 'bin', 'tamshai.mjs'), output: stdout + stderr };
}

// The package is unpacked, and its dependencies are links to those of the checkout. So nothing of src/ can be imported.
export function openPackedProject(files: Readonly<Record<string, string>> = {}): PackedProject {
  buildIfStale();
  const folder = mkdtempSync(join(tmpdir(), 'tamshai-test-packed-'));
  const modules = join(folder, 'node_modules');
  const tarball = pack(folder);
  mkdirSync(modules);
  const { status, stderr } = spawnSync('tar', ['-xzf', join(folder, tarball), '-C', folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  renameSync(join(folder, 'package'), join(modules, 'tamshai'));
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (!name.startsWith('.')) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  }
  const write = (texts: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(texts)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };
  write({ 'package.json': '{ "type": "module", "private": true }', ...files });
  return {
    folder,
    files: readdirSync(join(modules, 'tamshai'), { recursive: true, encoding: 'utf8' }).toSorted(),
    program: join(modules, 'tamshai', 'bin', 'tamshai.mjs'),
    write,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
