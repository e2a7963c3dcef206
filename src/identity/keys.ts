/** The keys of an installation: master key, realm keys and gateway keys, from the data folder or the configuration. */
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
import type { Realm } from '../declare/people.ts';

/** A problem with keys or issuers that only an operator can fix. The message is one sentence for the terminal. */
export class SetupProblem extends Error {
  override readonly name = 'SetupProblem';
}

/** Each use has its own derived key, so that a value of one use is invalid for another. */
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
  | 'contracts'
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
  /** The private key. It may only go into the configuration of the embedded provider. */
  readonly jwk: Jwk;
  readonly publicJwk: Jwk;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export interface MasterKeys {
  readonly master: Buffer;
  /** Opens values from before the change of the master key. */
  readonly previousMaster: Buffer | undefined;
}

export interface Keys extends MasterKeys {
  readonly realms: Readonly<Record<Realm, SigningKey>>;
  readonly gateway: { readonly current: SigningKey; readonly previous: SigningKey | undefined };
}

export interface KeyOptions {
  /** `TAMSHAI_MASTER_KEY`: 32 bytes as base64url, or two of them separated by a comma, newer first. */
  readonly masterKey?: string | undefined;
  /**
   * `TAMSHAI_GATEWAY_KEY`: a private Ed25519 JWK, or `{"keys": […]}` with the current key first. All replicas of the gateway need the same
   * key.
   */
  readonly gatewayKey?: string | undefined;
}

const FILE = 'keys.json';
const privateJwk = z.looseObject({ kty: z.enum(['EC', 'OKP']), crv: z.enum(['P-256', 'Ed25519']), d: z.string(), x: z.string() });
const keyFile = z.strictObject({
  version: z.literal(1),
  masterKey: z.string().optional(),
  /** Reveals whether the configured master key has changed. */
  masterCheck: z.string().optional(),
  staff: privateJwk,
  customer: privateJwk,
  gateway: privateJwk,
  previousGateway: privateJwk.optional(),
});
type KeyFile = z.infer<typeof keyFile>;

/** Reads the keys of a data folder, or creates them. Two processes that start at once get the same keys. */
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

/** The number of valid private keys of P-256: the order of the curve minus one. */
const P256_SCALARS = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550');

/**
 * Derives the built-in provider's keys from a configured master key, so that all processes accept each other's tokens. The 16 extra bytes
 * prevent bias (FIPS 186-5, A.2.1).
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

/** Creates a new gateway key and keeps the current one as the previous key. The gateway uses it after a restart. */
export function rotateGatewayKey(folder: string): void {
  const path = join(folder, FILE);
  const file = readKeyFile(path);
  if (!file) throw new SetupProblem(`There is no key file at ${path}; start Tamshai once to make it.`);
  replaceFile(path, { ...file, gateway: newGatewayKey(), previousGateway: file.gateway });
}

/** Derives the key for one use. All replicas with the same master key derive the same key. */
export const derive = (keys: Pick<MasterKeys, 'master'>, use: KeyUse): Buffer => expand(keys.master, use);

/** Derives the key for one use from the previous master key; undefined if there is none. */
export const derivePrevious = (keys: MasterKeys, use: KeyUse): Buffer | undefined =>
  keys.previousMaster && expand(keys.previousMaster, use);

/** The keys for one use, the current one first. */
export const deriveAll = (keys: MasterKeys, use: KeyUse): [Buffer, ...Buffer[]] => [
  derive(keys, use),
  ...[derivePrevious(keys, use)].flatMap((key) => key ?? []),
];

/** The PKCS #8 prefix of a private Ed25519 key (RFC 8410). */
const ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * The keys with which a process without the gateway's key calls contracts of other domains, the current key first. Whoever has the master
 * key can already read the databases of all domains.
 */
export function contractSigningKeys(keys: MasterKeys): [SigningKey, ...SigningKey[]] {
  const made = (seed: Buffer) =>
    signingKey(
      exported(createPrivateKey({ key: Buffer.concat([ED25519, seed]), format: 'der', type: 'pkcs8' })),
      'Ed25519',
      'The master key is damaged.',
    );
  return [made(derive(keys, 'contracts')), ...[derivePrevious(keys, 'contracts')].flatMap((seed) => (seed ? [made(seed)] : []))];
}

const expand = (master: Buffer, use: KeyUse) => Buffer.from(hkdfSync('sha256', master, 'tamshai', `tamshai/v1/${use}`, 32));

export function parseMasterKey(text: string): MasterKeys {
  const [master, previousMaster, ...more] = text.split(',').map((part) => {
    const bytes = Buffer.from(part.trim(), 'base64url');
    // Buffer.from ignores invalid characters, so this compares the encoded bytes with the text.
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
    `TAMSHAI_MASTER_KEY is not the master key that the data beside ${path} was written with; give the new and the ` +
      'old one with a comma between.',
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
  // Another process may have been faster, so every process reads the stored file.
  return readKeyFile(path) ?? fresh;
}

/** A hard link is atomic and never replaces a file. Some file systems have no links; there an exclusive copy does the same. */
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
/** Generates a private gateway key as JWK. */
export const newGatewayKey = () => exported(generateKeyPairSync('ed25519').privateKey);

/** Parses the setting: the current key and the previous one. */
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

/** The JWK thumbprint (RFC 7638): equal keys have equal ids. */
function kidOf({ crv, kty, x, y }: Readonly<Record<string, unknown>>): string {
  return hash('sha256', JSON.stringify(y === undefined ? { crv, kty, x } : { crv, kty, x, y }), 'base64url');
}
