/** Settings that hold a URL: some of them may contain a password, and no error message repeats it. */
import { describe, expect, test } from 'vitest';
import { readConfig, settings } from '../registry.ts';

const SECRET = 'canary-4711';
const kinds = settings.urls;
const names = (kind: 'public' | 'store') => [...kinds].flatMap(([name, each]) => (each === kind ? [name] : []));
/** Other settings that a setting requires. */
const COMPANIONS: Readonly<Record<string, Record<string, string>>> = {
  OIDC_CUSTOMER_ISSUER: { OIDC_ISSUER: 'https://id.example' },
  TAMSHAI_PUBLIC_URL: { OIDC_ISSUER: 'https://id.example' },
  LLM_BASE_URL: { LLM_MODEL: 'some-model' },
};
const read = (name: string, value: string) => readConfig({ ...COMPANIONS[name], [name]: value });

function refusal(name: string, value: string): string {
  try {
    read(name, value);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

test('every setting that is named like a URL declares whether it may contain a password', () => {
  const looksLikeUrl = settings.names.filter((name) => /URL|URI|ISSUER|ENDPOINT|JWKS|WEBHOOK/.test(name));
  expect(looksLikeUrl.filter((name) => !kinds.has(name))).toEqual([]);
  expect(names('store').every((name) => /(DATABASE|MONGODB|ELASTICSEARCH|REDIS)_URL$/.test(name))).toBe(true);
  expect(names('public')).toEqual(
    expect.arrayContaining(['OIDC_ISSUER', 'OIDC_CUSTOMER_ISSUER', 'TAMSHAI_PUBLIC_URL', 'HR_URL', 'LLM_BASE_URL', 'ANTHROPIC_BASE_URL']),
  );
  expect(names('public')).toEqual(expect.arrayContaining(['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']));
});

describe.each(names('public'))('%s', (name) => {
  test.each([
    ['user and password', `https://user:${SECRET}@id.example/`],
    ['a password alone', `https://:${SECRET}@id.example`],
    ['a user alone', `https://${SECRET}@id.example`],
    ['an empty user', `https://@id.example/${SECRET}`],
    ['a password for this machine', `http://user:${SECRET}@localhost:8080`],
    ['one slash', `https:/user:${SECRET}@id.example`],
    ['no slash', `https:user:${SECRET}@id.example`],
    ['three slashes', `https:///user:${SECRET}@id.example`],
    ['backslashes', `https:\\\\user:${SECRET}@id.example`],
    ['a backslash before the host', `https://user:${SECRET}\\@id.example`],
    ['a query', `https://id.example/?key=${SECRET}`],
    ['an empty query', `https://id.example/${SECRET}?`],
    ['a fragment', `https://id.example/#${SECRET}`],
    ['a space before it', ` https://id.example/${SECRET}`],
    ['a line break after it', `https://id.example/${SECRET}\n`],
    ['a line break within', `https://us\ner:${SECRET}@id.example`],
    ['a tab within the scheme', `ht\ttps://user:${SECRET}@id.example`],
    ['a NUL', `https://id.example/\0${SECRET}`],
    ['a full-width @', `https://user:${SECRET}＠id.example`],
    ['full-width slashes', `https:／／user:${SECRET}@id.example`],
    ['a look-alike letter', `https://іd.example/${SECRET}`],
    ['an encoded @', `https://user:${SECRET}%40id.example`],
    ['a right-to-left override', `https://id.example/\u202e${SECRET}`],
    ['another scheme', `ftp://user:${SECRET}@id.example`],
    ['a script', `javascript:alert("${SECRET}")`],
    ['a file', `file:///etc/${SECRET}`],
    ['no scheme', `user:${SECRET}@id.example`],
    ['two hosts', `https://user:${SECRET}@id.example@other.example`],
  ])('is refused with %s, in one sentence without the secret', (_, value) => {
    const message = refusal(name, value);
    expect(message).toMatch(new RegExp(`^${name} [^\\n]+\\.$`));
    expect(message).not.toContain(SECRET);
  });

  test('is accepted as an ordinary address', () => {
    for (const value of [
      'https://id.example',
      'https://id.example/',
      'https://id.example:8443/realms/a',
      'http://localhost:9000/v1',
      'https://xn--bcher-kva.example/a@b',
    ])
      expect(refusal(name, value), value).toBe('');
  });
});

describe.each(names('store'))('%s', (name) => {
  const scheme = /DATABASE/.test(name) ? 'postgres' : /MONGODB/.test(name) ? 'mongodb' : /REDIS/.test(name) ? 'redis' : 'https';

  test('may contain a password', () => {
    expect(refusal(name, `${scheme}://user:${SECRET}@store.example:1234/`)).toBe('');
  });

  test.each([
    ['a space', ` ${scheme}://user:${SECRET}@store.example`],
    ['a line break', `${scheme}://user:${SECRET}@store.example\nX=1`],
    ['a NUL', `${scheme}://user:${SECRET}\0@store.example`],
    ['a backslash', `${scheme}://user:${SECRET}\\@store.example`],
    ['a full-width @', `${scheme}://user:${SECRET}＠store.example`],
    ['a fragment', `${scheme}://user:${SECRET}#@store.example`],
    ['one slash', `${scheme}:/user:${SECRET}@store.example`],
    ['another scheme', `ftp://user:${SECRET}@store.example`],
  ])('is refused with %s, in one sentence without the secret', (_, value) => {
    const message = refusal(name, value);
    expect(message).toMatch(new RegExp(`^${name} [^\\n]+\\.$`));
    expect(message).not.toContain(SECRET);
  });
});

test.each(['user', 'password', 'host', 'port', 'database', 'dbname'])(
  'a PostgreSQL address with %s in the query is refused',
  (parameter) => {
    const message = refusal('HR_DATABASE_URL', `postgres://store.example/tamshai?${parameter}=${SECRET}`);
    expect(message).toMatch(/^HR_DATABASE_URL [^\n]+\.$/);
    expect(message).not.toContain(SECRET);
  },
);
