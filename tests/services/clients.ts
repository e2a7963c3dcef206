/** MCP clients of other projects, installed once by npm and pip into the cache folder of the tests. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { output } from './server-process.ts';

export const INSPECTOR = '2.12.0';
/** The Inspector needs a newer Node than we do. npm can install that version too. */
const NODE = '24.21.0';
const CONFORMANCE = '0.2.0-alpha.12';
const PYTHON_SDK = '2.3.0';
const PYTHON_GENERATOR = '0.29.1';

const cache = () => process.env['TAMSHAI_TEST_CACHE'] || join(homedir(), '.cache', 'tamshai-test');

/** Installs into a temporary folder and renames it at the end, so a folder with the final name is always complete. */
function kept(name: string, make: (folder: string) => boolean): string {
  const folder = join(cache(), name);
  if (existsSync(folder)) return folder;
  const part = `${folder}.part-${process.pid}`;
  mkdirSync(part, { recursive: true });
  try {
    if (!make(part)) throw new Error(`These tests need ${name}, which could not be fetched.`);
    renameSync(part, folder);
    return folder;
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

/** The MCP Inspector: the path of Node and the path of its script. */
export function inspector(): readonly [string, string] {
  const folder = kept(`inspector-${INSPECTOR}-node-${NODE}`, (part) => {
    const install = ['install', '--no-audit', '--no-fund', '--force', '--prefix', part];
    return (
      output('npm', [...install, `node@${NODE}`]) !== undefined &&
      output('npm', [...install, '--ignore-scripts', `@modelcontextprotocol/inspector@${INSPECTOR}`]) !== undefined
    );
  });
  return [join(folder, 'node_modules', 'node', 'bin', 'node'), join(folder, 'node_modules', '.bin', 'mcp-inspector')];
}

/** The folder of the Python SDK, for PYTHONPATH. It is not a virtual environment, because that could not be renamed at the end. */
export function pythonSdk(): { readonly PYTHONPATH: string } {
  const folder = kept(
    `python-mcp-${PYTHON_SDK}`,
    (part) => output('python3', ['-m', 'pip', 'install', '-q', '--target', part, `mcp==${PYTHON_SDK}`]) !== undefined,
  );
  return { PYTHONPATH: folder };
}

/** The official conformance suite: the path of Node and the path of its script. */
export function conformance(): readonly [string, string] {
  const folder = kept(
    `conformance-${CONFORMANCE}-node-${NODE}`,
    (part) =>
      output('npm', [
        'install',
        '--no-audit',
        '--no-fund',
        '--force',
        '--prefix',
        part,
        `node@${NODE}`,
        `@modelcontextprotocol/conformance@${CONFORMANCE}`,
      ]) !== undefined,
  );
  return [
    join(folder, 'node_modules', 'node', 'bin', 'node'),
    join(folder, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js'),
  ];
}

/** The folder of openapi-python-client, for PYTHONPATH. It generates a client from openapi.json. */
export function pythonGenerator(): { readonly PYTHONPATH: string } {
  const folder = kept(
    `openapi-python-client-${PYTHON_GENERATOR}`,
    (part) =>
      output('python3', ['-m', 'pip', 'install', '-q', '--target', part, `openapi-python-client==${PYTHON_GENERATOR}`]) !== undefined,
  );
  return { PYTHONPATH: folder };
}
