/** The rules for the company's fields, in a config file and in the environment. */
import { z } from 'zod';
import { type Company, DEFAULT_COMPANY, decimalsOf } from './company.ts';

/** Refuses offsets such as +02:00, because PostgreSQL reads them with the opposite sign. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const currencies = new Set(Intl.supportedValuesOf('currency'));
const A_MONTH = 'must be a month from 1 (January) to 12 (December)';

/** The name of the field or setting precedes each message. */
export const companyFields = {
  name: z
    .string('must be a text')
    .trim()
    .min(1, 'must not be empty')
    .max(100, 'must have at most 100 characters')
    .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, 'must not contain control or invisible characters'),
  timeZone: z
    .string('must be the name of a time zone, such as Europe/Berlin')
    .refine(isTimeZone, 'must be the name of a time zone in the IANA database, such as Europe/Berlin'),
  currency: z
    .string('must be the ISO 4217 code of a currency, such as EUR')
    .refine((code) => currencies.has(code), {
      error: 'must be the ISO 4217 code of a currency in capital letters, such as EUR',
      abort: true,
    })
    .refine((code) => decimalsOf(code) <= 2, 'must be a currency with at most two decimals: amounts are stored with two'),
  fiscalYearStart: z.int(A_MONTH).min(1, A_MONTH).max(12, A_MONTH),
};

const companySchema = z.strictObject(companyFields, 'must be an object').partial();

/** Adds the defaults to the company of a config file. Returns one sentence that names the wrong field if a value is not valid. */
export function readCompany(given: unknown): Company | string {
  const parsed = companySchema.safeParse(given);
  if (parsed.success) return { ...DEFAULT_COMPANY, ...(parsed.data as Partial<Company>) };
  const [issue] = parsed.error.issues;
  if (issue?.code === 'unrecognized_keys')
    return `company.${issue.keys[0]} does not exist; a company has name, timeZone, currency and fiscalYearStart.`;
  return `${['company', ...(issue?.path ?? [])].join('.')} ${issue?.message}.`;
}
