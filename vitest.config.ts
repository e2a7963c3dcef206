import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONGEST, STORELESS } from './tests/suites.ts';

/** The longest first, the others by name: the default order depends on what the last run on this machine took. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`tests/${name}.test.ts`));
      return at === -1 ? LONGEST.length : at;
    };
    return files.toSorted((a, b) => place(a) - place(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts'],
    // What needs a browser or real servers is asked for by name: everything else runs with nothing but Node.
    exclude: [
      ...(process.env['TAMSHAI_TEST_BROWSER'] ? [] : ['tests/browser/**']),
      ...(process.env['TAMSHAI_TEST_KEYCLOAK'] ? [] : ['tests/keycloak/**', 'tests/cluster/keycloak.test.ts']),
      ...(process.env['TAMSHAI_TEST_STORES'] === 'servers'
        ? STORELESS.map((name) => `tests/${name}.test.ts`)
        : ['tests/cluster/**', 'tests/journeys/store-toxics.test.ts', 'tests/ports/audit-federation.test.ts']),
      // npm run test:fuzz: random inputs take minutes.
      ...(process.env['TAMSHAI_TEST_FUZZ'] ? [] : ['tests/fuzz/**']),
      // TAMSHAI_TEST_CLIENTS=1 npx vitest run tests/clients tests/conformance: programs of others, fetched by npm and pip.
      ...(process.env['TAMSHAI_TEST_CLIENTS'] ? [] : ['tests/clients/**', 'tests/conformance/**']),
    ],
    globalSetup: ['tests/services/global-setup.ts'],
    // Native modules and real child processes are at home in processes, not in threads.
    pool: 'forks',
    // Nothing here replaces a module or changes the environment, so that files of one worker need not load everything anew: seconds each.
    isolate: false,
    // On servers a worker often waits for one of them.
    maxWorkers: process.env['TAMSHAI_TEST_STORES'] === 'servers' ? 3 : 2,
    // Generous: a busy machine is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    sequence: { sequencer: LongestFirst },
  },
});
