/** How the state of a lead may change. */
import type { LeadState } from './schemas.ts';

type Moves = Readonly<Record<LeadState, readonly LeadState[]>>;
/** convert_lead alone makes a lead CONVERTED, and a converted lead does not change any more. */
const moves: Moves = {
  NEW: ['CONTACTED', 'QUALIFIED', 'DISQUALIFIED'],
  CONTACTED: ['NEW', 'QUALIFIED', 'DISQUALIFIED'],
  QUALIFIED: ['NEW', 'CONTACTED', 'DISQUALIFIED'],
  CONVERTED: [],
  DISQUALIFIED: ['NEW', 'CONTACTED', 'QUALIFIED'],
};
const progress: readonly LeadState[] = ['NEW', 'CONTACTED', 'QUALIFIED'];

export const canMove = (from: LeadState, to: LeadState): boolean => from === to || moves[from].includes(to);
/** A move backwards, and the end of a lead, need a reason. */
export const needsReason = (from: LeadState, to: LeadState): boolean =>
  from !== to && (to === 'DISQUALIFIED' || (progress.includes(from) && progress.indexOf(to) < progress.indexOf(from)));
