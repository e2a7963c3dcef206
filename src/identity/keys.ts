import {
  createECDH,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Realm } from '../core/people.ts';

/** Something about keys or issuers that only an operator can put right. The message is one whole sentence for the terminal. */
export class SetupProblem extends Error {
  override readonly name = 'SetupProblem';
}

/** Each use has a key of its own, so that what one of them signs or seals means nothing to another. */
export type KeyUse =
  | 'cursor'
  | 'audit'
  | 'checkpoint'
  | 'kv'
  | 'cookie'
  | 'csrf'
  | 'postgres'
  | `postgres/${string}`
  | 'request-state'
  | 'people-feed'
  | 'master-check';

export type Jwk = Readonly<Record<string, unknown>> & {
  readonly kty: string;
  readonly kid: string;
  readonly alg: string;
  readonly use: 'sig';
};

export interface SigningKey {
  readonly kid: string;
  readonly alg: 'ES256' | 'EdDSA';
  /** With the private part: for the embedded provider's own configuration, never for an answer. */
  readonly jwk: Jwk;
  readonly publicJwk: Jwk;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export interface MasterKeys {
  readonly master: Buffer;
  /** Still opens what was sealed before the master key changed. */
  readonly previousMaster: Buffer | undefined;
}

export interface Keys extends MasterKeys {
  readonly realms: Readonly<Record<Realm, SigningKey>>;
  readonly gateway: { readonly current: SigningKey; readonly previous: SigningKey | undefined };
}

export interface KeyOptions {
  /** `TAMSHAI_MASTER_KEY`: 32 bytes as base64url, or two of them with a comma between, the newer first. */
  readonly masterKey?: string | undefined;
  /** `TAMSHAI_GATEWAY_KEY`: a private Ed25519 JWK, or `{"keys": […]}` with the current one first. Replicas of the gateway share it. */
  readonly gatewayKey?: string | undefined;
}

const FILE = 'keys.json';
const privateJwk = z.looseObject({ kty: z.enum(['EC', 'OKP']), crv: z.enum(['P-256', 'Ed25519']), d: z.string(), x: z.string() });
const keyFile = z.strictObject({
  version: z.literal(1),
  masterKey: z.string().optional(),
  /** Stands in for a master key that lives in the configuration: tells whether it is still the same one. */
  masterCheck: z.string().optional(),
  staff: privateJwk,
  customer: privateJwk,
  gateway: privateJwk,
  previousGateway: privateJwk.optional(),
});
type KeyFile = z.infer<typeof keyFile>;

/** Reads the keys of a data folder, or makes them where there are none yet. Two processes that start at once end up with the same keys. */
export function openKeys(folder: string, { masterKey, gatewayKey }: KeyOptions = {}): Keys {
  const given = masterKey === undefined ? undefined : parseMasterKey(masterKey);
  const path = join(folder, FILE);
  const file = readKeyFile(path) ?? createKeyFile(folder, path, given);
  const damaged = `${path} is damaged; restore it from a backup.`;
  const [current, previous] =
    gatewayKey === undefined
      ? [signingKey(file.gateway, 'Ed25519', damaged), file.previousGateway && signingKey(file.previousGateway, 'Ed25519', damaged)]
      : readGatewayKeys(gatewayKey);
  return {
    ...settleMaster(path, file, given),
    realms: given
      ? derivedRealms(given)
      : { staff: signingKey(file.staff, 'P-256', damaged), customer: signingKey(file.customer, 'P-256', damaged) },
    gateway: { current, previous },
  };
}

/** The order of P-256, less one. */
const P256_SCALARS = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550');

/**
 * With a configured master key the built-in provider's keys come from it, so that a token of one process is good at all others. FIPS
 * 186-5, A.2.1: sixteen bytes more than needed, so that no scalar is likelier than another.
 */
function derivedRealms({ master }: MasterKeys): Keys['realms'] {
  const made = (realm: Realm) => {
    const seed = Buffer.from(hkdfSync('sha256', master, 'tamshai', `tamshai/v1/realm/${realm}`, 48));
    const scalar = (BigInt(`0x${seed.toString('hex')}`) % P256_SCALARS) + 1n;
    const ecdh = createECDH('prime256v1');
    ecdh.setPrivateKey(scalar.toString(16).padStart(64, '0'), 'hex');
    const [point, d] = [ecdh.getPublicKey(), ecdh.getPrivateKey()];
    const part = (bytes: Buffer) => Buffer.concat([Buffer.alloc(32 - bytes.length), bytes]).toString('base64url');
    const jwk = { kty: 'EC' as const, crv: 'P-256' as const, d: part(d), x: part(point.subarray(1, 33)), y: part(point.subarray(33)) };
    return signingKey(jwk, 'P-256', 'The master key is damaged.');
  };
  return { staff: made('staff'), customer: made('customer') };
}

/** A new gateway key; the present one stays valid as the previous one until the next change. Takes effect when the gateway starts. */
export function rotateGatewayKey(folder: string): void {
  const path = join(folder, FILE);
  const file = readKeyFile(path);
  if (!file) throw new SetupProblem(`There is no key file at ${path}; start Tamshai once to make it.`);
  replaceFile(path, { ...file, gateway: newGatewayKey(), previousGateway: file.gateway });
}

/** The key for one use. Deterministic, so every replica with the same master key has the same one. */
export const derive = (keys: Pick<MasterKeys, 'master'>, use: KeyUse): Buffer => expand(keys.master, use);

/** The same for the master key before the last change, where there is one. */
export const derivePrevious = (keys: MasterKeys, use: KeyUse): Buffer | undefined =>
  keys.previousMaster && expand(keys.previousMaster, use);

/** RFC 8410: what stands before the 32 bytes of a private Ed25519 key. */
const ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * For asking hr's server who changed, and for nothing else. It comes from the master key: whoever holds that could read as much from hr's
 * database, so a domain's process asks without ever holding the gateway's key. The present one first.
 */
export function peopleFeedKeys(keys: MasterKeys): [SigningKey, ...SigningKey[]] {
  const made = (seed: Buffer) =>
    signingKey(
      exported(createPrivateKey({ key: Buffer.concat([ED25519, seed]), format: 'der', type: 'pkcs8' })),
      'Ed25519',
      'The master key is damaged.',
    );
  return [made(derive(keys, 'people-feed')), ...[derivePrevious(keys, 'people-feed')].flatMap((seed) => (seed ? [made(seed)] : []))];
}

const expand = (master: Buffer, use: KeyUse) => Buffer.from(hkdfSync('sha256', master, 'tamshai', `tamshai/v1/${use}`, 32));

export function parseMasterKey(text: string): MasterKeys {
  const [master, previousMaster, ...more] = text.split(',').map((part) => {
    const bytes = Buffer.from(part.trim(), 'base64url');
    // Buffer.from forgives any character; what does not come out the same again was not base64.
    const wellFormed = bytes.toString('base64url') === part.trim().replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
    if (!wellFormed || bytes.length !== 32)
      throw new SetupProblem('The master key must be 32 random bytes written as base64url (43 characters).');
    if (new Set(bytes).size < 16) throw new SetupProblem('The master key is not random; make one with: openssl rand -base64 32');
    return bytes;
  });
  if (!master || more.length > 0) throw new SetupProblem('Give one master key, or the new and the old one with a comma between.');
  return { master, previousMaster };
}

function settleMaster(path: string, file: KeyFile, given: MasterKeys | undefined): MasterKeys {
  if (!given) {
    if (file.masterKey === undefined)
      throw new SetupProblem(`The keys in ${path} belong to a master key that was configured; set TAMSHAI_MASTER_KEY to it again.`);
    return parseMasterKey(file.masterKey);
  }
  const { master, previousMaster } = given;
  const ours = file.masterKey === undefined ? file.masterCheck : checkOf(parseMasterKey(file.masterKey).master);
  if (ours === checkOf(master)) return given;
  if (previousMaster && ours === checkOf(previousMaster)) {
    const { masterKey: _, ...rest } = file;
    replaceFile(path, { ...rest, masterCheck: checkOf(master) });
    return given;
  }
  throw new SetupProblem(
    `TAMSHAI_MASTER_KEY is not the master key that the data beside ${path} was written with; give the new and the old one with a comma between.`,
  );
}

const checkOf = (master: Buffer) => derive({ master }, 'master-check').toString('base64url');

function readKeyFile(path: string): KeyFile | undefined {
  let facts: Stats | undefined;
  try {
    facts = statSync(path, { throwIfNoEntry: false });
  } catch {
    throw new SetupProblem(`${path} cannot be reached; choose a data folder that this user may write to.`);
  }
  if (!facts) return undefined;
  if (process.platform !== 'win32' && (facts.mode & 0o077) !== 0)
    throw new SetupProblem(`${path} can be read by other users; run: chmod 600 ${path}`);
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new SetupProblem(`${path} is damaged; restore it from a backup.`);
    throw new SetupProblem(`${path} cannot be read by this user.`);
  }
  const parsed = keyFile.safeParse(content);
  if (!parsed.success) throw new SetupProblem(`${path} is damaged; restore it from a backup.`);
  return parsed.data;
}

function createKeyFile(folder: string, path: string, given: MasterKeys | undefined): KeyFile {
  const master = given ? { masterCheck: checkOf(given.master) } : { masterKey: randomBytes(32).toString('base64url') };
  const fresh: KeyFile = { version: 1, ...master, staff: newRealmKey(), customer: newRealmKey(), gateway: newGatewayKey() };
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const draft = writeDraft(path, fresh);
    try {
      publish(draft, path);
    } finally {
      rmSync(draft, { force: true });
    }
  } catch {
    throw new SetupProblem(`The keys cannot be written to ${folder}; choose a data folder that this user may write to.`);
  }
  // Whoever came first has won: everyone reads what is there now.
  return readKeyFile(path) ?? fresh;
}

/** A link appears whole or not at all, and never replaces; where the file system has none, an exclusive copy has to do. */
function publish(draft: string, path: string): void {
  const tolerate = (error: unknown, ...codes: string[]) => {
    if (!(error instanceof Error && 'code' in error && codes.includes(String(error.code)))) throw error;
    return error.code;
  };
  try {
    linkSync(draft, path);
  } catch (error) {
    if (tolerate(error, 'EEXIST', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS') === 'EEXIST') return;
    try {
      copyFileSync(draft, path, constants.COPYFILE_EXCL);
    } catch (second) {
      tolerate(second, 'EEXIST');
    }
  }
}

function replaceFile(path: string, content: KeyFile): void {
  renameSync(writeDraft(path, content), path);
}

function writeDraft(path: string, content: KeyFile): string {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const handle = openSync(draft, 'wx', 0o600);
  try {
    writeSync(handle, `${JSON.stringify(content, null, 2)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return draft;
}

const exported = (key: KeyObject) => privateJwk.parse(key.export({ format: 'jwk' }));
const newRealmKey = () => exported(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
/** A new private key, as it is written down. */
export const newGatewayKey = () => exported(generateKeyPairSync('ed25519').privateKey);

/** Out of a setting: the current key, and the one before it. */
export function readGatewayKeys(text: string): [SigningKey, SigningKey | undefined] {
  const problem = 'The gateway key must be a private Ed25519 key as JWK, or {"keys": […]} with the current and the previous one.';
  const shape = z.union([z.object({ keys: z.tuple([privateJwk], privateJwk) }), privateJwk.transform((jwk) => ({ keys: [jwk] as const }))]);
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new SetupProblem(problem);
  }
  const parsed = shape.safeParse(content);
  if (!parsed.success || parsed.data.keys.length > 2) throw new SetupProblem(problem);
  const [current, previous] = parsed.data.keys;
  return [signingKey(current, 'Ed25519', problem), previous && signingKey(previous, 'Ed25519', problem)];
}

function signingKey(jwk: z.infer<typeof privateJwk>, curve: 'P-256' | 'Ed25519', problem: string): SigningKey {
  if (jwk.crv !== curve) throw new SetupProblem(problem);
  const alg = curve === 'P-256' ? 'ES256' : 'EdDSA';
  try {
    const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
    const publicKey = createPublicKey(privateKey);
    const open = publicKey.export({ format: 'jwk' });
    const kid = kidOf(open);
    const facts = { kid, alg, use: 'sig' } as const;
    return {
      kid,
      alg,
      jwk: { ...privateKey.export({ format: 'jwk' }), kty: jwk.kty, ...facts },
      publicJwk: { ...open, kty: jwk.kty, ...facts },
      privateKey,
      publicKey,
    };
  } catch {
    throw new SetupProblem(problem);
  }
}

/** RFC 7638: the members in this order and nothing else, so that the same key always has the same id. */
function kidOf({ crv, kty, x, y }: Readonly<Record<string, unknown>>): string {
  return hash('sha256', JSON.stringify(y === undefined ? { crv, kty, x } : { crv, kty, x, y }), 'base64url');
}
