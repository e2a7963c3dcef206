/** The contract suite over installations with some of the built-in domains. */
import { afterAll, describe, it } from 'vitest';
import { finance, hr, knowledge } from '../../domains/index.ts';
import { contractSuite } from '../../src/testing/index.ts';
import { copies } from './arrange.ts';

describe.each([
  ['hr alone', [hr], ['hr']],
  // The suite of hr alone covers its tools.
  ['finance with hr', [hr, finance], ['finance']],
  ['knowledge alone', [knowledge], ['knowledge']],
])('%s', (_name, domains, covered) => {
  contractSuite({ domains }, { describe, it, afterAll, domains: covered, ignoredTables: copies });
});
