/** Measures queries on a store in this process, one at a time, in alternating rounds. */
import { randomBytes } from 'node:crypto';
import { type ChainWriter, createChainWriter, type Head } from '../src/engine/audit/chain.ts';
import { Failure } from '../src/declare/errors.ts';
import type { StoreSession } from '../src/engine/store.ts';
import { persona } from '../domains/sample-company/people.ts';
import type { Line } from './lines.ts';
import { median } from './load.ts';
import { rolesIn } from '../tests/registry.ts';

/** A query to measure. `ask` runs it and returns the number of rows, which must equal `rows`. */
export interface Question {
  readonly name: string;
  readonly ask: (n: number) => Promise<number> | number;
  readonly rows: number;
}
export interface Timing {
  readonly ms: number;
  readonly rounds: number;
}
export interface Took {
  readonly p50: number;
  readonly p99: number;
  readonly calls: number;
  /** The number of timeouts. p50 and p99 include them. */
  readonly late: number;
}

const isLate = (error: unknown): boolean => error instanceof Failure && error.code === 'TIMEOUT';
const FEWEST = 3;

async function round({ name, ask, rows }: Question, ms: number): Promise<Took> {
  const times: number[] = [];
  let late = 0;
  const end = performance.now() + ms;
  for (let n = 0; n < FEWEST || performance.now() < end; n++) {
    const begun = performance.now();
    const found = await Promise.resolve(ask(n)).catch((error: unknown) => (isLate(error) ? undefined : Promise.reject(error as Error)));
    times.push(performance.now() - begun);
    if (found === undefined) late++;
    else if (found !== rows) throw new Error(`${name}: ${found} rows instead of ${rows}`);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), calls: times.length, late };
}

export async function inTurns(questions: readonly Question[], { ms, rounds }: Timing): Promise<ReadonlyMap<string, Took>> {
  const all = new Map<string, Took[]>(questions.map(({ name }) => [name, []]));
  for (const question of questions) await round(question, ms / 3);
  for (let n = 0; n < rounds; n++) for (const question of questions) all.get(question.name)?.push(await round(question, ms));
  return new Map(
    [...all].map(([name, took]) => [
      name,
      {
        p50: median(took.map(({ p50 }) => p50)),
        p99: median(took.map(({ p99 }) => p99)),
        calls: took.reduce((sum, { calls }) => sum + calls, 0),
        late: took.reduce((sum, { late }) => sum + late, 0),
      },
    ]),
  );
}

export function over(took: ReadonlyMap<string, Took>, what: string, name: string, other: string, goal?: number): Line {
  const [one, two] = [took.get(name), took.get(other)];
  if (one === undefined || two === undefined) throw new Error(`nothing was measured for: ${what}`);
  const timedOut = one.late > 0 ? `; ${one.late} of ${one.calls} timed out` : '';
  return {
    what,
    goal,
    ratio: one.p50 / two.p50,
    note: `p50 ${one.p50.toFixed(2)} ms, p99 ${one.p99.toFixed(2)} ms; compared with p50 ${two.p50.toFixed(2)} ms${timedOut}`,
  };
}

export function sessionOf(username: string, domain: string): StoreSession {
  const { sub, realm, name, email, employeeId, organizationId, roles } = persona(username);
  const person = {
    principal: `${realm}:${sub}`,
    sub,
    realm,
    username,
    name,
    email,
    employeeId,
    organizationId,
    roles: rolesIn(realm, roles),
  };
  return { domain, audience: 'everyone', person, shows: [] };
}

/** The benchmark only reads, but the store needs a chain writer. */
export const chainOf = (last: (chain: string) => Promise<Head | undefined>): ChainWriter =>
  createChainWriter({ chain: 'bench', key: randomBytes(32), last: () => last('bench'), checkpoint: async () => {} });

export const PAGE = 50;
/** The additional row shows whether there is a next page. */
export const TAKE = PAGE + 1;
/** Rows per query during preparation. A query of this size stays within the statement timeout, also on a busy machine. */
export const STRIDE = 1_000;
const TRIES = 5;

/** Repeats a query that timed out. */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await ask();
    } catch (error) {
      if (!isLate(error) || n === TRIES) throw error;
    }
  }
}

/** Returns the key of row number `rows`. It reads all rows up to there in pages of `STRIDE` rows. */
export async function placeAfter<K>(
  rows: number,
  next: (after: K | undefined, take: number) => Promise<K | undefined>,
): Promise<K | undefined> {
  let after: K | undefined;
  for (let done = 0; done < rows; done += STRIDE) after = await patiently(() => next(after, Math.min(STRIDE, rows - done)));
  return after;
}
