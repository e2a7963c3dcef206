/**
 * The export format of knowledge: JSON Lines with a header, one line per transaction, and a checksum in the last line. Transactions never
 * change, so two exports up to the same number are equal.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { SqlReader } from '../../src/declare/sql.ts';
import { Damaged } from '../../src/declare/transfer.ts';
import { actions } from './schemas.ts';

const stored = z.string().refine((text) => !text.includes('\u0000'), 'a character that no text may have');
const filled = stored.refine((text) => text !== '', 'an empty text');
const time = z.iso.datetime();
const numbered = (letter: 'e' | 't') => z.string().regex(new RegExp(`^${letter}-[1-9]\\d{0,14}$`));
const common = {
  source: stored.nullable(),
  actor: stored.nullable(),
  confidence: z.number().min(0).max(1).multipleOf(0.001),
  valid_from: z.iso.date().nullable(),
  valid_to: z.iso.date().nullable(),
  owner: filled,
  recorded_by: stored,
  recorded_at: time,
};
const entry = z.strictObject({ id: numbered('e'), topic: filled, content: filled, tags: z.array(stored), ...common });
const triple = z.strictObject({ id: numbered('t'), subject: filled, predicate: z.string().regex(/^[^\s\0]+$/), object: filled, ...common });
const changed = z.strictObject({
  tx_id: z.int().positive(),
  at: time,
  action: z.enum(actions),
  principal: filled,
  by_name: stored,
  reason: stored.nullable(),
  undoes: z.int().positive().nullable(),
  entries: z.array(entry),
  triples: z.array(triple),
  closed: z.array(z.union([numbered('e'), numbered('t')])),
});
const FORMAT = 1;
const opening = z.object({ tamshai: z.literal('knowledge'), format: z.int(), as_of_tx_id: z.int().min(0).max(2_147_483_647) });
const counts = { transactions: z.int().min(0), entries: z.int().min(0), triples: z.int().min(0) };
const ending = z.strictObject({ end: z.literal(true), ...counts, sha256: z.string() });

export type Archived = z.output<typeof changed>;
/** Counts versions of entries and triples, not items. */
export type Counts = Readonly<Record<'transactions' | 'entries' | 'triples', number>>;

const counting = () => {
  const digest = createHash('sha256');
  const count = { transactions: 0, entries: 0, triples: 0 };
  return {
    count,
    digest,
    add({ entries, triples }: Pick<Archived, 'entries' | 'triples'>) {
      count.transactions++;
      count.entries += entries.length;
      count.triples += triples.length;
    },
  };
};

const AT_ONCE = 200;

/** Yields the lines up to transaction `asOf`. */
export async function* archive(sql: SqlReader, asOf: number, onProgress: (tx: number) => void): AsyncGenerator<string, Counts> {
  const { count, digest, add } = counting();
  const line = (value: object) => {
    const text = `${JSON.stringify(value)}\n`;
    digest.update(text);
    return text;
  };
  yield line({ tamshai: 'knowledge', format: FORMAT, as_of_tx_id: asOf });
  for (let after = 0; after < asOf; ) {
    const rows = await linesAfter(sql, after, asOf);
    for (const row of rows) {
      add(row);
      yield line(row);
    }
    after = rows.length < AT_ONCE ? asOf : (rows.at(-1)?.tx_id ?? asOf);
    onProgress(after);
  }
  yield line({ end: true, ...count, sha256: digest.copy().digest('hex') });
  return count;
}

const linesAfter = (sql: SqlReader, after: number, asOf: number): Promise<Archived[]> =>
  sql.many(
    changed,
    sql`select t.tx_id, knowledge.iso(t.at) as at, t.action, t.principal, t.by_name, t.reason, t.undoes,
      (select coalesce(json_agg(json_build_object('id', 'e-' || entry_no, 'topic', topic, 'content', content, 'tags', tags, 'source',
      source, 'actor', actor,
          'confidence', confidence, 'valid_from', valid_from, 'valid_to', valid_to, 'owner', owner, 'recorded_by', recorded_by,
          'recorded_at', knowledge.iso(recorded_at)) order by entry_no), '[]') from knowledge.entries where tx_from = t.tx_id) as entries,
      (select coalesce(json_agg(json_build_object('id', 't-' || triple_no, 'subject', subject, 'predicate', predicate, 'object',
      object, 'source', source,
          'actor', actor, 'confidence', confidence, 'valid_from', valid_from, 'valid_to', valid_to, 'owner', owner, 'recorded_by',
          recorded_by,
          'recorded_at', knowledge.iso(recorded_at)) order by triple_no), '[]') from knowledge.triples where tx_from = t.tx_id) as triples,
      (select coalesce(json_agg(id order by kind, no), '[]') from (
        select 1 as kind, entry_no as no, 'e-' || entry_no as id from knowledge.entries where tx_to = t.tx_id
        union all select 2, triple_no, 't-' || triple_no from knowledge.triples where tx_to = t.tx_id) c) as closed
      from knowledge.transactions t where t.tx_id > ${after}::bigint and t.tx_id <= ${asOf}::bigint order by t.tx_id limit ${AT_ONCE}::int`,
  );

export interface Unarchiving {
  /** Returns the transaction of a line; undefined for the first and the last line. Throws `Damaged`. */
  take(line: Uint8Array): Archived | undefined;
  /** Call this after the last line. Throws `Damaged` if the checksum line is missing. */
  finish(): Counts;
  /** The number of the last transaction, from the header. */
  readonly asOf: number;
}

/** Parses and validates the lines of an export, without line feeds. */
export function unarchive(): Unarchiving {
  const { count, digest, add } = counting();
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const open = new Set<string>();
  const seen = new Set<number>();
  let at = 0;
  let asOf = -1;
  let last = 0;
  let ended = false;
  const damaged = (what: string): never => {
    throw new Damaged(`line ${at} ${what}`);
  };
  const read = (line: Uint8Array): unknown => {
    try {
      return JSON.parse(utf8.decode(line)) as unknown;
    } catch {
      return damaged('is not JSON');
    }
  };
  const fits = <S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> => {
    const { data, success } = schema.safeParse(value);
    return success ? data : damaged(what);
  };
  function check(transaction: Archived): Archived {
    const { tx_id, undoes, entries, triples, closed } = transaction;
    if (tx_id <= last || tx_id > asOf) damaged('is out of order');
    if (undoes !== null && !seen.has(undoes)) damaged(`undoes change ${undoes}, which is not before it`);
    for (const id of closed) if (!open.delete(id)) damaged(`closes ${id}, which is not open`);
    for (const { id, valid_from, valid_to } of [...entries, ...triples]) {
      if (open.has(id)) damaged(`opens ${id}, which is open already`);
      if (valid_from !== null && valid_to !== null && valid_from > valid_to) damaged(`has ${id} with valid_to before valid_from`);
      open.add(id);
    }
    last = tx_id;
    seen.add(tx_id);
    add(transaction);
    return transaction;
  }
  return {
    get asOf() {
      return asOf;
    },
    take(line) {
      at++;
      if (ended) damaged('comes after the end');
      const value = read(line);
      if (asOf < 0) {
        const { format, as_of_tx_id } = fits(opening, value, 'is not the beginning of exported knowledge');
        if (format !== FORMAT) damaged(`is in format ${format}, which this version does not know`);
        asOf = as_of_tx_id;
      } else if (typeof value === 'object' && value !== null && 'end' in value) {
        const { end: _, sha256, ...said } = fits(ending, value, 'is not a valid last line');
        if (sha256 !== digest.copy().digest('hex')) damaged('has a checksum that does not match the lines before it');
        for (const [what, n] of Object.entries(count)) if (said[what as keyof Counts] !== n) damaged(`has a wrong number of ${what}`);
        ended = true;
        return undefined;
      } else {
        const transaction = check(fits(changed, value, 'is not a change in the exported format'));
        digest.update(line).update('\n');
        return transaction;
      }
      digest.update(line).update('\n');
      return undefined;
    },
    finish() {
      if (!ended) throw new Damaged(at === 0 ? 'it is empty' : `it is cut off after line ${at}`);
      return count;
    },
  };
}
