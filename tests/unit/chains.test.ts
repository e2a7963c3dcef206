/** Which process has the checkpoints of a chain, by the chain's name. */
import { expect, test } from 'vitest';
import { checkpointedHere } from '../../src/server/chains.ts';

test('a process has the checkpoints of its own chains, not those of another whose name ends like its own', () => {
  const isOwn = checkpointedHere({ instance: 'b' });
  expect(['calls-b', 'calls-b.2', 'hr-b'].map(isOwn)).toEqual([true, true, true]);
  expect(['hr-a-b', 'hr-c', 'knowledge-bb'].map(isOwn)).toEqual([false, false, false]);
});
