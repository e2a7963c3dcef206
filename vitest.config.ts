import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By name: the default order depends on what the last run on this machine took. */
class ByName extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
  }
}

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    // What needs a browser or real servers is asked for by name: everything else runs with nothing but Node.
    exclude: [
      ...(process.env['TAMSHAI_TEST_BROWSER'] ? [] : ['tests/browser/**']),
      ...(process.env['TAMSHAI_TEST_KEYCLOAK'] ? [] : ['tests/keycloak/**']),
      ...(process.env['TAMSHAI_TEST_STORES'] === 'servers' ? [] : ['tests/cluster/**', 'tests/journeys/store-toxics.test.ts']),
      // TAMSHAI_TEST_CLIENTS=1 npx vitest run tests/clients tests/conformance: programs of others, fetched by npm and pip.
      ...(process.env['TAMSHAI_TEST_CLIENTS'] ? [] : ['tests/clients/**', 'tests/conformance/**']),
    ],
    globalSetup: ['tests/services/global-setup.ts'],
    // Native modules and real child processes are at home in processes, not in threads.
    pool: 'forks',
    maxWorkers: 2,
    // Generous: a busy machine is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    sequence: { sequencer: ByName },
  },
});
