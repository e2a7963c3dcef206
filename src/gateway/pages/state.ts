/** The state of a confirmation, and the view that its card shows. */
import type { ConfirmationData } from '../../declare/answer.ts';
import type { ErrorAnswer } from '../../declare/errors.ts';

/** The shape that `GET /api/confirmations/<id>` returns. */
export interface ConfirmationState {
  readonly state: 'waiting' | 'executing' | 'done' | 'denied' | 'expired' | 'failed';
  readonly confirmationId: string;
  readonly message: string;
  readonly confirmationData: ConfirmationData;
  readonly result?: unknown;
  readonly error?: ErrorAnswer | undefined;
  readonly decidedAt?: string | undefined;
  /** The record in the audit log: `hr #8213`. */
  readonly auditRecord?: string | undefined;
  readonly requestId?: string | undefined;
}

export type View = 'waiting' | 'executing' | 'done' | 'denied' | 'expired' | 'changed' | 'refused' | 'failed';

const REFUSED = new Set(['INSUFFICIENT_PERMISSIONS', 'SEPARATION_OF_DUTIES', 'IDENTITY_NOT_LINKED', 'UNAUTHENTICATED']);

export function viewOf({ state, error, confirmationData }: ConfirmationState, now: Date): View {
  if (state === 'waiting') return Date.parse(confirmationData.expiresAt) <= now.getTime() ? 'expired' : 'waiting';
  if (state !== 'failed') return state;
  if (error?.code === 'CHANGED_SINCE_APPROVAL') return 'changed';
  return error !== undefined && REFUSED.has(error.code) ? 'refused' : 'failed';
}

export const secondsLeft = ({ expiresAt }: Pick<ConfirmationData, 'expiresAt'>, now: Date): number =>
  Math.max(0, Math.ceil((Date.parse(expiresAt) - now.getTime()) / 1000));
