/** openapi-python-client generates a complete Python client from openapi.json without a warning. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openapi } from '../../src/derive/openapi.ts';
import { pythonGenerator } from '../services/clients.ts';
import { builtIn } from '../registry.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tamshai-generated-'));
  // The first run downloads the generator, hence the long timeout.
  pythonGenerator();
}, 900_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test('openapi-python-client understands every schema', async () => {
  const path = join(folder, 'openapi.json');
  await writeFile(path, JSON.stringify(openapi(builtIn, '0.0.0')));
  // No post hooks: the generator's code formatter is not installed, and the test checks only what is generated.
  const config = join(folder, 'config.yaml');
  await writeFile(config, 'post_hooks: []\n');
  const { PYTHONPATH } = pythonGenerator();
  const run = 'from openapi_python_client.cli import app; app()';
  const args = ['generate', '--path', path, '--config', config, '--output-path', join(folder, 'client'), '--fail-on-warning'];
  const { stdout, stderr } = await promisify(execFile)('python3', ['-c', run, ...args], { env: { ...process.env, PYTHONPATH } });
  expect(stdout + stderr).not.toMatch(/unable to process|warning/i);
}, 300_000);
