/** The corpus of questions: its format, its persons and its tools. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { personas } from '../../domains/sample-company/people.ts';
import { readCorpus } from '../questions/corpus.ts';
import { gradeTurn } from '../questions/grade.ts';
import { builtIn } from '../registry.ts';

test('every line of the corpus has the format of its README', () => {
  expect(readCorpus().problems).toEqual([]);
});

test('every question is asked by a sample person, and expects tools that exist', () => {
  const people = new Set(personas.map(({ username }) => username));
  const tools = new Set(builtIn.tools.map(({ domain, name }) => `${domain.name}.${name}`));
  const { questions } = readCorpus();
  expect(questions.length).toBeGreaterThan(0);
  const wrong = questions.flatMap(({ file, id, as, turns }) => [
    ...(people.has(as) ? [] : [`${file} ${id}: ${as}`]),
    ...turns.flatMap(({ expect: each }) =>
      (each?.tools.flat() ?? []).filter((name) => !tools.has(name)).map((name) => `${file} ${id}: ${name}`),
    ),
  ]);
  expect(wrong).toEqual([]);
});

test('an author or a style in two parts, a broken line and a repeated id are reported', () => {
  const folder = mkdtempSync(join(tmpdir(), 'corpus-'));
  const line = JSON.stringify({ id: 'q', as: 'alice.chen', class: 'read', turns: [{ ask: 'hi' }] });
  writeFileSync(
    join(folder, 'parts.json'),
    JSON.stringify({ authors: { a: 'train', b: 'test' }, styles: { terse: 'train', polite: 'test' } }),
  );
  writeFileSync(join(folder, 'a.terse.jsonl'), `${line}\n${line}\n{"id": 3}\n{`);
  writeFileSync(join(folder, 'b.terse.jsonl'), line);
  const { questions, problems } = readCorpus(pathToFileURL(`${folder}/`));
  expect(questions.length).toBe(1);
  expect(problems.map((text) => text.split(': ')[0])).toEqual(['a.terse.jsonl:2', 'a.terse.jsonl:3', 'a.terse.jsonl:4', 'b.terse.jsonl']);
});

test('a turn is graded by its kind, its tools and its inputs', () => {
  const context = { changes: (name: string) => name === 'hr.delete_employee', seen: [] };
  const rows = [{ employee_id: 'e-1', name: 'Sarah Kim' }];
  const read = { server: 'hr', tool: 'list_employees', input: { location: 'BERLIN' }, answer: { status: 'success' as const, data: rows } };
  const write = { server: 'hr', tool: 'delete_employee', input: { employee_id: 'e-1' }, answer: { status: 'success' as const, data: {} } };
  const expected = { kind: 'call' as const, tools: ['hr.list_employees'], args: { location: 'Berlin' }, says: [], never: [] };
  expect(gradeTurn(expected, { text: '', calls: [read] }, context).faults).toEqual([]);
  expect(gradeTurn({ ...expected, args: { location: 'Paris' } }, { text: '', calls: [read] }, context).faults).toEqual([
    'location is "BERLIN"',
  ]);
  expect(gradeTurn(expected, { text: '', calls: [read, write] }, context)).toMatchObject({ unaskedWrite: true });
  const named = {
    kind: 'call' as const,
    tools: ['hr.delete_employee'],
    args: { employee_id: { named: 'Sarah Kim' } },
    says: [],
    never: [],
  };
  expect(gradeTurn(named, { text: '', calls: [read, write] }, context).faults).toEqual([]);
  expect(
    gradeTurn({ ...named, args: { employee_id: { named: 'Frank' } } }, { text: '', calls: [read, write] }, context).faults,
  ).toHaveLength(1);
});
