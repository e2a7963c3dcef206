/** The name of a chain tells which process holds its checkpoints. */
import { expect, test } from 'vitest';
import { checkpointedHere } from '../../src/server/chains.ts';

test('a process holds the checkpoints of its own chains, not those of an instance whose name only ends like its own', () => {
  const isOwn = checkpointedHere({ instance: 'b' });
  expect(['calls-b', 'calls-b.2', 'hr-b'].map(isOwn)).toEqual([true, true, true]);
  expect(['hr-a-b', 'hr-c', 'knowledge-bb'].map(isOwn)).toEqual([false, false, false]);
});
