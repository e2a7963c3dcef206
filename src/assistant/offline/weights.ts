/** Reads the weights of the offline model, which `npm run train` writes. */
import { readFileSync } from 'node:fs';

/** By the name of the feature. */
export type Weights = Readonly<Record<string, number>>;
export interface OfflineWeights {
  /** Learned: one weight for each feature of a candidate. */
  readonly ranking: Weights;
  /** Learned: turns the difference of two scores into a probability. */
  readonly sharpness: number;
  /** Set by hand, not learned: how words and examples are compared. */
  readonly similarity: Readonly<
    Record<'near' | 'form' | 'formAlone' | 'refused' | 'synonym' | 'stopWord' | 'concept' | 'kind' | 'self', number>
  >;
  /** Set by hand, not learned: the tools for which slots are filled. */
  readonly shortlist: Readonly<Record<'most' | 'leastShare' | 'leastShape' | 'leastExample', number>>;
}

/** From source and from dist/, which is one folder deeper. */
export const WEIGHTS_FILE = new URL(
  import.meta.url.endsWith('.ts') ? '../../../models/offline.json' : '../../../../models/offline.json',
  import.meta.url,
);

let read: OfflineWeights | undefined;
export const readWeights = (): OfflineWeights => (read ??= JSON.parse(readFileSync(WEIGHTS_FILE, 'utf8')) as OfflineWeights);
