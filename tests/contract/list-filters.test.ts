/** Every list of the built-in domains filters by each field that the caller may see, counts its rows exactly, and has its orders. */
import { afterAll, describe, test } from 'vitest';
import { filterCases } from '../../src/testing/contract/filters.ts';
import { orderCases } from '../../src/testing/contract/lists.ts';
import { createSubject } from '../../src/testing/contract/subject.ts';
import { builtIn } from '../registry.ts';
import { openTestServer } from '../test-server.ts';

const subject = createSubject(builtIn, () => openTestServer(), []);
afterAll(() => subject.close());

describe('filters and counts of lists', () => {
  test.each([...filterCases(subject), ...orderCases(subject)].map(({ name, run }) => [name, run] as const))('%s', (_, run) => run());
});
