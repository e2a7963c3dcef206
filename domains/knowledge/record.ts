/** Writes changes as numbered transactions. A transaction closes versions and opens new ones. */
import { z } from 'zod';
import type { SqlWriter } from '../../src/declare/sql.ts';
import type { Me } from '../../src/declare/tool.ts';
import type { actions, Entry, Triple } from './schemas.ts';
import { numberOf } from './as-of.ts';

const counted = z.object({ last_tx: z.int() });
const begun = z.object({ tx_id: z.int() });
const done = z.object({ tx_from: z.int() });

export interface Begin {
  readonly action: (typeof actions)[number];
  readonly reason?: string | undefined;
  readonly undoes?: number;
}

/** Takes the next number. The row lock makes other writers wait until this transaction ends. */
export async function begin(sql: SqlWriter, me: Me, { action, reason, undoes }: Begin): Promise<number> {
  const { last_tx } = await sql.change(
    counted,
    sql`insert into knowledge.head (one, last_tx) values (true, 1) on conflict (one) do update set last_tx = head.last_tx + 1
      returning last_tx`,
  );
  await sql.change(
    begun,
    sql`insert into knowledge.transactions (tx_id, action, principal, by_name, reason, undoes)
      values (${last_tx}, ${action}, ${me.principal}, ${me.name}, ${reason}, ${undoes}::bigint) returning tx_id`,
  );
  return last_tx;
}

type Said<T> = Omit<
  T,
  'id' | 'recorded_by' | 'recorded_at' | 'changed_by' | 'changed_at' | 'tx_id' | 'mine' | 'source' | 'actor' | 'valid_from' | 'valid_to'
> & {
  readonly source?: string | null | undefined;
  readonly actor?: string | null | undefined;
  readonly valid_from?: string | null | undefined;
  readonly valid_to?: string | null | undefined;
};

/** The number of a new entry or triple is the number of its transaction. */
export async function openEntry(
  sql: SqlWriter,
  me: Me,
  { tx, said }: { readonly tx: number; readonly said: Said<Entry> },
): Promise<string> {
  await sql.change(
    done,
    sql`insert into knowledge.entries (entry_no, tx_from, topic, content, tags, source, actor, confidence, valid_from, valid_to, owner,
      recorded_by, recorded_at)
      values (${tx}, ${tx}, ${said.topic}, ${said.content}, ${said.tags}::text[], ${said.source}, ${said.actor}, ${said.confidence}, ${said.valid_from}::date,
        ${said.valid_to}::date, ${me.principal}, ${me.name}, (select at from knowledge.transactions where tx_id = ${tx}))
        returning tx_from`,
  );
  return `e-${tx}`;
}

export async function openTriple(
  sql: SqlWriter,
  me: Me,
  { tx, said }: { readonly tx: number; readonly said: Said<Triple> },
): Promise<string> {
  await sql.change(
    done,
    sql`insert into knowledge.triples (triple_no, tx_from, subject, predicate, object, source, actor, confidence, valid_from, valid_to,
      owner, recorded_by, recorded_at)
      values (${tx}, ${tx}, ${said.subject}, ${said.predicate}, ${said.object}, ${said.source}, ${said.actor}, ${said.confidence}, ${said.valid_from}::date,
        ${said.valid_to}::date, ${me.principal}, ${me.name}, (select at from knowledge.transactions where tx_id = ${tx}))
        returning tx_from`,
  );
  return `t-${tx}`;
}

/** Writes the next version of an entry. Owner and time of recording stay the same. */
export async function changeEntry(
  sql: SqlWriter,
  tx: number,
  { id, said }: { readonly id: string; readonly said: Said<Entry> },
): Promise<void> {
  const no = numberOf(id, 'e');
  await close(sql, tx, id);
  await sql.change(
    done,
    sql`insert into knowledge.entries (entry_no, tx_from, topic, content, tags, source, actor, confidence, valid_from, valid_to, owner,
      recorded_by, recorded_at)
      select entry_no,
      ${tx}, ${said.topic}, ${said.content}, ${said.tags}::text[], ${said.source}, ${said.actor}, ${said.confidence}, ${said.valid_from}::date,
        ${said.valid_to}::date, owner, recorded_by, recorded_at
      from knowledge.entries where entry_no = ${no} and tx_to = ${tx} returning tx_from`,
  );
}

export async function close(sql: SqlWriter, tx: number, id: string): Promise<void> {
  await sql.change(
    done,
    id.startsWith('e')
      ? sql`update knowledge.entries set tx_to = ${tx} where entry_no = ${numberOf(id, 'e')} and tx_to is null returning tx_from`
      : sql`update knowledge.triples set tx_to = ${tx} where triple_no = ${numberOf(id, 't')} and tx_to is null returning tx_from`,
  );
}

/** Opens a copy of the version that transaction `closedBy` closed. */
export async function reopen(
  sql: SqlWriter,
  tx: number,
  { id, closedBy }: { readonly id: string; readonly closedBy: number },
): Promise<void> {
  await sql.change(
    done,
    id.startsWith('e')
      ? sql`insert into knowledge.entries (entry_no, tx_from, topic, content, tags, source, actor, confidence, valid_from, valid_to,
        owner, recorded_by, recorded_at)
          select entry_no, ${tx}, topic, content, tags, source, actor, confidence, valid_from, valid_to, owner, recorded_by, recorded_at
          from knowledge.entries where entry_no = ${numberOf(id, 'e')} and tx_to = ${closedBy} returning tx_from`
      : sql`insert into knowledge.triples (triple_no, tx_from, subject, predicate, object, source, actor, confidence, valid_from,
        valid_to, owner, recorded_by, recorded_at)
          select triple_no, ${tx}, subject, predicate, object, source, actor, confidence, valid_from, valid_to, owner, recorded_by,
          recorded_at
          from knowledge.triples where triple_no = ${numberOf(id, 't')} and tx_to = ${closedBy} returning tx_from`,
  );
}
