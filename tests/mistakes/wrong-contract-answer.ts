/** A provider whose answer does not have the shape of the contract. */
// tsc: Type 'Promise<{ state: string; }>' is not assignable to type 'Promise<"active" | "terminated" | "unknown">'
import { hr } from '../../domains/hr/domain.ts';
import { employment } from '../../src/declare/engine-contracts.ts';

export const provision = hr.provide(employment, {
  systemAudience: 'directory',
  calls: { stateOf: async () => ({ state: 'active' }) },
});
