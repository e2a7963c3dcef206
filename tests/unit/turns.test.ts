/** Long audit work yields to the event loop: verification of chains and parsing of checkpoints. */
import { expect, test } from 'vitest';
import { bodyOf, type Checkpoint, macOf, signCheckpoint } from '../../src/engine/audit/chain.ts';
import { verifyChains } from '../../src/engine/audit/verify.ts';
import type { AuditChains, ChainedRecord } from '../../src/engine/ports.ts';
import { parseCheckpoints } from '../../src/storage/audit/checkpoint-file.ts';
import { example, keys } from '../ports/audit-test-store.ts';
import { turnsDuring } from '../turns.ts';

const [chainKey = new Uint8Array(), checkpointKey = new Uint8Array()] = [keys.chain[0], keys.checkpoint[0]];
const AT = '2026-11-16T12:00:00.000Z';

function chainOf(count: number): ChainedRecord[] {
  const records: ChainedRecord[] = [];
  for (let n = 1, mac = ''; n <= count; n++) {
    const body = bodyOf(example(n));
    mac = macOf(chainKey, { chain: 'calls', n, previous: mac, body });
    records.push({ chain: 'calls', n, body, mac });
  }
  return records;
}
const sourceOf = (records: readonly ChainedRecord[]): AuditChains => ({
  chains: async () => [{ chain: 'calls', count: records.length }],
  async *records() {
    yield* records;
  },
  record: async (_chain, n) => records[n - 1],
  newest: async () => [],
});
const checkpointOf = ({ n, mac }: ChainedRecord): Checkpoint => signCheckpoint(checkpointKey, { chain: 'calls', count: n, mac, at: AT });

test('the verification of a long chain yields to the event loop', async () => {
  const records = chainOf(20_000);
  const checkpoints = records.filter(({ n }) => n % 100 === 0).map(checkpointOf);
  const { turns, result } = await turnsDuring(() => verifyChains([sourceOf(records)], checkpoints, { keys }));
  expect(result).toEqual({ ok: true, chains: [{ chain: 'calls', count: 20_000, checkpointed: 20_000 }] });
  expect(turns).toBeGreaterThan(1);
});

test('the verification of 150,000 checkpoints yields to the event loop', async () => {
  const records = chainOf(1);
  const first = checkpointOf(records[0] as ChainedRecord);
  const many = Array.from({ length: 150_000 }, (_, n) => signCheckpoint(checkpointKey, { chain: 'gone', count: n + 1, mac: 'x', at: AT }));
  const { turns, result } = await turnsDuring(() => verifyChains([sourceOf(records)], [first, ...many], { keys }));
  expect(result).toEqual({ ok: false, chain: 'gone', n: 1, problem: 'The whole chain is missing.' });
  expect(turns).toBeGreaterThan(1);
});

test('the parsing of a long checkpoint file yields to the event loop', async () => {
  const line = JSON.stringify(checkpointOf(chainOf(1)[0] as ChainedRecord));
  const { turns, result } = await turnsDuring(() => parseCheckpoints(`${line}\n\nnot JSON\n${`${line}\n`.repeat(50_000)}${line}`));
  expect(result).toHaveLength(50_002);
  expect(result[1]).toMatchObject({ chain: '', signature: '' });
  expect(turns).toBeGreaterThan(1);
});
