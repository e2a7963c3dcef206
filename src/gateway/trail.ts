/** The audit trail as people read it: the calls of this gateway and every domain's approved changes, newest first. */
import { z } from 'zod';
import type { AuditVerdict } from '../core/audit.ts';
import type { Cursors } from '../core/cursor.ts';
import { failure } from '../core/errors.ts';
import type { Person } from '../core/people.ts';
import type { AuditChains, ChainedRecord } from '../core/ports.ts';

/** Whose records these are: each process keeps its own. */
export interface Recorder {
  readonly instance: string;
  /** Others may stand beside this one. */
  readonly shared: boolean;
  /** Servers in processes of their own. */
  readonly elsewhere: readonly string[];
}

export interface Trail {
  /** What a reader has to know of where the records are from. */
  readonly about: { readonly recordedBy: string; readonly elsewhere: readonly string[]; readonly warning?: string };
  page(person: Person, limit: number, cursor: string | undefined): Promise<{ data: object[]; hasMore: boolean; nextCursor?: string }>;
  record(person: Person, chain: string, n: number): Promise<object>;
  verify(person: Person): Promise<AuditVerdict>;
}

/** What a chain can be called; anything else is no question for a database. */
const CHAIN = /^[\w-]{1,100}$/;
const body = z.looseObject({ at: z.string(), principal: z.string() });
const parsed = (record: ChainedRecord) => {
  const { principal: _, ...shown } = body.parse(JSON.parse(record.body));
  return { chain: record.chain, n: record.n, ...shown };
};

function aboutOf({ instance, shared, elsewhere }: Recorder): Trail['about'] {
  if (!shared && elsewhere.length === 0) return { recordedBy: instance, elsewhere };
  const others = [...(shared ? ['other gateways'] : []), ...elsewhere].join(', ');
  return { recordedBy: instance, elsewhere, warning: `These are the records of ${instance} alone; what was recorded by others (${others}) is kept there. Run "tamshai audit verify" beside each.` };
}

export function trail(sources: readonly AuditChains[], cursors: Cursors, verifyAll: () => Promise<AuditVerdict>, recorder: Recorder): Trail {
  const everything = (person: Person) => person.realm === 'staff' && person.roles.has('executive');
  /** Walks every record there is, so those who ask at the same time share one walk. */
  let verifying: Promise<AuditVerdict> | undefined;
  return {
    about: aboutOf(recorder),
    async page(person, limit, cursor) {
      const binding = { server: 'gateway', tool: 'audit', filters: {}, person };
      const after = cursor === undefined ? undefined : cursors.open(cursor, binding);
      const before = after && { at: String(after[0]), chain: String(after[1]), n: Number(after[2]) };
      const principal = everything(person) ? undefined : person.principal;
      const found = (await Promise.all(sources.map((source) => source.newest({ principal, limit: limit + 1, before })))).flat().map(parsed);
      found.sort((a, b) => (a.at === b.at ? (a.chain === b.chain ? b.n - a.n : a.chain < b.chain ? 1 : -1) : a.at < b.at ? 1 : -1));
      const data = found.slice(0, limit);
      const last = data.at(-1);
      const hasMore = found.length > limit;
      return { data, hasMore, ...(hasMore && last && { nextCursor: cursors.seal([last.at, last.chain, last.n], binding) }) };
    },
    async record(person, chain, n) {
      for (const source of CHAIN.test(chain) ? sources : []) {
        const found = await source.record(chain, n);
        if (!found) continue;
        const { principal } = body.parse(JSON.parse(found.body));
        if (everything(person) || principal === person.principal) return { ...parsed(found), mac: found.mac };
      }
      throw failure('NOT_FOUND', 'There is no such record that you can see.');
    },
    async verify(person) {
      if (!everything(person)) throw failure('INSUFFICIENT_PERMISSIONS', 'Only executives can verify the whole trail.', { requiredRoles: ['executive'] });
      verifying ??= verifyAll().finally(() => {
        verifying = undefined;
      });
      return verifying;
    },
  };
}
