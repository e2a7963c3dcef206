/** Every list of the built-in domains filters by each field that the caller may see, and counts its rows exactly. */
import { afterAll, describe, test } from 'vitest';
import { filterCases } from '../../src/testing/contract/filters.ts';
import { createSubject } from '../../src/testing/contract/subject.ts';
import { builtIn } from '../registry.ts';
import { openTestServer } from '../test-server.ts';

const subject = createSubject(builtIn, () => openTestServer(), []);
afterAll(() => subject.close());

describe('filters and counts of lists', () => {
  test.each(filterCases(subject).map(({ name, run }) => [name, run] as const))('%s', (_, run) => run());
});
