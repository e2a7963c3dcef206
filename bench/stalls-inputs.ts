/** The worst inputs for each endpoint: bodies at the limits, hostile searches, long questions. */

const BODY_BYTES = 256 * 1024;
/** Space for the MCP envelope around the arguments. */
const ENVELOPE_BYTES = 1_024;
/** Creates a body just below the limit. The server parses it, and then refuses it. */
const filled = (unit: string, around: (inside: string) => string, between = ','): string => {
  const room = BODY_BYTES - around('').length - ENVELOPE_BYTES;
  return around(Array.from({ length: Math.floor(room / (unit.length + between.length)) }, () => unit).join(between));
};
const nested = (depth: number, open: string, close: string) => `${open.repeat(depth)}1${close.repeat(depth)}`;
const keys = (count: number, width: number) =>
  `{${Array.from({ length: count }, (_, n) => `"k${String(n).padStart(width, 'q')}":${n}`).join(',')}}`;

/** JSON texts of up to 256 kB. */
export const BODIES: Readonly<Record<string, string>> = {
  '64 levels deep': nested(64, '{"a":', '}'),
  '30 levels deep, 2,000 keys, 240 kB': `${'{"a":'.repeat(30)}${keys(1_960, 110)}${'}'.repeat(30)}`,
  '2,000 keys': keys(2_000, 40),
  '2,000 keys near a real one': `{${Array.from({ length: 2_000 }, (_, n) => `"employee_i${n}":${n}`).join(',')}}`,
  '2,001 keys': keys(2_001, 100),
  'one text of 256 kB': filled('x', (inside) => `{"name":"${inside}"}`, ''),
  'four texts of 60 kB': `{${['name', 'department', 'location', 'job_title'].map((key) => `"${key}":"${'9 '.repeat(30_000)}"`).join(',')}}`,
  'four texts of 60 kB that look like secrets': `{${['a', 'b', 'c', 'd'].map((key) => `"${key}":"${'eyJ.bearer sk-'.repeat(4_200)}"`).join(',')}}`,
  '120,000 numbers': filled('1', (inside) => `{"name":[${inside}]}`),
  '60,000 empty objects': filled('{}', (inside) => `{"name":[${inside}]}`),
  '250 kB of escapes': filled('\\u0061', (inside) => `{"name":["${inside}"]}`, ''),
  '10,000 texts of escapes': filled('"\\u0061\\n\\"\\\\x"', (inside) => `{"name":[${inside}]}`),
  '17,000 duplicates of one key': filled('"name":"abcd"', (inside) => `{${inside}}`),
  'colons in a text': filled(
    ':',
    (inside) => `{"a":"${inside.slice(0, 60_000)}","b":"${inside.slice(0, 60_000)}","c":"${inside.slice(0, 60_000)}"}`,
    '',
  ),
  'an open bracket 250,000 times': '['.repeat(BODY_BYTES - ENVELOPE_BYTES),
};

const letters = 'abcdefghijklmnopqrstuvwxyz';
const words = (unit: (n: number) => string, longest: number): string => {
  let text = '';
  for (let n = 0; text.length + unit(n).length < longest; n++) text += `${unit(n)} `;
  return text.trim();
};

/** These words find the most rows in the sample tickets. */
const COMMON =
  'thank work team since same again look see back happen into report tell time please come until side page today ' +
  'set over detail compare moment ' +
  'change raise taken some whom show minute picture everyone last one need now week answer account customer ' +
  'data export load dashboard slow';

/** Search texts up to a maximum length. */
export const searches = (longest: number): Readonly<Record<string, string>> => ({
  'one letter each': words((n) => letters[n % 26] ?? 'a', longest),
  'two letters each': words((n) => `${letters[n % 26]}${letters[(n * 7) % 26]}`, longest),
  'the most common words of the sample': COMMON.slice(0, longest).replace(/ \S*$/, ''),
  'words with typos': words(
    (n) => ['pasword', 'rset', 'reprot', 'dashbord', 'exprot', 'acount', 'intgration', 'perfomance', 'biling', 'secruity'][n % 10] ?? '',
    longest,
  ),
  'one word as long as it may be': 'a'.repeat(longest),
  'one character each, of a script without spaces': '検索'.repeat(longest / 2),
  'marks only': '%_*"'.repeat(longest / 4),
  'accents to fold': words(() => 'ﷺﷺ', longest),
});

/** Questions of 4,000 characters for the offline model. */
export const questions = (longest = 4_000): Readonly<Record<string, string>> => ({
  'a plain question': 'How many employees are there in Engineering?',
  '4,000 characters of names': words(
    (n) => ['Marcus', 'Johnson', 'Sarah', 'Kim', 'Nina', 'Patel', 'salary', 'budget'][n % 8] ?? '',
    longest,
  ),
  '4,000 characters of dates': words((n) => ['last', 'quarter', '2026-01-01', 'until', 'March', '3rd', 'and'][n % 7] ?? '', longest),
  '4,000 characters of clauses': words(
    (n) => ['show', 'tickets', 'and', 'then', 'list', 'invoices', 'but', 'not', 'over', '$5,000'][n % 10] ?? '',
    longest,
  ),
  '4,000 letters': 'a'.repeat(longest),
});
