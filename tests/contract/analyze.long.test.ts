/** 2,000 random analyses of every list for every sample person equal plain code over the rows that the person can list. */
import { afterAll, test } from 'vitest';
import { createSubject } from '../../src/testing/contract/subject.ts';
import { builtIn } from '../registry.ts';
import { openTestServer } from '../test-server.ts';
import { checkRandomAnalyses } from './analyses.ts';

const subject = createSubject(builtIn, () => openTestServer(), []);
afterAll(() => subject.close());

test('random analyses', () => checkRandomAnalyses(subject, 2_000), 900_000);
