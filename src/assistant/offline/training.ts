/** Learns the weights of the offline model's features from labelled questions, by regularised softmax regression over candidates. */
import type { Asker } from './asker.ts';
import type { Declarations, ToolDeclaration } from './declarations.ts';
import { annotate } from './annotate.ts';
import { FEATURES } from './features.ts';
import type { Weights } from './weights.ts';
import { indexTools, type ToolIndex } from './index-tools.ts';
import { scoreIntents } from './intent-scoring.ts';
import { mayChange, readSentence } from './sentence-type.ts';

/** A question, and the qualified name of the tool that answers it. */
export interface LabelledQuestion {
  readonly text: string;
  readonly tool: string;
  readonly asker: Asker;
  /** The qualified names of the tools that the asker may use. */
  readonly allowed: ReadonlySet<string>;
}
/** The candidates of one question as vectors of feature values. */
export interface Instance {
  readonly vectors: readonly (readonly number[])[];
  readonly gold: number;
  readonly tool: string;
}
export interface FitOptions {
  readonly prior: Weights;
  /** How strongly the weights are held at those of the prior. */
  readonly strength: number;
  readonly sharpness: number;
  readonly steps: number;
}

/** Undefined if the right tool is not among the candidates: no weight can repair that. */
export function instanceOf(index: ToolIndex, { text, tool, asker, allowed }: LabelledQuestion, today: string): Instance | undefined {
  const sentence = readSentence(text);
  const pool = index.entries.filter((entry) => (allowed.has(entry.name) || entry.name === tool) && (mayChange(sentence) || !entry.mutates));
  const utterance = annotate(sentence.text, today, index.lexicon);
  const previous = { shown: [], utterance: undefined, entry: undefined };
  const scored = scoreIntents({ index, person: asker }, utterance, { pool, previous, hints: {} });
  const gold = scored.findIndex(({ entry }) => entry.name === tool);
  return gold < 0 ? undefined : { vectors: scored.map(({ vector }) => vector), gold, tool };
}

/** The declarations without the phrases for which `isLeftOut` is true, so that a question is not its own example. */
export const withoutPhrases = (
  declarations: Declarations,
  isLeftOut: (tool: ToolDeclaration, phrase: string) => boolean,
): Declarations => ({
  ...declarations,
  tools: declarations.tools.map((tool) => ({
    ...tool,
    examples: tool.examples.map((example) => ({ ...example, phrases: example.phrases.filter((phrase) => !isLeftOut(tool, phrase)) })),
  })),
});
export const indexWithout = (declarations: Declarations, isLeftOut: (tool: ToolDeclaration, phrase: string) => boolean): ToolIndex =>
  indexTools(withoutPhrases(declarations, isLeftOut));

const dot = (weights: readonly number[], vector: readonly number[]): number =>
  vector.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), 0);
function probabilities(scores: readonly number[], sharpness: number): number[] {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(sharpness * (score - most)));
  const whole = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / whole);
}

const RATE = 0.004;
const [MEAN, SPREAD, TINY] = [0.9, 0.999, 1e-8];
/** Adam on the negative log-likelihood. It has no random part, so the same data give the same weights. */
export function fit(instances: readonly Instance[], { prior, strength, sharpness, steps }: FitOptions): Weights {
  const start = FEATURES.map(({ name }) => prior[name] ?? 0);
  const weights = [...start];
  const mean = weights.map(() => 0);
  const spread = weights.map(() => 0);
  for (let step = 1; step <= steps; step += 1) {
    const gradient = weights.map((weight, at) => (2 * strength * (weight - (start[at] ?? 0))) / instances.length);
    for (const { vectors, gold } of instances) {
      const chances = probabilities(
        vectors.map((vector) => dot(weights, vector)),
        sharpness,
      );
      for (const [row, vector] of vectors.entries()) {
        const error = ((chances[row] ?? 0) - (row === gold ? 1 : 0)) * (sharpness / instances.length);
        if (Math.abs(error) > TINY) for (const [at, value] of vector.entries()) gradient[at] = (gradient[at] ?? 0) + error * value;
      }
    }
    for (const [at, slope] of gradient.entries()) {
      mean[at] = MEAN * (mean[at] ?? 0) + (1 - MEAN) * slope;
      spread[at] = SPREAD * (spread[at] ?? 0) + (1 - SPREAD) * slope * slope;
      const change = (mean[at] ?? 0) / (1 - MEAN ** step) / (Math.sqrt((spread[at] ?? 0) / (1 - SPREAD ** step)) + TINY);
      weights[at] = (weights[at] ?? 0) - RATE * change;
    }
  }
  return Object.fromEntries(FEATURES.map(({ name }, at) => [name, Math.round((weights[at] ?? 0) * 1e4) / 1e4]));
}

const rankOf = (weights: readonly number[], { vectors, gold }: Instance): number => {
  const scores = vectors.map((vector) => dot(weights, vector));
  return scores.filter((score) => score > (scores[gold] ?? 0)).length;
};
/** The share of the questions whose tool is among the first `most`. `asked` counts those without the right candidate, too. */
export function recallAt(instances: readonly Instance[], weights: Weights, { most, asked }: { most: number; asked: number }): number {
  const values = FEATURES.map(({ name }) => weights[name] ?? 0);
  return instances.filter((instance) => rankOf(values, instance) < most).length / Math.max(1, asked);
}

const BINS = 10;
/** The expected difference between the probability of the first candidate and how often it is right. */
export function calibrationError(instances: readonly Instance[], weights: Weights, sharpness: number): number {
  const values = FEATURES.map(({ name }) => weights[name] ?? 0);
  const bins = Array.from({ length: BINS }, () => ({ count: 0, chance: 0, right: 0 }));
  for (const instance of instances) {
    const chances = probabilities(
      instance.vectors.map((vector) => dot(values, vector)),
      sharpness,
    );
    const best = chances.indexOf(Math.max(...chances));
    const bin = bins[Math.min(BINS - 1, Math.floor((chances[best] ?? 0) * BINS))];
    if (!bin) continue;
    bin.count += 1;
    bin.chance += chances[best] ?? 0;
    bin.right += best === instance.gold ? 1 : 0;
  }
  return bins.reduce((sum, { chance, right }) => sum + Math.abs(chance - right), 0) / Math.max(1, instances.length);
}
const SHARPEST = 40;
/** The sharpness with the least calibration error. */
export function calibrate(instances: readonly Instance[], weights: Weights): number {
  const tried = Array.from({ length: SHARPEST }, (_, at) => at + 1);
  return tried.reduce((best, each) =>
    calibrationError(instances, weights, each) < calibrationError(instances, weights, best) ? each : best,
  );
}
