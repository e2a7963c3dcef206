/** How deals move through their stages, and the stored fields that follow from a deal's values. */
import { spelledPlainly } from '../../src/declare/spelling.ts';
import type { Seller } from './owners.ts';
import type { Opportunity } from './rules.ts';
import { openStages, type Stage } from './schemas.ts';

export type OpenStage = (typeof openStages)[number];

/** The usual probability of each open stage, in percent. */
const likely: Readonly<Record<OpenStage, number>> = { PROSPECTING: 10, QUALIFICATION: 20, DISCOVERY: 35, PROPOSAL: 55, NEGOTIATION: 75 };
export const usualProbability = (stage: OpenStage): number => likely[stage];

export const isOpenStage = (stage: Stage): stage is OpenStage => (openStages as readonly Stage[]).includes(stage);
export const isBackwards = (from: OpenStage, to: OpenStage): boolean => openStages.indexOf(to) < openStages.indexOf(from);

/** value × probability, to the cent. */
export const weighted = (value: number, probability: number): number => Math.round(Math.round(value * 100) * (probability / 100)) / 100;

/** The text that filters by name search. */
export const searchText = (...names: readonly string[]): string => spelledPlainly(names.join(' '));

/** Fields that are absent from the input, or equal to the current value, do not change. */
export function changedFields<T extends Readonly<Record<string, unknown>>>(
  before: T,
  after: { readonly [K in keyof T]?: T[K] | undefined },
): Partial<T> {
  return Object.fromEntries(Object.entries(after).filter(([key, value]) => value !== undefined && value !== before[key])) as Partial<T>;
}

interface DealChange {
  readonly stage?: OpenStage | undefined;
  readonly value?: number | undefined;
  readonly close_date?: string | undefined;
  readonly probability?: number | undefined;
  readonly deal_name?: string | undefined;
  readonly notes?: string | undefined;
}
/** The values that a change asks for; undefined where the value stays. A new stage brings its usual probability. */
export function wantedFields(
  found: Opportunity,
  { stage, value, close_date, probability, deal_name, notes }: DealChange,
  seller: Seller | undefined,
) {
  const isNewStage = stage !== undefined && stage !== found.stage;
  return {
    deal_name,
    stage,
    value,
    close_date,
    probability: probability ?? (isNewStage ? usualProbability(stage) : undefined),
    owner_name: seller?.owner_name,
    owner_id: seller?.owner_id,
    notes: notes === undefined ? undefined : [found.notes, notes].filter(Boolean).join('\n'),
  };
}
