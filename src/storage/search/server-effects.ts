/**
 * Exactly-once effects without transactions. Each effect records an intent, writes one document that contains effect id and result, and
 * records the outcome. That document proves that the effect happened, also after a crash.
 */
import { randomUUID } from 'node:crypto';
import type { ChainWriter } from '../../engine/audit/chain.ts';
import { Failure, failure, outcomeUnknown } from '../../declare/errors.ts';
import { recorder } from '../../engine/audit/recorder.ts';
import type { AuditRecord, Logger } from '../../engine/ports.ts';
import type { Store, StoreSession } from '../../engine/store.ts';
import { ownResult } from '../own-result.ts';
import { Asking, type Engine, readerOver, type Write, writerOver } from './handles.ts';
import { append, isRecorded } from './server-chains.ts';
import type { SearchClient } from './server-client.ts';
import { documentOf, type EffectEntry, type Indices, type ServerHit } from './server-indices.ts';
import type { Shape } from './shape.ts';

interface Intent {
  readonly state: 'intent' | 'done' | 'undone';
  readonly chain: string;
  readonly at: string;
  readonly principal: string;
  readonly collection: string;
  readonly target: string;
  readonly audit: string;
  readonly result: string;
}
type ExecuteOnce = Store<'search'>['executeOnce'];

export interface ServerEffects {
  executeOnce(
    chain: ChainWriter,
    who: StoreSession,
    effect: Parameters<ExecuteOnce>[1],
    body: Parameters<ExecuteOnce>[2],
  ): Promise<unknown>;
  findResult(who: StoreSession, id: string): Promise<unknown>;
  settle(chain: ChainWriter, name: string): Promise<number>;
}

const ATTEMPTS = 12;
/** How long an effect is retried. A call may take ten seconds, and the caller must get an answer. */
const TRY_MS = 8_000;
/** A document keeps the results of the last day, and at least the newest 20. */
const KEEP_MS = 24 * 3_600_000;
const KEEP = 20;
/** The process that recorded an older intent has stopped. */
const GIVEN_UP_MS = 60_000;
/** A write whose answer was lost arrives within this time. */
const END_LATER_MS = 15_000;

class Stale extends Error {
  override readonly name = 'Stale';
}
/** Throws `Stale` if a row changed between two reads. The row that was checked must be the row that is written. */
function steady(engine: Engine<ServerHit>): Engine<ServerHit> {
  const seqNos = new Map<string, number>();
  return {
    ...engine,
    async find(asked) {
      const hits = await engine.find(asked);
      for (const { row, seqNo } of hits) {
        const at = `${asked.shape.name}/${String(row[asked.shape.key])}`;
        if ((seqNos.get(at) ?? seqNo) !== seqNo) throw new Stale('run again');
        seqNos.set(at, seqNo);
      }
      return hits;
    },
  };
}

export interface EffectsOptions {
  readonly client: SearchClient;
  readonly indices: Indices;
  readonly shapes: ReadonlyMap<string, Shape>;
  readonly engine: Engine<ServerHit>;
  readonly log: Logger | undefined;
  readonly failpoint: (name: string) => void;
}

interface Ending {
  readonly intent: Intent;
  /** Query parameters that make the write fail if the intent has changed. */
  readonly unchanged?: string;
}
interface Executing {
  readonly effect: Parameters<ExecuteOnce>[1];
  readonly body: Parameters<ExecuteOnce>[2];
}
interface Attempting extends Executing {
  /** The id of the effect, also for an effect without an approval. */
  readonly own: string;
  /** Called before the write. The given function records its outcome. */
  readonly writing: (end: () => Promise<unknown>) => void;
}

export function createServerEffects({ client, indices, shapes, engine, log, failpoint }: EffectsOptions): ServerEffects {
  const intentPath = (id: string) => `/${indices.effects}/_doc/${encodeURIComponent(id)}`;
  const note = (chain: ChainWriter, audit: AuditRecord, first?: Parameters<typeof append>[2]['first']) =>
    append(client, indices.audit, { chain, audit, first });

  async function intentOf(id: string): Promise<Intent | undefined> {
    const { status, body } = await client.call('GET', intentPath(id), undefined, [404]);
    return status === 200 ? (body['_source'] as Intent) : undefined;
  }
  /** Reads by id: this returns the current document without a refresh. */
  async function entryIn(collection: string, target: string, id: string): Promise<EffectEntry | undefined> {
    const shape = shapes.get(collection);
    if (shape === undefined) return undefined;
    const { status, body } = await client.call(
      'GET',
      `/${indices.of(shape)}/_doc/${encodeURIComponent(target)}?_source=effects`,
      undefined,
      [404],
    );
    const { effects = [] } = status === 200 ? (body['_source'] as { effects?: EffectEntry[] }) : {};
    return effects.find((entry) => entry.id === id);
  }
  /** The result of an effect that happened. A write may arrive late, so the document decides until the intent is `done`. */
  async function kept(id: string): Promise<{ readonly principal: string; readonly result: string } | undefined> {
    const intent = await intentOf(id);
    if (intent === undefined) return undefined;
    const result = intent.state === 'done' ? intent.result : (await entryIn(intent.collection, intent.target, id))?.result;
    return result === undefined ? undefined : { principal: intent.principal, result };
  }

  /** Finds out whether the write happened, records the outcome in the audit chain, and returns it. It may run twice. */
  async function end(chain: ChainWriter, effect: string, { intent, unchanged = '' }: Ending): Promise<boolean> {
    const entry = await entryIn(intent.collection, intent.target, effect);
    const audit = JSON.parse(intent.audit) as AuditRecord;
    const outcome = entry === undefined ? recorder.notWritten(audit) : audit;
    if (!(await isRecorded(client, indices.audit, outcome))) await note(chain, outcome);
    const state = entry === undefined ? 'undone' : 'done';
    await client.call('PUT', intentPath(effect) + unchanged, { ...intent, state, result: entry?.result ?? intent.result }, [409]);
    return entry !== undefined;
  }
  /** Changes of this process without a recorded outcome. A repeated execution records it, or else the timer after END_LATER_MS. */
  const unrecorded = new Map<string, { readonly ending: () => Promise<unknown>; readonly due: number }>();
  let later: NodeJS.Timeout | undefined;
  const endLater = () => {
    later ??= setTimeout(async () => {
      for (const [id, { due }] of unrecorded) if (due <= performance.now()) await inTurn(id, () => endNow(id)).catch(() => undefined);
      later = undefined;
      if (unrecorded.size > 0) endLater();
    }, END_LATER_MS).unref();
  };
  async function endNow(id: string): Promise<void> {
    await unrecorded.get(id)?.ending();
    unrecorded.delete(id);
  }

  async function attempt(
    chain: ChainWriter,
    who: StoreSession,
    { effect: { id, tool }, body, own: effect, writing }: Attempting,
  ): Promise<{ result: unknown } | undefined> {
    const versions: string[] = [];
    const asking = new Asking(steady(engine), shapes, who);
    const { handle, written } = writerOver(asking, who, id);
    const handles = { reading: { search: readerOver(asking, versions) }, writing: { search: handle } };
    const effected = await body(handles, versions).catch((error: unknown) => {
      if (error instanceof Stale) return undefined;
      throw error;
    });
    if (effected === undefined) return undefined;
    const { result, audit } = effected;
    const write = written();
    if (write === undefined) {
      if (id !== undefined) throw new Error(`${tool} was approved and writes nothing`);
      await note(chain, audit);
      return { result };
    }
    const entry: EffectEntry = { id: effect, at: audit.at, result: JSON.stringify(result) };
    const intent = {
      state: 'intent',
      chain: '',
      at: audit.at,
      principal: who.person.principal,
      collection: write.shape.name,
      target: write.stored.id,
      audit: JSON.stringify(audit),
      result: entry.result,
    } satisfies Intent;
    await note(chain, { ...audit, decision: 'pending', code: 'INTENT' }, async ({ chain: name }) => {
      intent.chain = name;
      await client.call('PUT', intentPath(effect), intent);
    });
    failpoint('after-intent');
    writing(() => end(chain, effect, { intent }));
    if (!(await put(write, entry))) {
      await note(chain, recorder.notWritten(audit));
      const winner = await entryIn(write.shape.name, write.stored.id, effect);
      await client.call('PUT', intentPath(effect), {
        ...intent,
        state: winner === undefined ? 'undone' : 'done',
        result: winner?.result ?? entry.result,
      });
      return undefined;
    }
    failpoint('after-write');
    await note(chain, audit);
    await client.call('PUT', intentPath(effect), { ...intent, state: 'done' });
    return { result };
  }

  /** Returns false if another write came first. */
  async function put({ shape, stored, version, before }: Write<ServerHit>, entry: EffectEntry): Promise<boolean> {
    const since = new Date(Date.parse(entry.at) - KEEP_MS).toISOString();
    const older = (before?.effects ?? []).filter((each, i, all) => each.at >= since || i >= all.length - KEEP);
    const path = `/${indices.of(shape)}/${before === undefined ? '_create' : '_doc'}/${encodeURIComponent(stored.id)}?refresh=true`;
    const held = before === undefined ? '' : `&if_seq_no=${before.seqNo}&if_primary_term=${before.primaryTerm}`;
    const { status } = await client.call('PUT', path + held, documentOf(stored, version, [...older, entry]), [409]);
    return status !== 409;
  }

  /** Runs the executions of one effect one at a time. All but the first find its result. */
  const turns = new Map<string, Promise<unknown>>();
  async function inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = turns.get(id) ?? Promise.resolve();
    const mine = before.then(work, work);
    const over = mine.catch(() => undefined);
    turns.set(id, over);
    try {
      return await mine;
    } finally {
      if (turns.get(id) === over) turns.delete(id);
    }
  }

  async function tryToExecute(chain: ChainWriter, who: StoreSession, { effect, body }: Executing): Promise<unknown> {
    const { id } = effect;
    const until = Date.now() + TRY_MS;
    for (let n = 1; n <= ATTEMPTS && Date.now() < until; n++) {
      const before = id === undefined ? undefined : await kept(id);
      if (id !== undefined && before !== undefined) {
        await endNow(id);
        return ownResult(before, who.person.principal);
      }
      const own = id ?? randomUUID();
      let ending: (() => Promise<unknown>) | undefined;
      try {
        const done = await attempt(chain, who, { effect, body, own, writing: (end) => void (ending = end) });
        if (done !== undefined) {
          unrecorded.delete(own);
          return done.result;
        }
      } catch (error) {
        // Another execution may have succeeded, or our own write if only its answer was lost. Then this returns the result.
        const happened = ending !== undefined || id !== undefined ? await kept(own).catch(() => undefined) : undefined;
        const ended =
          happened !== undefined &&
          (await (ending ?? (() => endNow(own)))().then(
            () => true,
            () => false,
          ));
        if (happened !== undefined && ended) {
          unrecorded.delete(own);
          return ownResult(happened, who.person.principal);
        }
        if (ending !== undefined) {
          unrecorded.set(own, { ending, due: performance.now() + END_LATER_MS });
          endLater();
        }
        // Without an effect id, a second run could repeat the write.
        throw ending !== undefined && id === undefined && error instanceof Failure && error.retryable ? outcomeUnknown(error) : error;
      }
      await new Promise((again) => setTimeout(again, Math.random() * 10 * n));
      for (const shape of shapes.values()) await client.call('POST', `/${indices.of(shape)}/_refresh`);
    }
    throw failure('SERVICE_UNAVAILABLE', 'Too many changes to the same row at once.');
  }

  return {
    executeOnce: (chain, who, effect, body) =>
      effect.id === undefined
        ? tryToExecute(chain, who, { effect, body })
        : inTurn(effect.id, () => tryToExecute(chain, who, { effect, body })),
    async findResult(who, id) {
      const found = await kept(id);
      return found?.principal === who.person.principal ? (JSON.parse(found.result) as unknown) : undefined;
    },
    async settle(chain, name) {
      await client.call('POST', `/${indices.effects}/_refresh`);
      const givenUp = new Date(Date.now() - GIVEN_UP_MS).toISOString();
      const mine = { bool: { should: [{ term: { chain: name } }, { range: { at: { lt: givenUp } } }], minimum_should_match: 1 } };
      const { body } = await client.call('POST', `/${indices.effects}/_search`, {
        size: 1_000,
        seq_no_primary_term: true,
        query: { bool: { filter: [{ term: { state: 'intent' } }, mine] } },
      });
      const open = (body['hits'] as { hits: { _id: string; _seq_no: number; _primary_term: number; _source: Intent }[] }).hits;
      for (const { _id, _seq_no, _primary_term, _source: intent } of open) {
        const happened = await end(chain, _id, { intent, unchanged: `?if_seq_no=${_seq_no}&if_primary_term=${_primary_term}` });
        log?.warn(
          { effect: _id, tool: (JSON.parse(intent.audit) as AuditRecord).tool, happened },
          'A process ended between the intent and the outcome of a change; the audit log now contains the outcome.',
        );
      }
      return open.length;
    },
  };
}
