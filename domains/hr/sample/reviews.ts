/** Sample performance reviews: one per half year, written by the manager in the month after it. */
import type { SampleEmployee } from '../../../src/declare/sample.ts';
import { persona } from '../../sample-company/people.ts';
import { at, between, chance, pick } from '../../sample-company/random.ts';

export interface SampleReview {
  readonly period: string;
  readonly due: string;
  readonly status: 'due' | 'draft' | 'submitted' | 'acknowledged';
  readonly rating: number | null;
  readonly goals: number | null;
  readonly strengths: string | null;
  readonly improvements: string | null;
}

const strengths = [
  'Explains hard things simply.',
  'Finishes what was promised, on time.',
  'First to help when something breaks.',
  'Notices problems before customers do.',
  'Listens well and disagrees kindly.',
  'Brings new colleagues up to speed.',
  'Keeps careful notes that others rely on.',
  'Asks the question nobody dared to ask.',
];
const improvements = [
  'Say no to side requests more often.',
  'Share drafts earlier.',
  'Delegate more of the routine work.',
  'Write decisions down.',
  'Ask for help sooner.',
  'Prepare meetings with an agenda.',
  'Spend more time with customers.',
  'Break large tasks into smaller ones.',
];
/** Fixed reviews of Nina's team, which examples use. */
const fixed: Record<string, SampleReview['status']> = {
  [persona('marcus.johnson').sub]: 'due',
  [persona('sarah.kim').sub]: 'due',
  [persona('frank.davis').sub]: 'draft',
};

/** Submitted reviews of the half year before, which examples acknowledge. */
const submitted: ReadonlySet<string> = new Set([persona('tom.becker').sub]);

interface Period {
  readonly name: string;
  readonly due: string;
}
/** The current half year and the two before it. */
function periods(today: string): Period[] {
  const half = Number(today.slice(0, 4)) * 2 + (today.slice(5) >= '07-01' ? 1 : 0);
  return [half, half - 1, half - 2].map((each) => {
    const year = Math.floor(each / 2);
    return each % 2 === 0 ? { name: `${year}-H1`, due: `${year}-07-31` } : { name: `${year}-H2`, due: `${year + 1}-01-31` };
  });
}

function statusOf(person: SampleEmployee, back: number, seed: number): SampleReview['status'] {
  const lot = chance(seed, 41);
  if (back === 0) return fixed[person.id] ?? (lot < 0.55 ? 'due' : lot < 0.8 ? 'draft' : 'submitted');
  if (back === 1 && submitted.has(person.id)) return 'submitted';
  if (back === 1) return lot < 0.04 ? 'due' : lot < 0.14 ? 'submitted' : 'acknowledged';
  return 'acknowledged';
}

export function reviewsOf(person: SampleEmployee, today: string): SampleReview[] {
  if (person.manager === undefined) return [];
  const hired = Date.parse(`${today.slice(0, 4)}-01-01`) - person.tenure * 86_400_000;
  return periods(today).flatMap(({ name, due }, back) => {
    // No review in the first four months of employment.
    if (hired > Date.parse(due) - 120 * 86_400_000) return [];
    const seed = person.n * 4 + back;
    const status = statusOf(person, back, seed);
    const written = status === 'submitted' || status === 'acknowledged';
    const rating = between(5, 10, seed, 42) / 2;
    return [
      {
        period: name,
        due,
        status,
        rating: written ? rating : null,
        goals: written ? Math.min(100, Math.round(rating * 17) + between(0, 15, seed, 43)) : null,
        strengths: status === 'due' ? null : pick(strengths, seed, 44),
        improvements: written ? at(improvements, between(0, improvements.length - 1, seed, 45)) : null,
      },
    ];
  });
}
