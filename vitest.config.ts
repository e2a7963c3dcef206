import { availableParallelism, totalmem } from 'node:os';
import { defineConfig } from 'vitest/config';

/** The folder or the suffix of a test file says what it needs; CONTRIBUTING.md lists both. */
export const FILES: Readonly<Record<string, { readonly include: string[]; readonly exclude?: string[] }>> = {
  embedded: {
    include: ['tests/*.test.ts', 'tests/{unit,contract,journeys,ports,hostile}/**/*.test.ts'],
    exclude: ['**/*.{long,servers}.test.ts'],
  },
  long: { include: ['tests/{command,crash}/**/*.test.ts', 'tests/**/*.long.test.ts'], exclude: ['**/*.servers.test.ts'] },
  servers: {
    include: ['tests/{contract,journeys,ports,crash}/**/*.test.ts', 'tests/**/*.servers.test.ts'],
    exclude: ['**/*.{embedded,http,long}.test.ts'],
  },
  contract: { include: ['tests/contract/**/*.test.ts'], exclude: ['**/*.{embedded,long,servers}.test.ts'] },
  clients: { include: ['tests/{clients,conformance}/**/*.test.ts'] },
  browser: { include: ['tests/browser/**/*.test.ts'] },
  cluster: { include: ['tests/cluster/**/*.test.ts'] },
  crash: { include: ['tests/crash/**/*.test.ts'] },
  fuzz: { include: ['tests/fuzz/**/*.test.ts'] },
  keycloak: { include: ['tests/keycloak/**/*.test.ts'] },
};
// tests/run.mjs sets it. A file that is named by hand runs whatever it needs.
const files = FILES[process.env['TAMSHAI_TEST_FILES'] ?? ''] ?? { include: ['tests/**/*.test.ts'] };

/** At least four, because a worker often waits for a server, a child process or a time limit. A worker needs up to 1.5 GB of memory. */
const WORKERS = Math.max(2, Math.min(Math.max(4, availableParallelism()), Math.floor(totalmem() / 1.5e9)));

export default defineConfig({
  test: {
    ...files,
    globalSetup: ['tests/services/global-setup.ts'],
    // Native modules and real child processes need processes, not threads.
    pool: 'forks',
    // No test replaces a module or changes the environment, so the files of one worker share loaded modules: this saves seconds per file.
    isolate: false,
    maxWorkers: WORKERS,
    // Generous: a busy machine is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
