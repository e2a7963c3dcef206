/** JSON request bodies: limits of depth, width and size, duplicate keys, broken UTF-8 and slow uploads. */
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Failure } from '../../src/declare/errors.ts';
import { readJson, sendFailure, parseJson } from '../../src/transports/request.ts';

function refusal(text: string, duplicates: 'refuse' | 'allow' = 'refuse'): Failure {
  try {
    parseJson(text, { duplicates });
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown;
    throw thrown;
  }
  throw new Error('was accepted');
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
/** A list of lists. The counts add up to the number of all items, including those of the outer list. */
const items = (...counts: number[]) =>
  JSON.stringify(counts.map((count, i) => Array.from({ length: count - (i === 0 ? counts.length : 0) }, () => ({}))));
const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":${i}`).join()}}`;

describe('parseJson accepts', () => {
  it.each([
    ['null', null],
    ['-0.5e-3', -0.0005],
    ['"\\u00e9\\ud83d\\ude00"', 'é😀'],
    ['"\\\\u0000 written out"', '\\u0000 written out'],
    ['{"a":":","b":{"a":"\\":{"},"c":[{"a":1},{"a":2}]}', { a: ':', b: { a: '":{' }, c: [{ a: 1 }, { a: 2 }] }],
    ['{"proto":1,"Constructor":2}', { proto: 1, Constructor: 2 }],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    [nested(32), JSON.parse(nested(32))],
    [objects(32), JSON.parse(objects(32))],
  ])('%s', (text, value) => {
    expect(parseJson(text, { duplicates: 'refuse' })).toEqual(value);
  });

  it('values exactly at the limits', () => {
    expect(parseJson(keys(2_000), { duplicates: 'refuse' })).toMatchObject({ k1999: 1999 });
    expect(parseJson(JSON.stringify('é'.repeat(32_768)), { duplicates: 'refuse' })).toHaveLength(32_768);
  });
});

describe('parseJson refuses', () => {
  it.each([
    ['', /empty/],
    ['{', /not valid JSON/],
    ["{'a':1}", /not valid JSON/],
    ['1e400', /too large/],
    ['{"a":[-1e999]}', /too large/],
    ['"a\\u0000b"', /NUL/],
    ['{"a\\u0000":1}', /NUL/],
    ['"\\ud83d"', /surrogate/],
    ['"\\ude00\\ud83d"', /surrogate/],
    ['{"\\uD800":1}', /surrogate/],
    ['{"__proto__":{"admin":true}}', /__proto__/],
    ['{"\\u005f_proto__":1}', /__proto__/],
    ['[{"constructor":1}]', /constructor/],
    ['{"prototype":1}', /prototype/],
    ['{"a":1,"a":1}', /twice/],
    ['{"a":{"b":1,"c":2,"b":3}}', /twice/],
    ['{"a":1,"\\u0061":2}', /twice/],
  ])('%s', (text, message) => {
    const { code, status, message: said } = refusal(text);
    expect({ code, status }).toEqual({ code: 'VALIDATION_ERROR', status: 400 });
    expect(said).toMatch(message);
  });

  it('values that are too deep, wide or long, at any depth', () => {
    expect(refusal(nested(33)).message).toMatch(/32 levels/);
    expect(refusal(objects(33)).message).toMatch(/32 levels/);
    expect(refusal(nested(100_000)).message).toMatch(/32 levels/);
    expect(refusal(keys(2_001)).message).toMatch(/2000 keys/);
    // The limit counts the items of all lists together, because each item costs time to check and record.
    expect(parseJson(items(5_000, 5_000), { duplicates: 'refuse' })).toHaveLength(2);
    expect(refusal(items(10_001)).message).toMatch(/10000 items/);
    expect(refusal(items(5_000, 5_001)).message).toMatch(/10000 items/);
    expect(refusal(JSON.stringify('a'.repeat(65_537))).message).toMatch(/64 kB/);
    expect(refusal(JSON.stringify('é'.repeat(32_769))).message).toMatch(/64 kB/);
    expect(refusal(JSON.stringify({ ['k'.repeat(65_537)]: 1 })).message).toMatch(/64 kB/);
  });

  it('duplicate keys only with `duplicates: refuse`', () => {
    expect(parseJson('{"a":1,"a":2}', { duplicates: 'allow' })).toEqual({ a: 2 });
  });

  it('invalid bodies with a message that repeats nothing of the body', () => {
    for (const text of ['{"password":"hunter2"', '{"hunter2":1,"hunter2":2}']) expect(refusal(text).message).not.toContain('hunter2');
  });
});

describe('readJson', () => {
  const server = http.createServer((req, res) => {
    readJson(req, { duplicates: 'refuse' }, { bytes: 256 * 1024, ms: 150 })
      .then((value) => res.end(JSON.stringify({ value })))
      .catch((thrown: Failure) => sendFailure(res, thrown));
  });
  let url = '';
  beforeAll(async () => {
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => void server.close());
  const post = async (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
    const res = await fetch(url, { method: 'POST', headers, body });
    return { status: res.status, body: (await res.json()) as Record<string, unknown> };
  };

  it('reads the whole body as UTF-8', async () => {
    expect(await post('{"a":"é😀"}')).toEqual({ status: 200, body: { value: { a: 'é😀' } } });
    const large = JSON.stringify(Array.from({ length: 5 }, () => 'x'.repeat(50_000)));
    expect((await post(large)).status).toBe(200);
  });

  it.each([
    ['broken UTF-8', Uint8Array.of(0x22, 0xc3, 0x28, 0x22), {}, 400, 'VALIDATION_ERROR'],
    ['a surrogate as UTF-8', Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22), {}, 400, 'VALIDATION_ERROR'],
    ['a byte order mark', Uint8Array.of(0xef, 0xbb, 0xbf, 0x31), {}, 400, 'VALIDATION_ERROR'],
    ['an empty body', '', {}, 400, 'VALIDATION_ERROR'],
    ['a gzip body', '{}', { 'content-encoding': 'gzip' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['two encodings', '{}', { 'content-encoding': 'identity, br' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['a body of 257 kB', `"${'x'.repeat(257 * 1024)}"`, {}, 413, 'PAYLOAD_TOO_LARGE'],
  ])('refuses %s', async (_, body, headers, status, code) => {
    expect(await post(body, headers as Record<string, string>)).toMatchObject({ status, body: { status: 'error', code } });
  });

  const raw = (head: string, ...pieces: string[]) =>
    new Promise<string>((resolve) => {
      const socket = net.connect(Number(new URL(url).port), '127.0.0.1', () => {
        socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`);
        for (const piece of pieces) socket.write(piece);
      });
      let got = '';
      socket.on('data', (data) => {
        got += data;
      });
      socket.on('error', () => undefined).on('close', () => resolve(got));
    });

  it('refuses a chunked body that grows past the limit', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    expect(await raw('Transfer-Encoding: chunked', chunk, chunk, chunk, chunk, chunk)).toMatch(/^HTTP\/1.1 413 /);
  });

  it('times out a slow body, and closes the connection', async () => {
    const answer = await raw('Content-Length: 10', '{');
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(answer).toMatch(/connection: close/i);
  });
});
