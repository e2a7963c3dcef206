/** npm run train: learns the weights of the offline model from the phrases of all tools and the training part of the corpus. */
import { readFileSync, writeFileSync } from 'node:fs';
import { opens } from '../../src/engine/access.ts';
import { EXAMPLE_DAY } from '../../src/derive/answers.ts';
import { qualifiedName } from '../../src/engine/registry.ts';
import { type Declarations, readDeclarations } from '../../src/assistant/offline/declarations.ts';
import {
  calibrate,
  calibrationError,
  fit,
  indexWithout,
  type Instance,
  instanceOf,
  type LabelledQuestion,
  recallAt,
} from '../../src/assistant/offline/training.ts';
import { type OfflineWeights, type Weights, WEIGHTS_FILE } from '../../src/assistant/offline/weights.ts';
import { readPhrases } from '../../src/server/phrases.ts';
import { builtIn } from '../registry.ts';
import { person } from '../test-runtime.ts';
import { readCorpus } from './corpus.ts';

const FOLDS = 5;
const STRENGTH = 3000;
/** Our own questions count as often as this, because there are many more phrases. */
const COPIES = 10;
const STEPS = 150;

const old = JSON.parse(readFileSync(WEIGHTS_FILE, 'utf8')) as OfflineWeights & { readonly prior: Weights };
const phrases = readPhrases(builtIn);
function declare(): Declarations {
  const reading = readDeclarations(builtIn, phrases);
  let step = reading.next();
  while (!step.done) step = reading.next();
  return step.value;
}
const declarations = declare();
const allowedFor = (as: string): Set<string> => new Set(builtIn.tools.filter((tool) => opens(tool, person(as).roles)).map(qualifiedName));

interface Item extends LabelledQuestion {
  /** The number of its phrase, by which it belongs to a fold. */
  readonly at: number;
}
const items: Item[] = declarations.tools.flatMap(({ qualifiedName: tool, examples }) =>
  examples
    .flatMap(({ phrases: others, as }) => others.map((text) => ({ text, as })))
    .map(({ text, as }, at) => ({ text, tool, at, asker: person(as), allowed: allowedFor(as) })),
);
const toolFold = new Map(declarations.tools.map(({ qualifiedName: name }, at) => [name, at % FOLDS]));
const present = (instances: readonly (Instance | undefined)[]): Instance[] => instances.flatMap((each) => each ?? []);

/** Each phrase with an index that has the other phrases of its tool. */
const known = Array.from({ length: FOLDS }, (_, fold) => {
  const mine = items.filter(({ at }) => at % FOLDS === fold);
  const texts = new Set(mine.map(({ text }) => text));
  const index = indexWithout(declarations, (_tool, phrase) => texts.has(phrase));
  return mine.map((item) => instanceOf(index, item, EXAMPLE_DAY));
});
/** Each phrase with an index that has no phrase of its tool: a tool on which nothing was trained. */
const unseen = Array.from({ length: FOLDS }, (_, fold) => {
  const index = indexWithout(declarations, ({ qualifiedName: name }) => toolFold.get(name) === fold);
  return items.filter(({ tool }) => toolFold.get(tool) === fold).map((item) => instanceOf(index, item, EXAMPLE_DAY));
});
/** Questions of the training part of the corpus with one turn and one tool. */
const index = indexWithout(declarations, () => false);
const labelled = readCorpus()
  .questions.filter(({ part, turns }) => part === 'train' && turns.length === 1)
  .flatMap(({ as, turns }) =>
    turns.flatMap(({ ask, expect }) => {
      const [tool] = expect?.tools ?? [];
      if (typeof tool !== 'string' || expect?.tools.length !== 1) return [];
      return [{ text: ask, tool: tool.replace('.', '_'), asker: person(as), allowed: allowedFor(as) }];
    }),
  );
/** The bank of the project's own questions, those of one turn that must lead to a call. */
const bank = readFileSync(new URL('bank.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as { readonly as: string; readonly turns: readonly string[]; readonly call?: string })
  .flatMap(({ as, turns: [text = '', ...others], call }) =>
    call === undefined || others.length > 0 ? [] : [{ text, tool: call.replace('.', '_'), asker: person(as), allowed: allowedFor(as) }],
  );
labelled.push(...bank);
const corpus = present(labelled.map((question) => instanceOf(index, question, EXAMPLE_DAY)));

const options = { prior: old.prior, strength: STRENGTH, sharpness: 12, steps: STEPS };
const everything = [...present(known.flat()), ...present(unseen.flat()), ...Array.from({ length: COPIES }).flatMap(() => corpus)];

/** Recall of tools whose phrases were neither in the index nor in the training. */
function recallOfUnseen(): { first: number; three: number; calibration: number; before: number } {
  let [first, three, calibration, before] = [0, 0, 0, 0];
  for (const [fold, test] of unseen.entries()) {
    const train = everything.filter(({ tool }) => toolFold.get(tool) !== fold);
    const weights = fit(train, options);
    const found = present(test);
    first += recallAt(found, weights, { most: 1, asked: 1 });
    three += recallAt(found, weights, { most: 3, asked: 1 });
    before += recallAt(found, old.prior, { most: 1, asked: 1 });
    calibration += calibrationError(found, weights, calibrate(train, weights)) * found.length;
  }
  const all = unseen.flat().length;
  return { first: first / all, three: three / all, calibration: calibration / all, before: before / all };
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const weights: Weights = fit(everything, options);
const sharpness = calibrate(everything, weights);
const own = recallOfUnseen();
const seen = present(known.flat());
const report = {
  phrases: items.length,
  corpusQuestions: corpus.length,
  features: Object.keys(weights).length,
  unseenTool: {
    before: percent(own.before),
    first: percent(own.first),
    firstThree: percent(own.three),
    calibrationError: percent(own.calibration),
  },
  otherPhrases: {
    before: percent(recallAt(seen, old.prior, { most: 1, asked: items.length })),
    first: percent(recallAt(seen, weights, { most: 1, asked: items.length })),
    firstThree: percent(recallAt(seen, weights, { most: 3, asked: items.length })),
  },
};
writeFileSync(
  WEIGHTS_FILE,
  `${JSON.stringify({ prior: old.prior, ranking: weights, sharpness, similarity: old.similarity, shortlist: old.shortlist, report }, null, 2)}\n`,
);
console.log(report);
