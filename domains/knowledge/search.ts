/** Searches entries by word stems, by similar words for misspellings, and through one relation of the graph. */
import type { SqlTag, SqlText } from '../../src/declare/sql.ts';
import { holding, validAsOf } from './as-of.ts';

/** Filler words. They are ignored if the question has other words. */
const AROUND = /\b(?:please|tell|show|find|know|knows|known|anything|everything|something|information|info|need|want)\b/giu;
const wordsAsked = (text: string) => {
  const core = text.replace(AROUND, ' ');
  return /[\p{L}\p{N}]/u.test(core) ? core : text;
};

/** ALIKE: words that are at least this similar match as misspellings. MISTYPED: the factor for the score of such a match. */
const ALIKE = 0.6;
const MISTYPED = 0.8;
/** NAMED: a question must contain this share of a name's words. STEP: an entry found through such a name has at most this score. */
const NAMED = 0.6;
const STEP = 0.45;

/** The search uses this many words of a question, the longest first. */
const MOST_WORDS = 24;

/** Selects every matching version of an entry with its score, and with the triple that led to it. */
export const found = (
  sql: SqlTag,
  question: string,
  { asOf, on }: { readonly asOf: string | undefined; readonly on: string },
): SqlText => sql`
  with asked as materialized (
    select stem, min(word) as word, least(max(length(word)), 9) / 9.0 + 0.5 as worth from (
      select word collate "C" as word, knowledge.stem_of(word) collate "C" as stem from knowledge.words_of(${wordsAsked(question)}::text)) w
    where stem is not null group by stem order by worth desc, stem limit ${MOST_WORDS}::int
  ), heard as materialized (
    select stem as asked, stem, worth, 1.0 as alike from asked
    union all
    select a.stem, f.stem, a.worth, f.alike * ${MISTYPED}::numeric from asked a cross join lateral (
      select min(w.stem) as stem, 2.0 * count(*) / (min(w.pairs) + length(a.word) + 1) as alike
      from knowledge.pairs_of(a.word) p join knowledge.pairs g on g.pair = p.pair collate "C" join knowledge.words w on w.word = g.word
      group by w.word having 2.0 * count(*) / (min(w.pairs) + length(a.word) + 1) >= ${ALIKE}::numeric
      order by 2 desc, w.word limit 2) f
    where length(a.word) >= 4 and not exists (select from knowledge.words k where k.stem = a.stem)
  ), direct as materialized (
    select entry_no, tx_from, sum(hit) / (select sum(worth) from asked) as score from (
      select t.entry_no, t.tx_from, h.asked, max(h.worth * t.weight * h.alike) as hit
      from heard h join knowledge.terms t on t.stem = h.stem group by t.entry_no, t.tx_from, h.asked) hits
    group by entry_no, tx_from
  ), named as materialized (
    select name, max(sure) as sure from (
      select e.name, sum(h.alike) / min(e.stems) as sure from heard h join knowledge.ends e on e.stem = h.stem
        group by e.name having sum(h.alike) / min(e.stems) >= ${NAMED}::numeric
      union all
      select n.name, d.score * 0.8 from direct d join knowledge.names n using (entry_no, tx_from)
      join knowledge.entries using (entry_no, tx_from)
        where d.score >= 0.5 and ${validAsOf(sql, asOf)}) n
    group by name
  ), steps as (
    select r.object_name as name, n.sure, r.subject || ' ' || r.predicate || ' ' || r.object as via
      from named n join knowledge.triples r on r.subject_name = n.name where ${validAsOf(sql, asOf)} and ${holding(sql, on)}
    union all
    select r.subject_name, n.sure, r.subject || ' ' || r.predicate || ' ' || r.object
      from named n join knowledge.triples r on r.object_name = n.name where ${validAsOf(sql, asOf)} and ${holding(sql, on)}
  ), led as (
    select n.entry_no, n.tx_from, max(s.sure) * ${STEP}::numeric as score, min(s.via) as via
    from steps s join knowledge.names n on n.name = s.name group by n.entry_no, n.tx_from
  )
  select entry_no, tx_from, round(coalesce(d.score, 0) + coalesce(l.score, 0), 3) as score, case when d.score is null then l.via end as via
  from direct d full join led l using (entry_no, tx_from)`;
