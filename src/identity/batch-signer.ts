/** Signs identity tokens in batches: one signature covers up to 16 calls to one server in the same turn of the event loop. */
import type { Clock } from '../engine/ports.ts';
import { type IdentifiedCall, signIdentities } from './internal.ts';
import type { SigningKey } from './keys.ts';

/** Larger batches make longer tokens: each token contains the digests of all calls of its batch. */
const LARGEST_BATCH = 16;

interface QueuedCall {
  readonly call: IdentifiedCall;
  readonly signed: (token: string) => void;
  readonly failed: (error: unknown) => void;
}

export function createBatchSigner(
  key: SigningKey,
  server: string,
  clock: Clock,
): (call: Omit<IdentifiedCall, 'server'>) => Promise<string> {
  let waiting: QueuedCall[] = [];
  const sign = () => {
    const batch = waiting;
    waiting = [];
    try {
      const tokens = signIdentities(key, server, { calls: batch.map(({ call }) => call), clock });
      for (const [n, { signed }] of batch.entries()) signed(tokens[n] ?? '');
    } catch (error) {
      for (const { failed } of batch) failed(error);
    }
  };
  return (call) =>
    new Promise((signed, failed) => {
      waiting.push({ call: { ...call, server }, signed, failed });
      if (waiting.length === LARGEST_BATCH) sign();
      else if (waiting.length === 1) setImmediate(() => waiting.length > 0 && sign());
    });
}
