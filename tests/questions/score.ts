/** npm run score: asks the assistant the questions of the corpus and prints a table of its scores by class and by style. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Answer } from '../../src/declare/answer.ts';
import { canWrite } from '../../src/declare/tool.ts';
import { openAssistantHarness } from '../assistant-harness.ts';
import { createInProcessModel } from '../in-process-model.ts';
import { builtIn } from '../registry.ts';
import { type Question, readCorpus } from './corpus.ts';
import { gradeTurn } from './grade.ts';

const { values: options } = parseArgs({
  options: {
    part: { type: 'string' },
    file: { type: 'string' },
    class: { type: 'string' },
    only: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});

interface Scored {
  readonly question: Question;
  readonly faults: readonly string[];
  /** Turns with a call or a card, and those of them without a fault. */
  readonly acted: number;
  readonly actedRight: number;
  readonly unaskedWrites: number;
  readonly ms: number;
}

const { questions, problems } = readCorpus();
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exit(1);
}
const chosen = questions.filter(
  ({ part, file, class: kind, id }) =>
    (options.part === undefined || part === options.part) &&
    (options.file === undefined || file.startsWith(options.file)) &&
    (options.class === undefined || kind === options.class) &&
    (options.only === undefined || options.only.split(',').includes(id)),
);

const harness = await openAssistantHarness(builtIn, { create: (registry, { phrases }) => createInProcessModel(registry, phrases) });
const changes = (name: string): boolean => {
  const [server = '', tool = ''] = name.split('.');
  const found = harness.registry.find(server, tool);
  return found !== undefined && canWrite(found);
};

async function score(question: Question): Promise<Scored> {
  const seen: Answer[] = [];
  const faults: string[] = [];
  let [acted, actedRight, unaskedWrites, ms] = [0, 0, 0, 0];
  let said: Parameters<typeof harness.ask>[2] = [];
  for (const { ask, expect } of question.turns) {
    const began = performance.now();
    const asked = await harness.ask(question.as, ask, said);
    ms += performance.now() - began;
    said = asked.said;
    if (expect) {
      const grade = gradeTurn(expect, asked, { changes, seen });
      faults.push(...grade.faults);
      acted += Number(grade.acted);
      actedRight += Number(grade.acted && grade.faults.length === 0);
      unaskedWrites += Number(grade.unaskedWrite);
    }
    seen.push(...asked.calls.map(({ answer }) => answer));
  }
  return { question, faults, acted, actedRight, unaskedWrites, ms };
}

const scored: Scored[] = [];
for (const question of chosen) scored.push(await score(question));
await harness.close();

const percent = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`);
const sum = (rows: readonly Scored[], of: (row: Scored) => number): number => rows.reduce((total, row) => total + of(row), 0);
const line = (name: string, rows: readonly Scored[]): string =>
  [
    name.padEnd(28),
    String(rows.length).padStart(6),
    percent(rows.filter(({ faults }) => faults.length === 0).length, rows.length).padStart(9),
    percent(
      sum(rows, ({ actedRight }) => actedRight),
      sum(rows, ({ acted }) => acted),
    ).padStart(10),
    String(sum(rows, ({ unaskedWrites }) => unaskedWrites)).padStart(15),
  ].join('');
const table = (by: (question: Question) => string): string[] =>
  [...new Set(scored.map(({ question }) => by(question)))].toSorted().map((name) =>
    line(
      name,
      scored.filter(({ question }) => by(question) === name),
    ),
  );

if (options.verbose)
  // The failures of the test part are never shown, so that nobody tunes on them.
  for (const { question, faults } of scored)
    if (faults.length > 0 && question.part !== 'test')
      console.log(
        `${question.file} ${question.id} ${question.as}> ${question.turns.map(({ ask }) => ask).join(' / ')}\n    ${faults.join('; ')}`,
      );
console.log(`${'questions'.padEnd(28)}${'n'.padStart(6)}${'pass'.padStart(9)}${'precision'.padStart(10)}${'unasked writes'.padStart(15)}`);
for (const text of [
  ...table(({ class: kind }) => kind),
  '',
  ...table(({ part, style }) => `${part} ${style}`),
  '',
  ...table(({ part }) => part),
])
  console.log(text);
console.log(line('all', scored));
const times = scored.map(({ ms, question }) => ms / question.turns.length).sort((a, b) => a - b);
console.log(`median ${times[Math.floor(times.length / 2)]?.toFixed(1) ?? '-'} ms a turn, with its calls`);
if (options.json !== undefined)
  writeFileSync(
    options.json,
    scored
      .filter(({ question }) => question.part !== 'test')
      .map((each) => JSON.stringify(each))
      .join('\n'),
  );
