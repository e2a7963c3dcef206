/** Redacts the input of a call for the audit log: removes secrets and personal numbers, truncates long values. */
import { createHash } from 'node:crypto';
import { HIDDEN } from '../../declare/fields.ts';

const FIELD_BYTES = 2_048;
const INPUT_BYTES = 8_192;
const NAME_BYTES = 128;
/** HTTP bodies have the same or stricter limits (`JSON_LIMITS`). These limits are for inputs from other sources. */
const LONGEST_TEXT = 262_144;
const DEEPEST = 32;
const MOST_VALUES = 10_000;

/** Ignores case and punctuation: home_address, homeAddress and Home-Address are the same name. */
const plainName = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');
const SECRET_NAMES = new Set(
  `address street phone mobile fax dob birthdate date_of_birth wage wages hourly_rate bonus compensation net_pay gross_pay net gross
   account iban bic swift tin ein itin tax_identifier cookie set_cookie credentials credential otp pin cvv cvc card card_number
   code_verifier
   assertion session_id private_key api_key`
    .split(/\s+/)
    .map(plainName),
);
const SECRET_PARTS =
  /salary|ssn|socialsecurity|passw|passphrase|secret|token|authoriz|homeaddress|phonenumber|homephone|accountn|bankaccount|routing|taxid|taxn|apikey|privatekey/;

/** UUIDs and dates look like account numbers, so they match first and stay in the text. */
const patternsOf = (digit: string, between: string, flags: string): RegExp =>
  new RegExp(
    [
      String.raw`(?<keep>\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b\d{4}-\d\d-\d\d(?!\d))`,
      String.raw`\bbearer\s+[\w.~+/=-]+`,
      String.raw`eyJ[\w-]{8,}[\w.-]*`,
      String.raw`\b(?:sk|pk|ghp|xox[a-z])[-_][\w-]{12,}`,
      `${digit}(?:[${between}]{0,3}${digit}){8,}`,
    ].join('|'),
    flags,
  );
const BETWEEN = String.raw` \t().\-/_`;
const PATTERNS = patternsOf(
  String.raw`\p{Nd}`,
  String.raw`${BETWEEN}\u00a0\u00b7\u2007\u200b-\u200d\u2010-\u2015\u202f\u2060\u2212\uff0d\ufeff`,
  'giu',
);
/** The same patterns for ASCII texts, five times as fast as the Unicode patterns. */
const ASCII_PATTERNS = patternsOf(String.raw`\d`, BETWEEN, 'gi');
const ASCII = /^[\x00-\x7f]*$/;

/** Hides social security numbers, account-like numbers, bearer tokens and keys in a text. */
export const hidePatterns = (text: string): string =>
  text.replace(ASCII.test(text) ? ASCII_PATTERNS : PATTERNS, (found, keep?: string) => (keep === undefined ? HIDDEN : found));

/** A short input that matches none of these patterns needs no redaction. A pattern may match too much, but not too little. */
const SUSPECTS = `address street phone mobile fax dob birth wage rate bonus compens pay net gross account iban bic swift tin ein tax cookie
  credential otp pin cv[vc] card code assert session key salary s.?s.?n social pass secret token authoriz routing bearer eyj sk[-_] pk[-_]
  ghp xox`;
const suspicious = (extra: readonly string[]) => {
  const words = SUSPECTS.split(/\s+/);
  for (const name of extra) words.push([...plainName(name)].join('[^a-z0-9]*'));
  return new RegExp(`${words.join('|')}|\\d(?:[ ().\\-/_]{0,3}\\d){8}|\\\\[tu]|[^\\x20-\\x7e]`, 'i');
};

const IDS = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi;

/** Truncates a text to a number of bytes without splitting a character. */
const begin = (text: string, bytes: number): string => text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read);
const fits = (text: string, bytes: number) => text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes;
const digest = (text: string) => createHash('sha256').update(text).digest('hex');

function safeText(text: string): string {
  const start = text.slice(0, LONGEST_TEXT);
  const shown = hidePatterns(ASCII.test(start) ? start : start.replace(/\p{Surrogate}/gu, '\ufffd'));
  if (fits(shown, FIELD_BYTES)) return shown;
  // A digest of the original text would allow guessing a short secret.
  return `${begin(shown, FIELD_BYTES)}… [cut: ${Buffer.byteLength(text)} bytes, sha256 ${digest(shown)}]`;
}

function createRedactor(fields: readonly string[]): (input: unknown) => string {
  const own = new Set(fields.map(plainName));
  const suspect = suspicious(fields);
  const secret = (name: string): boolean => {
    const plain = plainName(name);
    return SECRET_NAMES.has(plain) || own.has(plain) || SECRET_PARTS.test(plain);
  };
  const clean = (value: unknown, depth: number, room: { values: number }): unknown => {
    if (typeof value === 'string') return safeText(value);
    if (typeof value === 'number') return Math.abs(value) >= 1e8 && Math.abs(value) < 1e21 ? HIDDEN : value;
    if (typeof value === 'bigint') return safeText(String(value));
    if (typeof value !== 'object' || value === null) return value;
    if (depth > DEEPEST || --room.values < 0) return '[left out]';
    if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1, room));
    const kept = Object.entries(value).map(([name, item]) => {
      const hide = secret(name) && item !== null && item !== undefined;
      return [begin(safeText(name), NAME_BYTES), hide ? HIDDEN : clean(item, depth + 1, room)] as const;
    });
    // `Object.fromEntries` is safe for a key `__proto__`; assignment is not.
    return Object.fromEntries(kept);
  };

  return (input) => {
    const quick = quickText(input);
    if (quick !== undefined && quick.length <= FIELD_BYTES && !suspect.test(quick.replace(IDS, ''))) return quick;
    const text = JSON.stringify(clean(input, 0, { values: MOST_VALUES })) ?? 'null';
    return fits(text, INPUT_BYTES) ? text : cut(text);
  };
}

/** Truncates redacted JSON. Puts the beginning as a string into a JSON object, which must still fit after escaping. */
function cut(text: string): string {
  const facts = { cut: true, bytes: Buffer.byteLength(text), sha256: digest(text) };
  for (let room = INPUT_BYTES - 200; ; room = Math.floor(room * 0.8)) {
    const shorter = JSON.stringify({ ...facts, begin: begin(text, room) });
    if (fits(shorter, INPUT_BYTES)) return shorter;
  }
}

/** Undefined for values that JSON cannot represent. */
function quickText(input: unknown): string | undefined {
  try {
    return JSON.stringify(input);
  } catch {
    return undefined;
  }
}

const defaultRedactor = createRedactor([]);
const redactors = new WeakMap<ReadonlySet<string>, (input: unknown) => string>();

/** Returns JSON without secrets, at most 8 kB. `fields` are more names of sensitive inputs. The redactor is cached for the set object. */
export function redact(input: unknown, fields?: ReadonlySet<string>): string {
  if (fields === undefined || fields.size === 0) return defaultRedactor(input);
  let own = redactors.get(fields);
  if (own === undefined) {
    own = createRedactor([...fields]);
    redactors.set(fields, own);
  }
  return own(input);
}
