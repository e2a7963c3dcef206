/** Retrieval quality of the knowledge query, measured with judged answers to twenty-four questions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as knowledge from '../../domains/knowledge/index.ts';
import { entries, triples } from '../../domains/knowledge/sample/entries.ts';
import { databases, openTestRuntime, type TestRuntime } from '../test-runtime.ts';
import { judged } from './knowledge-judged.ts';

const gain = (grade: number, rank: number) => (2 ** grade - 1) / Math.log2(rank + 2);
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
const mean = (numbers: readonly number[]) => sum(numbers) / numbers.length;

function measured(answers: Readonly<Record<string, number>>, topics: readonly string[]) {
  const ideal = sum(
    Object.values(answers)
      .toSorted((a, b) => b - a)
      .slice(0, 10)
      .map(gain),
  );
  const first = topics.slice(0, 10).findIndex((topic) => (answers[topic] ?? 0) >= 2);
  return {
    ndcg: sum(topics.slice(0, 10).map((topic, rank) => gain(answers[topic] ?? 0, rank))) / ideal,
    mrr: first < 0 ? 0 : 1 / (first + 1),
    recall: topics.slice(0, 20).filter((topic) => topic in answers).length / Object.keys(answers).length,
  };
}

describe.each(databases)('questions on %s', (name, database) => {
  let testRuntime: TestRuntime;
  beforeAll(async () => {
    testRuntime = await openTestRuntime({ database, tools: Object.values(knowledge) });
  }, 120_000);
  afterAll(async () => {
    await testRuntime?.close();
    expect(testRuntime?.problems).toEqual([]);
  });

  test('find their judged answers with nDCG, MRR and recall of at least 0.75', async () => {
    expect([entries.length, triples.length, judged.length]).toEqual([60, 30, 24]);
    const known = new Set(entries.map(({ topic }) => topic));
    expect(judged.flatMap(({ answers }) => Object.keys(answers)).filter((topic) => !known.has(topic))).toEqual([]);
    const results = [];
    for (const { ask, answers } of judged) {
      const topics = (await testRuntime.data('frank.davis', 'knowledge', 'query', { query: ask, limit: 20 })).map((row) =>
        String(row['topic']),
      );
      results.push({ ask, topics, ...measured(answers, topics) });
    }
    const figures = {
      ndcg: mean(results.map(({ ndcg }) => ndcg)),
      mrr: mean(results.map(({ mrr }) => mrr)),
      recall: mean(results.map(({ recall }) => recall)),
    };
    process.stdout.write(
      `retrieval on ${name}: nDCG@10 ${figures.ndcg.toFixed(3)}, MRR@10 ${figures.mrr.toFixed(3)}, recall@20 ${figures.recall.toFixed(3)}\n`,
    );
    const said = results.map(({ ask, ndcg, topics }) => `${ndcg.toFixed(2)} ${ask}: ${topics.slice(0, 5).join(', ')}`).join('\n');
    expect(figures.ndcg, said).toBeGreaterThanOrEqual(0.75);
    expect(figures.mrr).toBeGreaterThanOrEqual(0.75);
    expect(figures.recall).toBeGreaterThanOrEqual(0.75);
  });
});
