/** Sample data of knowledge: two years of entries and triples, one transaction each. */
import { entries, type SampleEntry, triples } from './entries.ts';
import type { Persona, SampleContext, SampleRow, SampleTable } from '../../../src/declare/sample.ts';
import { dayOf, shifted } from '../../sample-company/days.ts';

/** Days between two sample transactions, and between the last one and today. */
const DAYS_BETWEEN = 8;
/** A PostgreSQL array literal. */
const list = (texts: readonly string[]) => `{${texts.map((text) => `"${text}"`).join(',')}}`;

/** Corrections: the number of the entry, its earlier text, and the person who corrected it. */
const CORRECTED: readonly (readonly [number, string, string])[] = [
  [2, 'Rollback within 15 min if error rate exceeds 1%.', 'nina.patel'],
  [37, 'Up to two days a week from home; more needs a talk with your manager.', 'alice.chen'],
  [49, 'Up to 15 percent at your own discretion, beyond that the VP of Sales decides.', 'carol.johnson'],
];

/** The entries name people of the built-in company. In another company, its own people replace them. */
function authorsIn(staff: readonly [Persona, ...Persona[]]): (username: string) => Persona {
  const authors = [...new Set([...entries.map(({ by }) => by), ...triples.map(([, , , by]) => by)])];
  return (username) => staff.find((person) => person.username === username) ?? staff[authors.indexOf(username) % staff.length] ?? staff[0];
}

export function knowledgeSample({ company, today }: SampleContext): readonly SampleTable[] {
  const [one, ...others] = company.people.filter(({ realm }) => realm === 'staff');
  if (one === undefined) return [];
  const author = authorsIn([one, ...others]);
  const owner = (username: string) => `staff:${author(username).sub}`;
  const day = dayOf(today.getTime());
  const first = entries.length + triples.length;
  const last = first + CORRECTED.length;
  const at = (tx: number) => `${shifted(day, (tx - last - 1) * DAYS_BETWEEN)}T${String(8 + (tx % 9)).padStart(2, '0')}:30:00Z`;
  const correctionOf = (no: number) => CORRECTED.findIndex(([entry]) => entry === no);

  function* versions(): Iterable<SampleRow> {
    for (const [index, entry] of entries.entries()) {
      const no = index + 1;
      const which = correctionOf(no);
      const before = CORRECTED[which];
      if (before === undefined) {
        yield row(no, no, null, entry);
        continue;
      }
      yield row(no, no, first + which + 1, { ...entry, content: before[1] });
      yield row(no, first + which + 1, null, entry);
    }
  }
  const row = (
    no: number,
    from: number,
    to: number | null,
    { by, topic, content, tags, confidence, source, actor, from: since, to: until }: SampleEntry,
  ): SampleRow => [
    no,
    from,
    to,
    topic,
    content,
    list(tags),
    source ?? null,
    actor ?? null,
    confidence,
    since === undefined ? null : shifted(day, since),
    until === undefined ? null : shifted(day, until),
    owner(by),
    author(by).name,
    at(no),
  ];
  const transaction = (tx: number, action: string, by: string): SampleRow => [tx, at(tx), action, owner(by), author(by).name];
  const columns = ['tx_from', 'tx_to', 'source', 'actor', 'confidence', 'valid_from', 'valid_to', 'owner', 'recorded_by', 'recorded_at'];

  return [
    {
      name: 'knowledge.transactions',
      columns: ['tx_id', 'at', 'action', 'principal', 'by_name'],
      estimate: last,
      rows: () => [
        ...entries.map(({ by }, index) => transaction(index + 1, 'store', by)),
        ...triples.map(([, , , by], index) => transaction(entries.length + index + 1, 'relate', by)),
        ...CORRECTED.map(([, , by], index) => transaction(first + index + 1, 'update', by)),
      ],
    },
    { name: 'knowledge.head', columns: ['last_tx'], estimate: 1, rows: () => [[last]] },
    // Triggers fill these tables. The list names them because the load may write only to listed tables.
    ...Object.entries({ words: 'word', pairs: 'pair', terms: 'stem', names: 'name', ends: 'name' }).map(
      ([name, column]): SampleTable => ({ name: `knowledge.${name}`, columns: [column], estimate: 0, rows: () => [] }),
    ),
    {
      name: 'knowledge.entries',
      columns: ['entry_no', 'tx_from', 'tx_to', 'topic', 'content', 'tags', ...columns.slice(2)],
      estimate: entries.length,
      rows: versions,
    },
    {
      name: 'knowledge.triples',
      columns: ['triple_no', 'subject', 'predicate', 'object', ...columns],
      estimate: triples.length,
      rows: () =>
        triples.map(([subject, predicate, object, by], index) => {
          const tx = entries.length + index + 1;
          return [tx, subject, predicate, object, tx, null, null, null, 1, null, null, owner(by), author(by).name, at(tx)];
        }),
    },
  ];
}
