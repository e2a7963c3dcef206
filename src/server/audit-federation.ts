/**
 * Audit federation: each process stores the audit records of its own calls, and the gateway queries all processes over Redis pub/sub. A
 * message contains only ids; question and answer are encrypted in Redis. Every process verifies the gateway's signature.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Caller } from '../engine/caller.ts';
import type { Person } from '../declare/people.ts';
import type { PubSub, Clock, KeyValue, Logger } from '../engine/ports.ts';
import { type OtherParts, auditAnswer, type AuditAnswer, type AuditPart, auditQuestion, type AuditQuestion } from '../gateway/audit-log.ts';
import type { GatewayKeys } from '../identity/gateway-keys.ts';
import { signIdentity, verifyIdentity } from '../identity/internal.ts';
import type { SigningKey } from '../identity/keys.ts';
import type { RoleTable } from '../declare/roles.ts';

export interface AuditFederationOptions {
  readonly instance: string;
  /** Undefined in a process without a gateway, which answers questions but asks none. */
  readonly key: SigningKey | undefined;
  readonly gatewayKeys: GatewayKeys;
  readonly roles: RoleTable;
  readonly own: AuditPart;
  readonly sealed: KeyValue;
  readonly openPubSub: (onMessage: (text: string) => void) => Promise<PubSub>;
  readonly known: OtherParts['known'];
  readonly written: OtherParts['checkpoints'];
  readonly instanceOf: OtherParts['instanceOf'];
  readonly clock: Clock;
  readonly log: Logger;
}

/** The signed identity is valid only for audit questions. */
const AUDIENCE = { server: 'audit', method: 'POST', path: '/audit' } as const;
const KEPT_SECONDS = 90;
const ANSWER_MS = { page: 2_000, record: 2_000, verify: 30_000 } as const;
const MOST_AT_ONCE = 16;

const asked = z.strictObject({ token: z.string(), body: z.string() });
const answered = z.strictObject({ from: z.string(), answer: auditAnswer });
const questionKey = (id: string) => `audit-question:${id}`;
const MESSAGE = /^(ask|reply) ([0-9a-f-]{36})(?: ([0-9a-f-]{36}))?$/;

interface PendingQuestion {
  readonly answers: Map<string, AuditAnswer>;
  /** The number of processes that replied, with or without an answer. */
  replies: number;
  /** Ends the wait if every subscriber has replied. */
  check(): void;
}

export async function openAuditFederation({
  instance,
  key,
  gatewayKeys,
  roles,
  own,
  sealed,
  openPubSub,
  known,
  written,
  instanceOf,
  clock,
  log,
}: AuditFederationOptions): Promise<OtherParts & { close(): Promise<void> }> {
  const waiting = new Map<string, PendingQuestion>();
  let answering = 0;

  async function answer(id: string): Promise<void> {
    if (waiting.has(id)) return;
    if (answering >= MOST_AT_ONCE) {
      // An empty reply, so that the gateway does not wait and reports this process as missing.
      await pubSub.publish(`reply ${id}`);
      return;
    }
    answering++;
    let at = '';
    try {
      const { token, body } = asked.parse(JSON.parse((await sealed.get(questionKey(id))) ?? ''));
      const { caller, requestId } = await verifyIdentity(gatewayKeys, { ...AUDIENCE, token, body, roles, clock });
      if (requestId !== id) throw new Error('another question');
      const given = await own(caller.person, auditQuestion.parse(JSON.parse(body)));
      const answerId = randomUUID();
      await sealed.set(answerKey(id, answerId), JSON.stringify({ from: instance, answer: given }), KEPT_SECONDS);
      at = ` ${answerId}`;
    } catch (error) {
      log.warn({ requestId: id, reason: (error as Error).name }, 'an audit question was not answered');
    } finally {
      answering--;
    }
    await pubSub.publish(`reply ${id}${at}`);
  }

  async function take(id: string, answerId: string | undefined): Promise<void> {
    const one = waiting.get(id);
    if (one === undefined) return;
    try {
      const text = answerId === undefined ? undefined : await sealed.get(answerKey(id, answerId));
      if (text !== undefined) {
        const { from, answer: given } = answered.parse(JSON.parse(text));
        if (!one.answers.has(from)) one.answers.set(from, given);
      }
    } finally {
      one.replies++;
      one.check();
    }
    if (answerId !== undefined) await sealed.delete(answerKey(id, answerId));
  }

  const pubSub = await openPubSub((text) => {
    const [, what, id = '', answerId] = MESSAGE.exec(text) ?? [];
    if (what === undefined) return;
    // Needs no retry: the gateway's timeout reports this process as missing.
    (what === 'ask' ? answer(id) : take(id, answerId)).catch(() => undefined);
  });

  async function ask(person: Person, question: AuditQuestion): Promise<ReadonlyMap<string, AuditAnswer>> {
    if (key === undefined) return new Map();
    const id = randomUUID();
    const body = JSON.stringify(question);
    const caller: Caller = { person, token: { id, client: 'gateway', issuedAt: 0, expiresAt: 0 }, approves: 'nothing', origin: 'gateway' };
    const token = signIdentity(key, { ...AUDIENCE, caller, requestId: id, body }, clock);
    await sealed.set(questionKey(id), JSON.stringify({ token, body }), KEPT_SECONDS);
    const answers = new Map<string, AuditAnswer>();
    const subscribers = { count: Number.POSITIVE_INFINITY };
    let over = () => {};
    const end = new Promise<void>((resolve) => {
      over = resolve;
    });
    const one: PendingQuestion = { answers, replies: 0, check: () => void (one.replies >= subscribers.count && over()) };
    waiting.set(id, one);
    const timer = setTimeout(over, ANSWER_MS[question.what]);
    try {
      // Redis also counts this process, which does not reply to itself.
      subscribers.count = (await pubSub.publish(`ask ${id}`)) - 1;
      one.check();
      await end;
      return answers;
    } finally {
      clearTimeout(timer);
      waiting.delete(id);
      await sealed.delete(questionKey(id));
    }
  }
  return { ask, known, checkpoints: written, instanceOf, close: () => pubSub.close() };
}

const answerKey = (id: string, answerId: string) => `audit-answer:${id}:${answerId}`;
