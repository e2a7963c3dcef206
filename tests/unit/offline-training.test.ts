/** The training of the offline model: it learns from labelled candidates, gives the same weights each time, and knows every feature. */
import { expect, test } from 'vitest';
import { FEATURES } from '../../src/assistant/offline/features.ts';
import { calibrationError, fit, type Instance, recallAt } from '../../src/assistant/offline/training.ts';
import { readWeights } from '../../src/assistant/offline/weights.ts';

const NAMES = FEATURES.map(({ name }) => name);
const vector = (values: Readonly<Record<string, number>>): number[] => NAMES.map((name) => values[name] ?? 0);
/** The right tool has the rows that are named; the wrong one is a little more alike. */
const instances: readonly Instance[] = Array.from({ length: 40 }, (_, at) => ({
  vectors: [vector({ example: 0.6 + (at % 4) / 10 }), vector({ example: 0.5, plural: 1 })],
  gold: 1,
  tool: 'a',
}));
const prior = Object.fromEntries(NAMES.map((name) => [name, name === 'example' ? 1 : 0]));
const options = { prior, strength: 1, sharpness: 10, steps: 200 };

test('the training finds the feature that tells the tools apart', () => {
  expect(recallAt(instances, prior, { most: 1, asked: instances.length })).toBe(0);
  const weights = fit(instances, options);
  expect(weights['plural']).toBeGreaterThan(0.1);
  expect(recallAt(instances, weights, { most: 1, asked: instances.length })).toBe(1);
  expect(calibrationError(instances, weights, 30)).toBeLessThan(0.1);
});

test('the same data give the same weights, and a strong prior holds them', () => {
  expect(fit(instances, options)).toEqual(fit(instances, options));
  expect(Math.abs(fit(instances, { ...options, strength: 1e9 })['plural'] ?? 1)).toBeLessThan(0.01);
});

test('the file of weights has exactly the features of the code', () => {
  expect(new Set(NAMES).size).toBe(NAMES.length);
  expect(Object.keys(readWeights().ranking).toSorted()).toEqual(NAMES.toSorted());
});
