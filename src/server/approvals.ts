/** Creates the decision service of a process, and the recorder of decisions that execute nothing. */
import { failure } from '../declare/errors.ts';
import { createDecisionService, type DecisionService } from '../engine/approvals/decisions.ts';
import { recorder, type UnexecutedDecision } from '../engine/audit/recorder.ts';
import type { KeyValue } from '../engine/ports.ts';
import type { Verifier } from '../identity/verify.ts';
import type { Meter } from './meter.ts';
import type { Tools } from './tools.ts';

export interface Approvals {
  readonly decide: DecisionService;
  /** Records a decision without a successful execution: a denial or a refusal. */
  recordDecision(decision: UnexecutedDecision): Promise<void>;
}

export interface ApprovalsOptions {
  readonly tools: Pick<Tools, 'runtime' | 'backend'>;
  readonly verifier: Pick<Verifier, 'refresh'>;
  readonly kv: Pick<KeyValue, 'add'>;
  readonly meter: Pick<Meter, 'decided'>;
}

export function createApprovals({ tools: { runtime, backend }, verifier, kv, meter }: ApprovalsOptions): Approvals {
  const decide = createDecisionService({
    tickets: runtime.tickets,
    backend,
    failpoint: runtime.failpoint,
    decided: meter.decided,
    refresh: (caller) => verifier.refresh(caller),
    spend: async (caller) => {
      if (typeof caller.approves === 'string') return;
      if (!(await kv.add(`spent:${caller.token.id}`, '1', 120)))
        throw failure('PERSON_REQUIRED', 'This right to approve was already used.');
    },
  });
  return { decide, recordDecision: (decision) => runtime.audit.append(recorder.decided(runtime, decision)) };
}
