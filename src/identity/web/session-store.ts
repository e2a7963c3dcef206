/** Browser sessions in the shared key-value store, with renewal of their tokens. */
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { Failure, failure } from '../../declare/errors.ts';
import type { Realm } from '../../declare/people.ts';
import type { Clock, KeyValue } from '../../engine/ports.ts';
import { SignInRefused, type Tokens } from './issuer-client.ts';
import type { Sealer } from './seal.ts';

const LONGEST = 8 * 3600;
const IDLE = 3600;
/** `seen` is updated at most once in this time, because not every request should write. */
const TOUCH_AFTER = 120;
/** The session renews an access token that expires within this time. */
const RENEW_BEFORE = 60;
const RENEWING_SECONDS = 15;
const POLL_MS = 50;
const DEADLINE_MS = 8_000;

const sessionSchema = z.object({
  realm: z.enum(['staff', 'customer']),
  access: z.string(),
  refresh: z.string().optional(),
  issuedAt: z.number(),
  expiresAt: z.number(),
  began: z.number(),
  seen: z.number(),
});
export type Session = z.infer<typeof sessionSchema>;

export interface SessionStore {
  create(id: string, realm: Realm, tokens: Tokens): Promise<void>;
  /** Renews the access token if it ends soon, or if it is older than `freshSeconds`. */
  current(id: string, freshSeconds?: number): Promise<Session | undefined>;
  remove(id: string): Promise<Session | undefined>;
}

export interface SessionStoreOptions {
  readonly kv: KeyValue;
  readonly seals: Sealer;
  readonly clock: Clock;
  readonly renew: (realm: Realm, refresh: string) => Promise<Tokens>;
}

interface Held {
  readonly text: string;
  readonly session: Session;
}

/** The store has sessions encrypted, under a digest of their id. Whoever reads the store can neither use nor name a session. */
export function createSessionStore({ kv, seals, clock, renew }: SessionStoreOptions): SessionStore {
  const keyOf = (id: string) => `web:session:${createHash('sha256').update(id).digest('base64url')}`;
  const seconds = () => Math.floor(clock.now().getTime() / 1000);
  const left = ({ began }: Session) => Math.min(IDLE, began + LONGEST - seconds());
  const running = new Map<string, Promise<Session | undefined>>();

  const load = async (key: string): Promise<Held | undefined> => {
    const text = await kv.get(key);
    const parsed = sessionSchema.safeParse(text === undefined ? undefined : seals.open(key, text));
    return text !== undefined && parsed.success && left(parsed.data) > 0 ? { text, session: parsed.data } : undefined;
  };

  /** Updates a session by compare-and-swap; undefined if the session has ended. */
  const change = async (key: string, part: Partial<Session>): Promise<Session | undefined> => {
    for (;;) {
      const held = await load(key);
      if (!held) return undefined;
      const next = { ...held.session, ...part };
      if (await kv.swap(key, held.text, seals.seal(key, next), left(next))) return next;
    }
  };

  const needsRenewal = ({ expiresAt, issuedAt }: Session, freshSeconds: number | undefined) =>
    expiresAt - seconds() < RENEW_BEFORE || (freshSeconds !== undefined && seconds() - issuedAt > freshSeconds);

  /** A refresh token works only once. One request uses it, and the other requests wait for the result. */
  const renewOnce = async (key: string, session: Session): Promise<Session | undefined> => {
    const { refresh, realm } = session;
    if (refresh === undefined) return session.expiresAt > seconds() ? session : undefined;
    const turn = `${key}:renewing`;
    if (!(await kv.add(turn, '1', RENEWING_SECONDS))) return awaitRenewal(key, session);
    try {
      // Another request may have renewed the session already.
      const now = await load(key);
      if (now?.session.refresh !== refresh) return now?.session;
      const { access, issuedAt, expiresAt, refresh: next } = await renew(realm, refresh);
      return await change(key, { access, issuedAt, expiresAt, refresh: next, seen: seconds() });
    } catch (error) {
      if (error instanceof SignInRefused) {
        await kv.delete(key);
        return undefined;
      }
      if (error instanceof Failure && session.expiresAt > seconds()) return session;
      throw error;
    } finally {
      await kv.delete(turn);
    }
  };

  const awaitRenewal = async (key: string, before: Session): Promise<Session | undefined> => {
    for (const started = performance.now(); performance.now() - started < DEADLINE_MS; ) {
      await wait(POLL_MS);
      const held = await load(key);
      if (held?.session.access !== before.access) return held?.session;
    }
    throw failure('SERVICE_UNAVAILABLE', 'Your sign-in cannot be renewed at the moment.');
  };

  return {
    async create(id, realm, { access, refresh, issuedAt, expiresAt }) {
      const key = keyOf(id);
      const now = seconds();
      const session: Session = { realm, access, refresh, issuedAt, expiresAt, began: now, seen: now };
      await kv.set(key, seals.seal(key, session), left(session));
    },
    async current(id, freshSeconds) {
      const key = keyOf(id);
      const held = await load(key);
      if (!held) return undefined;
      const { session } = held;
      if (!needsRenewal(session, freshSeconds)) {
        if (seconds() - session.seen > TOUCH_AFTER) await change(key, { seen: seconds() });
        return session;
      }
      const already = running.get(key);
      if (already) return already;
      const started = renewOnce(key, session).finally(() => running.delete(key));
      running.set(key, started);
      return started;
    },
    async remove(id) {
      const key = keyOf(id);
      const held = await load(key);
      await kv.delete(key);
      return held?.session;
    },
  };
}
