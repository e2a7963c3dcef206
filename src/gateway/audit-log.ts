/** The audit trail as people read it: the calls of every process and every domain's approved changes, newest first. */
import { z } from 'zod';
import type { AuditVerdict, Checkpoint, VerifiedChain } from '../core/audit.ts';
import type { Cursors } from '../core/cursor.ts';
import { failure } from '../core/errors.ts';
import type { Person } from '../core/people.ts';
import type { AuditChains, AuditQuery, ChainedRecord } from '../core/ports.ts';

const place = z.strictObject({ at: z.string(), chain: z.string(), n: z.number() });
/** What can be asked of a process that keeps a part of the trail. */
export const auditQuestion = z.discriminatedUnion('what', [
  z.strictObject({ what: z.literal('page'), limit: z.int().min(1).max(100), before: place.optional() }),
  z.strictObject({ what: z.literal('record'), chain: z.string(), n: z.int() }),
  z.strictObject({ what: z.literal('verify') }),
]);
export type AuditQuestion = z.output<typeof auditQuestion>;

const chained = z.strictObject({ chain: z.string(), n: z.int(), body: z.string(), mac: z.string() });
const verified = z.strictObject({ chain: z.string(), count: z.int(), checkpointed: z.int() });
export const auditAnswer = z.strictObject({
  records: z.array(chained).max(101),
  verdict: z
    .union([
      z.strictObject({ ok: z.literal(true), chains: z.array(verified) }),
      z.strictObject({ ok: z.literal(false), chain: z.string(), n: z.int(), problem: z.string() }),
    ])
    .optional(),
});
export type AuditAnswer = z.output<typeof auditAnswer>;

/** Answers for what is kept here, to who may see it: the question may come from another process. */
export type AuditPart = (person: Person, question: AuditQuestion) => Promise<AuditAnswer>;

export interface OtherParts {
  /** By the names of those who answered. */
  ask(person: Person, question: AuditQuestion): Promise<ReadonlyMap<string, AuditAnswer>>;
  /** All that ever kept a part, whether they run or not. */
  known(): Promise<readonly string[]>;
  /** The checkpoints of all their chains that are signed with our key. */
  checkpoints(): Promise<readonly Checkpoint[]>;
  /** Who alone keeps this chain; undefined for one that several can show. */
  instanceOf(chain: string): string | undefined;
}

/** Whose records these are, and who has more of them and said nothing. */
export interface About {
  readonly recordedBy: readonly string[];
  readonly missing: readonly string[];
  readonly warning?: string;
}
export interface AuditPage {
  readonly data: object[];
  readonly hasMore: boolean;
  readonly nextCursor?: string;
  readonly about: About;
}
/** With who keeps a part of it and did not answer. */
export type FederatedVerdict = AuditVerdict & { readonly missing?: readonly string[] };

export interface AuditReader {
  page(person: Person, limit: number, cursor: string | undefined): Promise<AuditPage>;
  record(person: Person, chain: string, n: number): Promise<object>;
  verify(person: Person): Promise<FederatedVerdict>;
}

/** What a chain can be called; anything else is no question for a database. */
const CHAIN = /^[\w.-]{1,100}$/;
const body = z.looseObject({ at: z.string(), principal: z.string() });
/** Nothing where somebody spoiled it: it is left to who verifies, and takes no other record along. */
const readIn = (record: ChainedRecord) => {
  try {
    return body.safeParse(JSON.parse(record.body)).data;
  } catch {
    return undefined;
  }
};
const parsed = (record: ChainedRecord) => {
  const { principal: _, checkpoint: __, ...shown } = body.parse(JSON.parse(record.body));
  return { chain: record.chain, n: record.n, ...shown };
};
const everything = (person: Person) => person.realm === 'staff' && person.roles.has('executive');
const isSeenBy = (person: Person, record: ChainedRecord) => {
  const said = readIn(record);
  return said !== undefined && (everything(person) || said.principal === person.principal);
};

const onlyExecutives = () =>
  failure('INSUFFICIENT_PERMISSIONS', 'Only executives can verify the whole trail.', { requiredRoles: ['executive'] });

export function createAuditPart(sources: readonly AuditChains[], verifyAll: () => Promise<AuditVerdict>): AuditPart {
  /** Walks every record there is, so those who ask at the same time share one walk. */
  let verifying: Promise<AuditVerdict> | undefined;
  const page = async (query: AuditQuery) => (await Promise.all(sources.map((source) => source.newest(query)))).flat();
  async function record(person: Person, chain: string, n: number): Promise<ChainedRecord[]> {
    for (const source of CHAIN.test(chain) ? sources : []) {
      const found = await source.record(chain, n);
      if (found && isSeenBy(person, found)) return [found];
    }
    return [];
  }
  return async (person, question) => {
    switch (question.what) {
      case 'page': {
        const { limit, before } = question;
        const found = await page({ principal: everything(person) ? undefined : person.principal, limit, before });
        return { records: newest(found, limit) };
      }
      case 'record':
        return { records: await record(person, question.chain, question.n) };
      case 'verify': {
        if (!everything(person)) throw onlyExecutives();
        verifying ??= verifyAll().finally(() => {
          verifying = undefined;
        });
        const verdict = await verifying;
        return { records: [], verdict: verdict.ok ? { ok: true, chains: [...verdict.chains] } : verdict };
      }
    }
  };
}

type Placed = Pick<ChainedRecord, 'chain' | 'n'> & { readonly at: string };
const before = (a: Placed, b: Placed) =>
  a.at === b.at ? (a.chain === b.chain ? b.n - a.n : a.chain < b.chain ? 1 : -1) : a.at < b.at ? 1 : -1;
/** Each is read once, however often it is compared. */
const newest = (records: readonly ChainedRecord[], limit: number): ChainedRecord[] =>
  records.length <= limit
    ? [...records]
    : records
        .map((record) => ({ record, ...parsed(record) }))
        .toSorted(before)
        .slice(0, limit)
        .map(({ record }) => record);

function aboutOf(recordedBy: readonly string[], missing: readonly string[]): About {
  if (missing.length === 0) return { recordedBy, missing };
  return {
    recordedBy,
    missing,
    warning: `Some records are not among these: ${missing.join(', ')} did not answer, and ${missing.length === 1 ? 'keeps its' : 'keep their'} own. Run "tamshai audit verify" beside each.`,
  };
}

/**
 * Servers of one domain share its store: what both tell is one record, and one chain. The first to tell it is believed, and we are first.
 */
const distinct = <T>(all: readonly T[], key: (each: T) => string): T[] => [
  ...new Map(all.toReversed().map((each) => [key(each), each])).values(),
];
const longest = (chains: readonly VerifiedChain[]) =>
  distinct(
    chains.toSorted((a, b) => b.count - a.count),
    ({ chain }) => chain,
  );

/** What was told, held against what had been written down before anyone was asked: chains grow and never shrink, whoever keeps them. */
function contradicted(
  chains: readonly VerifiedChain[],
  written: readonly Checkpoint[],
  answered: readonly string[],
  instanceOf: OtherParts['instanceOf'],
): AuditVerdict | undefined {
  const told = new Map(chains.map(({ chain, count }) => [chain, count]));
  for (const { chain, count } of written) {
    const only = instanceOf(chain);
    const has = told.get(chain) ?? (only !== undefined && answered.includes(only) ? 0 : count);
    if (has < count)
      return {
        ok: false,
        chain,
        n: has + 1,
        problem: 'The record is missing: a checkpoint knows it, and who keeps the chain did not tell of it.',
      };
  }
  return undefined;
}

export interface AuditReaderOptions {
  readonly instance: string;
  readonly own: AuditPart;
  readonly others: OtherParts | undefined;
  readonly cursors: Cursors;
}

export function createAuditReader({ instance, own, others, cursors }: AuditReaderOptions): AuditReader {
  async function ask(person: Person, question: AuditQuestion): Promise<{ answers: AuditAnswer[]; about: About }> {
    const [mine, theirs, known] = await Promise.all([own(person, question), others?.ask(person, question), others?.known()]);
    const recordedBy = [...new Set([instance, ...(theirs?.keys() ?? [])])].toSorted();
    return {
      answers: [mine, ...(theirs?.values() ?? [])],
      about: aboutOf(recordedBy, (known ?? []).filter((name) => !recordedBy.includes(name)).toSorted()),
    };
  }
  return {
    async page(person, limit, cursor) {
      const binding = { server: 'gateway', tool: 'audit', filters: {}, person };
      const after = cursor === undefined ? undefined : cursors.open(cursor, binding);
      const from = after && { at: String(after[0]), chain: String(after[1]), n: Number(after[2]) };
      const { answers, about } = await ask(person, { what: 'page', limit: limit + 1, ...(from && { before: from }) });
      const found = distinct(
        answers.flatMap(({ records }) => records),
        ({ chain, n }) => `${chain} ${n}`,
      )
        .filter((record) => isSeenBy(person, record))
        .map(parsed)
        .toSorted(before);
      const data = found.slice(0, limit);
      const last = data.at(-1);
      const hasMore = found.length > limit;
      return { data, hasMore, about, ...(hasMore && last && { nextCursor: cursors.seal([last.at, last.chain, last.n], binding) }) };
    },
    async record(person, chain, n) {
      if (CHAIN.test(chain)) {
        const { answers } = await ask(person, { what: 'record', chain, n });
        const [found] = answers.flatMap(({ records }) => records);
        if (found && isSeenBy(person, found)) return { ...parsed(found), mac: found.mac };
      }
      throw failure('NOT_FOUND', 'There is no such record that you can see.');
    },
    async verify(person) {
      if (!everything(person)) throw onlyExecutives();
      const written = (await others?.checkpoints()) ?? [];
      const look = async () => {
        const { answers, about } = await ask(person, { what: 'verify' });
        const verdicts = answers.flatMap(({ verdict }) => verdict ?? []);
        const chains = longest(verdicts.flatMap((each) => (each.ok ? each.chains : []))).toSorted((a, b) => (a.chain < b.chain ? -1 : 1));
        const bad = verdicts.find(({ ok }) => !ok);
        return {
          bad,
          chains,
          about,
          contradiction: bad ? undefined : contradicted(chains, written, about.recordedBy, (chain) => others?.instanceOf(chain)),
        };
      };
      const first = await look();
      // A walk is shared, and may have begun before what was written down was read. One that begins now has not.
      const { bad, chains, about, contradiction } = first.contradiction === undefined ? first : await look();
      const missing = about.missing.length > 0 ? { missing: about.missing } : {};
      return { ...(bad ?? contradiction ?? { ok: true, chains }), ...missing };
    },
  };
}
