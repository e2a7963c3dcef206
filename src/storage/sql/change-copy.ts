/** Applies the change feed of another domain to a copy of its rows, one page per transaction. */
import type { Follower } from '../../declare/provisions.ts';
import type { ChangeCopy } from '../../engine/ports.ts';
import type { SqlDatabase, SqlSession } from './database.ts';
import { toFailure, isConflict } from './errors.ts';

const ATTEMPTS = 5;
/** One change can lead to many writes, for example a new manager of a whole department. */
const DEADLINE_MS = 300_000;

/**
 * The table `<domain>.feed` stores the position for each `source`, the domain that provides the feed. Another provider has other numbers,
 * so its copy starts at the beginning.
 */
export function createSqlCopy(
  database: SqlDatabase,
  { domain: { name }, audience, contract, apply }: Follower,
  source: string,
): ChangeCopy {
  const first = {
    text: `select set_config('app.principal', $1, true), set_config('statement_timeout', '${DEADLINE_MS}', true)`,
    values: [contract.id],
  };
  const positionIn = async (session: SqlSession, lock = ''): Promise<number> => {
    const [row] = await session.query(`select n from ${name}.feed where source = $1 ${lock}`, [source]);
    if (row !== undefined) return Number(row['n']);
    await session.query(`insert into ${name}.feed (source) values ($1) on conflict do nothing`, [source]);
    return positionIn(session, lock);
  };
  const transaction = async <T>(body: (session: SqlSession) => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await database.transaction(`${name}_${audience}`, first, body);
      } catch (error) {
        if (!isConflict(error) || attempt === ATTEMPTS) throw toFailure(error);
      }
    }
  };
  return {
    domain: name,
    contract,
    position: () => transaction((session) => positionIn(session)),
    take: (changes, from, to) =>
      transaction(async (session) => {
        const now = await positionIn(session, 'for update');
        if (now !== from) return now;
        for (const statement of changes.length > 0 ? apply(changes) : []) {
          const values: unknown[] = [];
          const text = statement.compile(values);
          await session.query(text, values, DEADLINE_MS);
        }
        await session.query(`update ${name}.feed set n = $1::bigint where source = $2`, [to, source]);
        return to;
      }),
  };
}
