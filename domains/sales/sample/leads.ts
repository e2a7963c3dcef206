/** Sample leads of sales. */
import type { SampleDocument } from '../../../src/declare/sample.ts';
import { asciiName, nameOf } from '../../sample-company/names.ts';
import { spelledPlainly } from '../../../src/declare/spelling.ts';
import { at, between, chance, pick } from '../../sample-company/random.ts';
import { numbered, ownedBy, type SalesTeam, timeOn } from './team.ts';
import { shifted } from '../../sample-company/days.ts';

const GENERATED = 260;
const states = ['NEW', 'NEW', 'NEW', 'CONTACTED', 'CONTACTED', 'QUALIFIED', 'QUALIFIED', 'CONVERTED', 'DISQUALIFIED'] as const;
const sources = ['WEB', 'REFERRAL', 'WEB', 'TRADE_SHOW', 'PARTNER', 'REFERRAL', 'COLD_CALL', 'ADVERTISING', 'SOCIAL_MEDIA'] as const;
const firsts = 'Alder,Bramble,Compass,Dovetail,Echo,Fathom,Garnet,Heather,Indigo,Jasper,Keystone,Lupin,Marigold,Nimbus,Opal,Pebble'.split(
  ',',
);
const seconds = 'Studios,Labs,Partners,Foods,Travel,Media,Hotels,Fitness,Legal,Design,Motors'.split(',');

/** The score of a lead; disqualified leads have low scores. */
function scoreOf(state: (typeof states)[number], n: number): number {
  const [low, high] = { NEW: [5, 95], CONTACTED: [20, 92], QUALIFIED: [55, 99], CONVERTED: [70, 100], DISQUALIFIED: [0, 45] }[state] as [
    number,
    number,
  ];
  return between(low, high, n, 52);
}

export const leadCount = ({ scale }: SalesTeam): number => Math.max(120, Math.round(GENERATED * scale));

export function* leads(team: SalesTeam): Iterable<SampleDocument> {
  const { reps, today } = team;
  for (let n = 0; n < leadCount(team); n++) {
    const { first, last } = nameOf(7000 + n);
    const series = Math.floor(n / (firsts.length * seconds.length));
    const company = `${at(firsts, n % firsts.length)} ${at(seconds, Math.floor(n / firsts.length) % seconds.length)}${series > 0 ? ` ${series + 1}` : ''}`;
    const status = pick(states, n, 51);
    yield {
      _id: numbered('0b100000', n + 1),
      name: `${first} ${last}`,
      company,
      search: spelledPlainly(`${first} ${last} ${company}`),
      email: `${asciiName(first)}.${asciiName(last)}@${spelledPlainly(company).replaceAll(' ', '')}.example`,
      source: pick(sources, n, 53),
      score: scoreOf(status, n),
      status,
      ...ownedBy(at(reps, Math.floor(chance(n, 54) * reps.length))),
      created_at: timeOn(shifted(today, -between(0, 240, n, 55)), n),
    };
  }
}
