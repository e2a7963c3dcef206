/** Figures of every list of the built-in domains equal the rows that each person can list. */
import { afterAll, describe, test } from 'vitest';
import { analysisCases } from '../../src/testing/contract/analyses.ts';
import { createSubject } from '../../src/testing/contract/subject.ts';
import { builtIn } from '../registry.ts';
import { onServers } from '../stores.ts';
import { openTestServer } from '../test-server.ts';
import { checkRandomAnalyses } from './analyses.ts';

const subject = createSubject(builtIn, () => openTestServer(), []);
afterAll(() => subject.close());

describe('figures', () => {
  test.each(analysisCases(subject).map(({ name, run }) => [name, run] as const))('%s', (_, run) => run(), 180_000);
  test('random analyses', () => checkRandomAnalyses(subject, onServers ? 2_000 : 200), 600_000);
});
