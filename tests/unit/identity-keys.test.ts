/** The key file, the configured master key with its rotation, derived keys and the configured gateway key. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformWithOxc } from 'vite';
import { describe, expect, it } from 'vitest';
import { derive, derivePrevious, type KeyUse, openKeys, parseMasterKey } from '../../src/identity/keys.ts';
import { folder } from './identity-support.ts';

const aKey = () => randomBytes(32).toString('base64url');
const fileIn = (at: string) => join(at, 'keys.json');

describe('the key file', () => {
  it('is created at the first start, readable only by its owner, and read at every later start', () => {
    const at = join(folder(), 'data', 'deeper');
    const first = openKeys(at);
    expect(statSync(fileIn(at)).mode & 0o777).toBe(0o600);
    expect(statSync(at).mode & 0o777).toBe(0o700);
    expect(readdirSync(at)).toEqual(['keys.json']);
    const second = openKeys(at);
    expect(second.master).toEqual(first.master);
    expect(second.master).toHaveLength(32);
    expect([second.realms.staff.kid, second.realms.customer.kid, second.gateway.current.kid]).toEqual([
      first.realms.staff.kid,
      first.realms.customer.kid,
      first.gateway.current.kid,
    ]);
    expect(new Set([first.realms.staff.kid, first.realms.customer.kid, first.gateway.current.kid]).size).toBe(3);
  });

  it('is refused when other users can read it', () => {
    const at = folder();
    openKeys(at);
    for (const mode of [0o640, 0o604, 0o660, 0o777]) {
      chmodSync(fileIn(at), mode);
      expect(() => openKeys(at)).toThrow(`${fileIn(at)} can be read by other users; run: chmod 600 ${fileIn(at)}`);
    }
    chmodSync(fileIn(at), 0o600);
    openKeys(at);
  });

  it.each(['', '{', '[]', '{"version":1}', 'null'])('that is damaged (%j) is reported, and never replaced', (content) => {
    const at = folder();
    openKeys(at);
    writeFileSync(fileIn(at), content);
    expect(() => openKeys(at)).toThrow(/is damaged; restore it from a backup\.$/);
    expect(readFileSync(fileIn(at), 'utf8')).toBe(content);
  });

  it('with one damaged key is reported', () => {
    const at = folder();
    openKeys(at);
    const content = JSON.parse(readFileSync(fileIn(at), 'utf8')) as Record<string, { d: string }>;
    for (const change of [{ staff: content['gateway'] }, { gateway: { ...content['gateway'], d: 'AAAA' } }, { masterKey: 'short' }]) {
      writeFileSync(fileIn(at), JSON.stringify({ ...content, ...change }));
      expect(() => openKeys(at)).toThrow(/is damaged|must be 32 random bytes/);
    }
  });

  it('that cannot be created is reported in one sentence', () => {
    const taken = join(folder(), 'taken');
    writeFileSync(taken, '');
    expect(() => openKeys(taken)).toThrow(/^\S+ cannot be reached; choose a data folder/);
  });

  it('is created once by four processes that start at the same time', async () => {
    const at = folder();
    // The child processes run JavaScript, so the types are stripped from the source.
    const source = fileURLToPath(new URL('../../src/identity/keys.ts', import.meta.url));
    const { code } = await transformWithOxc(readFileSync(source, 'utf8'), source);
    const script = join(folder(), 'open.mjs');
    const zod = JSON.stringify(pathToFileURL(createRequire(import.meta.url).resolve('zod')).href);
    writeFileSync(
      script,
      `${code.replace(/from "zod"/, `from ${zod}`)}\nwhile (Date.now() < ` +
        `process.argv[3]);\nconsole.log(openKeys(process.argv[2]).gateway.current.kid);`,
    );
    const together = String(Date.now() + 1_000);
    const run = () =>
      new Promise<string>((resolve) => {
        execFile(process.execPath, [script, at, together], (error, out) => resolve(error ? error.message : out.trim()));
      });
    const kids = await Promise.all([run(), run(), run(), run()]);
    expect(new Set(kids)).toEqual(new Set([openKeys(at).gateway.current.kid]));
    expect(readdirSync(at)).toEqual(['keys.json']);
  }, 30_000);
});

describe('a configured master key', () => {
  it('is not written to the folder, and is required at the next start', () => {
    const at = folder();
    const masterKey = aKey();
    expect(openKeys(at, { masterKey }).master.toString('base64url')).toBe(masterKey);
    expect(readFileSync(fileIn(at), 'utf8')).not.toContain(masterKey);
    expect(openKeys(at, { masterKey }).master.toString('base64url')).toBe(masterKey);
    expect(() => openKeys(at)).toThrow(/set TAMSHAI_MASTER_KEY to it again/);
  });

  it('must be the key that the data was written with, unless the old key is set beside it', () => {
    const at = folder();
    const [one, two] = [aKey(), aKey()];
    openKeys(at, { masterKey: one });
    expect(() => openKeys(at, { masterKey: two })).toThrow(/is not the master key/);
    const both = openKeys(at, { masterKey: `${two},${one}` });
    expect(derivePrevious(both, 'cursor')).toEqual(derive(parseMasterKey(one), 'cursor'));
    expect(derive(both, 'cursor')).toEqual(derive(parseMasterKey(two), 'cursor'));
    // After the rotation the new key alone is enough, and the old key alone is refused.
    expect(derivePrevious(openKeys(at, { masterKey: two }), 'cursor')).toBeUndefined();
    expect(() => openKeys(at, { masterKey: one })).toThrow(/is not the master key/);
  });

  it("can replace the folder's own key", () => {
    const at = folder();
    const own = openKeys(at).master.toString('base64url');
    const next = aKey();
    expect(() => openKeys(at, { masterKey: next })).toThrow(/is not the master key/);
    openKeys(at, { masterKey: own });
    openKeys(at, { masterKey: `${next},${own}` });
    expect(readFileSync(fileIn(at), 'utf8')).not.toContain(own);
    expect(statSync(fileIn(at)).mode & 0o777).toBe(0o600);
  });

  it('can be given as base64, as openssl prints it, or as base64url', () => {
    const bytes = randomBytes(32);
    expect(parseMasterKey(bytes.toString('base64')).master).toEqual(bytes);
    expect(parseMasterKey(` ${bytes.toString('base64url')} `).master).toEqual(bytes);
  });

  const malformed = [
    '',
    'changeme',
    aKey().slice(0, 42),
    randomBytes(16).toString('base64url'),
    randomBytes(33).toString('base64url'),
    `${aKey().slice(0, 42)}!`,
    `${aKey()},`,
    `${aKey()},${aKey()},${aKey()}`,
  ];
  it.each(malformed)('that is malformed (%j) is refused with a message that does not repeat it', (masterKey) => {
    let message = '';
    try {
      openKeys(folder(), { masterKey });
    } catch (error) {
      message = String(error);
    }
    expect(message).toMatch(/master key/);
    if (masterKey !== '') expect(message).not.toContain(masterKey);
  });

  it('that is not random is refused', () => {
    expect(() => parseMasterKey(Buffer.alloc(32).toString('base64url'))).toThrow(/not random/);
    expect(() => parseMasterKey(Buffer.from('0123'.repeat(8)).toString('base64url'))).toThrow(/not random/);
  });
});

describe('derived keys', () => {
  it('differ by use and by master key, and are equal on every replica', () => {
    const keys = parseMasterKey(aKey());
    const uses: KeyUse[] = [
      'cursor',
      'audit',
      'checkpoint',
      'kv',
      'cookie',
      'csrf',
      'postgres',
      'postgres/hr_self',
      'postgres/hr_all',
      'request-state',
      'contracts',
    ];
    const derived = uses.map((use) => derive(keys, use));
    expect(derived.every((key) => key.length === 32)).toBe(true);
    expect(new Set(derived.map((key) => key.toString('hex'))).size).toBe(uses.length);
    expect(derive(parseMasterKey(keys.master.toString('base64url')), 'audit')).toEqual(derive(keys, 'audit'));
    expect(derive(parseMasterKey(aKey()), 'audit')).not.toEqual(derive(keys, 'audit'));
    expect(derivePrevious(keys, 'audit')).toBeUndefined();
  });
});

describe('a configured gateway key', () => {
  it('is shared by replicas with separate folders', () => {
    const { current } = openKeys(folder()).gateway;
    const next = openKeys(folder()).gateway.current;
    expect(openKeys(folder(), { gatewayKey: JSON.stringify(current.jwk) }).gateway).toMatchObject({
      current: { kid: current.kid },
      previous: undefined,
    });
    const both = openKeys(folder(), { gatewayKey: JSON.stringify({ keys: [next.jwk, current.jwk] }) });
    expect([both.gateway.current.kid, both.gateway.previous?.kid]).toEqual([next.kid, current.kid]);
  });

  it('must be a private Ed25519 key', () => {
    const { gateway, realms } = openKeys(folder());
    for (const gatewayKey of ['', 'x', '{}', '{"keys":[]}', JSON.stringify(gateway.current.publicJwk), JSON.stringify(realms.staff.jwk)]) {
      expect(() => openKeys(folder(), { gatewayKey })).toThrow(/gateway key must be a private Ed25519 key/);
    }
  });
});
