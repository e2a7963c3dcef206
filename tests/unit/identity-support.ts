/** Helpers of the identity tests: a test clock, employment records, a verifier with its keys, and signed tokens. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { afterAll } from 'vitest';
import type { Failure } from '../../src/declare/errors.ts';
import type { Clock, People } from '../../src/engine/ports.ts';
import { type Accounts, createAccounts } from '../../src/identity/accounts.ts';
import { createEmbeddedIssuer, type Issuer } from '../../src/identity/issuers.ts';
import { type Keys, openKeys } from '../../src/identity/keys.ts';
import { type MintOptions, mintToken } from '../../src/identity/mint.ts';
import { type Revocations, createRevocations } from '../../src/identity/revocation.ts';
import { createVerifier, type Verifier } from '../../src/identity/verify.ts';
import { persona, personas } from '../../domains/sample-company/people.ts';
import { openSqliteKeyValue } from '../../src/storage/kv/sqlite.ts';
import { builtIn } from '../registry.ts';

export const BASE = 'http://localhost:3100';
export const API: readonly string[] = [`${BASE}/api`];
export const MCP: readonly string[] = [`${BASE}/mcp`];

const made: string[] = [];
// Vitest runs afterAll hooks in reverse order. This one is registered first, so it removes the folders after all other hooks have run.
afterAll(() => {
  for (const each of made) rmSync(each, { recursive: true, force: true });
});

/** Creates a temporary folder, which is removed after the tests of the file. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'tamshai-identity-'));
  made.push(path);
  return path;
}

export interface TestClock extends Clock {
  seconds(): number;
  pass(seconds: number): void;
}

export function testClock(): TestClock {
  let time = Date.parse('2026-11-02T09:00:00.500Z');
  return {
    now: () => new Date(time),
    seconds: () => Math.floor(time / 1000),
    pass: (seconds) => {
      time += seconds * 1000;
    },
  };
}

/** Employment records that a test can change. While `down` is true, every lookup fails; `asked` counts the lookups. */
export interface TestPeople extends People {
  readonly records: Map<string, 'active' | 'terminated'>;
  down: boolean;
  asked: number;
}

export function testPeople(): TestPeople {
  const records = new Map<string, 'active' | 'terminated'>();
  for (const { employeeId } of personas) if (employeeId !== undefined) records.set(employeeId, 'active');
  return {
    records,
    down: false,
    asked: 0,
    async employment(employeeId) {
      this.asked += 1;
      if (this.down) throw new Error('connection refused');
      return records.get(employeeId) ?? 'unknown';
    },
  };
}

export interface Setup {
  readonly clock: TestClock;
  readonly people: TestPeople;
  readonly keys: Keys;
  readonly accounts: Accounts;
  readonly denied: Revocations;
  readonly verifier: Verifier;
  readonly refusals: string[];
  readonly longLived: [string, number][];
  token(username: string, options?: Partial<MintOptions>): Promise<string>;
  close(): Promise<void>;
}

let shared: Keys | undefined;

export function setUp({
  external = [],
  scriptedApprovals = false,
}: {
  external?: readonly Issuer[];
  scriptedApprovals?: boolean;
} = {}): Setup {
  const clock = testClock();
  const people = testPeople();
  const kv = openSqliteKeyValue(':memory:', clock);
  shared ??= openKeys(folder());
  const keys = shared;
  const all = createAccounts(kv, personas, { roles: builtIn.roles, clock });
  const denied = createRevocations(kv, clock);
  const refusals: string[] = [];
  const longLived: [string, number][] = [];
  const embedded = (['staff', 'customer'] as const)
    .filter((realm) => !external.some((issuer) => issuer.realm === realm))
    .map((realm) => createEmbeddedIssuer({ roles: builtIn.roles, realm, base: BASE, keys, accounts: all, scriptedApprovals }));
  const verifier = createVerifier({
    issuers: [...embedded, ...external],
    people,
    denied,
    clock,
    onRefused: (reason) => refusals.push(reason),
    onLongLived: (issuer, seconds) => longLived.push([issuer, seconds]),
  });
  const token = (username: string, options: Partial<MintOptions> = {}) =>
    mintToken(keys, persona(username), { base: BASE, audience: `${BASE}/api`, clock, ...options });
  return { clock, people, keys, accounts: all, denied, verifier, refusals, longLived, token, close: () => kv.close() };
}

type SignKey = Parameters<SignJWT['sign']>[0];

export const signed = (key: SignKey, header: JWTHeaderParameters, claims: JWTPayload): Promise<string> =>
  new SignJWT(claims).setProtectedHeader(header).sign(key);

export const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Returns the code, status and message of the error that the promise rejects with. */
export async function refusal(work: Promise<unknown>): Promise<Pick<Failure, 'code' | 'status' | 'message'>> {
  try {
    await work;
  } catch (error) {
    const { code, status, message } = error as Failure;
    return { code, status, message };
  }
  throw new Error('It was not refused.');
}

export const UNAUTHENTICATED = { code: 'UNAUTHENTICATED', status: 401, message: 'Your sign-in is missing or no longer valid.' };
