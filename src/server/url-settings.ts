/** The two kinds of URL settings: public URLs, which answers and logs can contain, and store URLs, which can contain a password. */
import { z } from 'zod';

/** Each new URL setting must be one of these. */
export type UrlKind = 'public' | 'store';

const beginsWith = (schemes: readonly string[]) =>
  `must be an address that begins with ${schemes.map((each) => `${each}://`).join(' or ')}`;

/**
 * Checks the text itself, because `new URL` changes it: line breaks, slashes, backslashes and wide letters. Another parser may read the
 * original text differently.
 */
function textProblem(text: string, schemes: readonly string[]): string | undefined {
  if (!/^[\x21-\x7e]*$/.test(text))
    return 'must be written in ASCII without spaces or line breaks; write other letters of a host as xn--, and those of a password as %20';
  if (text.includes('\\')) return 'must not contain a backslash; write %5C';
  if (text.includes('#')) return 'must not contain a #; write %23 where it belongs to a password';
  const [scheme = ''] = /^[a-z+]+(?=:\/\/[^/])/i.exec(text) ?? [];
  return schemes.includes(scheme.toLowerCase()) ? undefined : beginsWith(schemes);
}

const isUrl = (text: string) => URL.canParse(text);

function publicProblem(text: string): string | undefined {
  const schemes = ['http', 'https'];
  const problem = textProblem(text, schemes);
  if (problem !== undefined) return problem;
  const [authority = ''] = text.slice(text.indexOf('//') + 2).split(/[/?]/, 1);
  if (authority.includes('@'))
    return 'must not contain a name or a password: it is shown in answers and logs, and secrets have settings of their own';
  if (text.includes('?')) return 'must not contain a query: it is shown in answers and logs, and secrets have settings of their own';
  return isUrl(text) ? undefined : beginsWith(schemes);
}

function storeProblem(text: string, schemes: readonly string[]): string | undefined {
  return textProblem(text, schemes) ?? (isUrl(text) ? undefined : beginsWith(schemes));
}

/** In the driver, these query parameters override the URL and would replace our login. */
const REPLACING = ['user', 'password', 'host', 'port', 'database', 'dbname'];

function postgresProblem(text: string): string | undefined {
  const problem = storeProblem(text, ['postgres', 'postgresql']);
  if (problem !== undefined) return problem;
  const { searchParams } = new URL(text);
  const wrong = REPLACING.find((name) => searchParams.has(name));
  return wrong === undefined ? undefined : `must have its ${wrong} before the query: postgres://user:password@host:5432/database`;
}

/** Not `new URL`, which cannot parse the several hosts of a MongoDB URL. */
const mongodbProblem = (text: string): string | undefined => textProblem(text, ['mongodb', 'mongodb+srv']);

const setting = (kind: UrlKind, problemOf: (text: string) => string | undefined) =>
  z
    .string()
    .superRefine((text, context) => {
      const message = problemOf(text);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .optional()
    .meta({ url: kind });

export const publicUrl = () => setting('public', publicProblem);
export const postgresUrl = () => setting('store', postgresProblem);
export const mongodbUrl = () => setting('store', mongodbProblem);
export const redisUrl = () => setting('store', (text) => storeProblem(text, ['redis', 'rediss']));
export const searchUrl = () => setting('store', (text) => storeProblem(text, ['http', 'https']));

export const urlKindOf = (schema: z.ZodType): UrlKind | undefined => schema.meta()?.['url'] as UrlKind | undefined;
