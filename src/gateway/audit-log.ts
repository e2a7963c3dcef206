/** Reads and verifies the audit log over all processes and domains, newest record first. */
import { z } from 'zod';
import type { AuditVerdict, VerifiedChain } from '../engine/audit/verify.ts';
import { type AuditFilters, auditFilters } from '../engine/audit/filters.ts';
import { auditKey } from '../engine/audit/keys.ts';
import type { Checkpoint } from '../engine/audit/chain.ts';
import type { Cursors } from '../engine/lists/cursor.ts';
import { failure } from '../declare/errors.ts';
import type { Person } from '../declare/people.ts';
import type { AuditChains, AuditQuery, ChainedRecord } from '../engine/ports.ts';

const position = z.strictObject({ at: z.string(), chain: z.string(), n: z.number() });
/** The questions that a process with a part of the audit log answers. */
export const auditQuestion = z.discriminatedUnion('what', [
  z.strictObject({
    what: z.literal('page'),
    limit: z.int().min(1).max(100),
    before: position.optional(),
    filters: auditFilters.optional(),
  }),
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

/** Returns the records of this process that the person may see. The gateway of another process can ask too. */
export type AuditPart = (person: Person, question: AuditQuestion) => Promise<AuditAnswer>;

export interface OtherParts {
  /** Returns the answers by instance, without the instances that did not answer. */
  ask(person: Person, question: AuditQuestion): Promise<ReadonlyMap<string, AuditAnswer>>;
  /** All instances that ever wrote records, running or not. */
  known(): Promise<readonly string[]>;
  /** The signed checkpoints of all their chains. */
  checkpoints(): Promise<readonly Checkpoint[]>;
  /** The only instance that has this chain; undefined for a chain in a shared store. */
  instanceOf(chain: string): string | undefined;
}

/** The instances that answered, and those that did not. */
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
/** The verdict over all instances, with the names of those that did not answer. */
export type FederatedVerdict = AuditVerdict & { readonly missing?: readonly string[] };

export interface AuditReader {
  page(
    person: Person,
    asked: { readonly limit: number; readonly cursor?: string | undefined; readonly filters?: AuditFilters },
  ): Promise<AuditPage>;
  record(person: Person, chain: string, n: number): Promise<object>;
  verify(person: Person): Promise<FederatedVerdict>;
}

const CHAIN = /^[\w.-]{1,100}$/;
const body = z.looseObject({ at: z.string(), principal: z.string() });
/** Undefined for a corrupt record. Verification reports it; a page leaves it out. */
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
const seesAll = (person: Person) => person.realm === 'staff' && person.roles.has('executive');
const isSeenBy = (person: Person, record: ChainedRecord) => {
  const content = readIn(record);
  return content !== undefined && (seesAll(person) || content.principal === person.principal);
};

const onlyExecutives = () =>
  failure('INSUFFICIENT_PERMISSIONS', 'Only executives can verify the whole audit log.', { requiredRoles: ['executive'] });

export function createAuditPart(sources: readonly AuditChains[], verifyAll: () => Promise<AuditVerdict>): AuditPart {
  /** Concurrent requests share one verification, because it reads every record. */
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
        const { limit, before, filters = {} } = question;
        const { from, to, ...others } = filters;
        const keys = Object.entries(others).flatMap(([kind, value]) =>
          value === undefined ? [] : [auditKey(kind as keyof typeof others, value)],
        );
        const principal = seesAll(person) ? undefined : person.principal;
        const found = await page({ principal, keys, from: timeOf(from), to: timeOf(to), limit, before });
        return { records: newest(found, limit) };
      }
      case 'record':
        return { records: await record(person, question.chain, question.n) };
      case 'verify': {
        if (!seesAll(person)) throw onlyExecutives();
        verifying ??= verifyAll().finally(() => {
          verifying = undefined;
        });
        const verdict = await verifying;
        return { records: [], verdict: verdict.ok ? { ok: true, chains: [...verdict.chains] } : verdict };
      }
    }
  };
}

/** The times of records have milliseconds. */
const timeOf = (time: string | undefined) => (time === undefined ? undefined : new Date(time).toISOString());

type Placed = Pick<ChainedRecord, 'chain' | 'n'> & { readonly at: string };
const before = (a: Placed, b: Placed) =>
  a.at === b.at ? (a.chain === b.chain ? b.n - a.n : a.chain < b.chain ? 1 : -1) : a.at < b.at ? 1 : -1;
/** Returns the newest records, at most `limit`. */
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
    warning:
      `Some records are missing here: ${missing.join(', ')} did not answer, and each process keeps its own records. ` +
      'To verify them, run "tamshai audit verify" where each of these processes runs.',
  };
}

/** Removes duplicates and keeps the first of each key. Two processes of one domain return the same records. */
const distinct = <T>(all: readonly T[], key: (each: T) => string): T[] => [
  ...new Map(all.toReversed().map((each) => [key(each), each])).values(),
];
const longest = (chains: readonly VerifiedChain[]) =>
  distinct(
    chains.toSorted((a, b) => b.count - a.count),
    ({ chain }) => chain,
  );

/** Finds a chain that is shorter than an earlier checkpoint of it: chains only grow, so records are missing. */
function findContradiction(
  chains: readonly VerifiedChain[],
  checkpoints: readonly Checkpoint[],
  { answered, instanceOf }: { readonly answered: readonly string[]; readonly instanceOf: OtherParts['instanceOf'] },
): AuditVerdict | undefined {
  const counts = new Map(chains.map(({ chain, count }) => [chain, count]));
  for (const { chain, count } of checkpoints) {
    const only = instanceOf(chain);
    const has = counts.get(chain) ?? (only !== undefined && answered.includes(only) ? 0 : count);
    if (has < count)
      return {
        ok: false,
        chain,
        n: has + 1,
        problem: 'The record is missing: a checkpoint names it, but the instance that holds the chain does not have it.',
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
    async page(person, { limit, cursor, filters = {} }) {
      const binding = { server: 'gateway', tool: 'audit', filters, person };
      const after = cursor === undefined ? undefined : cursors.open(cursor, binding);
      const from = after && { at: String(after[0]), chain: String(after[1]), n: Number(after[2]) };
      const { answers, about } = await ask(person, { what: 'page', limit: limit + 1, filters, ...(from && { before: from }) });
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
      throw failure('NOT_FOUND', 'There is no such record, or you may not see it.');
    },
    async verify(person) {
      if (!seesAll(person)) throw onlyExecutives();
      const checkpoints = (await others?.checkpoints()) ?? [];
      const askAll = async () => {
        const { answers, about } = await ask(person, { what: 'verify' });
        const verdicts = answers.flatMap(({ verdict }) => verdict ?? []);
        const chains = longest(verdicts.flatMap((each) => (each.ok ? each.chains : []))).toSorted((a, b) => (a.chain < b.chain ? -1 : 1));
        const bad = verdicts.find(({ ok }) => !ok);
        return {
          bad,
          chains,
          about,
          contradiction: bad
            ? undefined
            : findContradiction(chains, checkpoints, { answered: about.recordedBy, instanceOf: (chain) => others?.instanceOf(chain) }),
        };
      };
      const first = await askAll();
      // The first verification can be shared with another request and older than the checkpoints. So a contradiction counts only if a
      // second verification finds it too.
      const { bad, chains, about, contradiction } = first.contradiction === undefined ? first : await askAll();
      const missing = about.missing.length > 0 ? { missing: about.missing } : {};
      return { ...(bad ?? contradiction ?? { ok: true, chains }), ...missing };
    },
  };
}
