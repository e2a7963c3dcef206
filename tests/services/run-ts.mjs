// Runs one TypeScript module as a process of its own: node run-ts.mjs <file> [arguments…]
// Vite, which vitest depends on, runs TypeScript on every version of Node that we support.
import { resolve } from 'node:path';
import { runnerImport } from 'vite';

const [file] = process.argv.slice(2);
process.argv.splice(1, 1);
await runnerImport(resolve(file), { configFile: false, logLevel: 'error' });
