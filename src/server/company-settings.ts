/** The settings of the company and of the configuration file. They override the company in that file. */
import { z } from 'zod';
import { type Company, DEFAULT_COMPANY } from '../declare/company.ts';
import { companyFields } from '../declare/company-rules.ts';

const { name, timeZone, currency, fiscalYearStart } = companyFields;

export const companyVariables = {
  TAMSHAI_CONFIG: z.string().optional().meta({
    default: '`tamshai.config.ts`, `.js` or `.mjs` in the current folder',
    meaning: 'The configuration file of your own project. Without one, Tamshai serves all built-in domains',
  }),
  TAMSHAI_COMPANY_NAME: name.optional().meta({ default: DEFAULT_COMPANY.name, meaning: 'The name of the company' }),
  TAMSHAI_TIME_ZONE: timeZone.optional().meta({
    default: DEFAULT_COMPANY.timeZone,
    meaning: "The IANA name of the company's time zone, such as `Europe/Berlin`",
  }),
  TAMSHAI_CURRENCY: currency.optional().meta({
    default: DEFAULT_COMPANY.currency,
    meaning: 'The ISO 4217 code of the currency of all amounts, such as `EUR`',
  }),
  TAMSHAI_FISCAL_YEAR_START: z.coerce
    .number('must be a month from 1 (January) to 12 (December)')
    .pipe(fiscalYearStart)
    .optional()
    .meta({
      default: String(DEFAULT_COMPANY.fiscalYearStart),
      meaning: 'The month in which the fiscal year begins: 1 for January, 4 for April',
    }),
};

export interface CompanyVariables {
  readonly TAMSHAI_COMPANY_NAME?: string | undefined;
  readonly TAMSHAI_TIME_ZONE?: string | undefined;
  readonly TAMSHAI_CURRENCY?: string | undefined;
  readonly TAMSHAI_FISCAL_YEAR_START?: number | undefined;
}

/** Returns the company of the config file, or the default one, with the values from the environment. */
export const companyFrom = (env: CompanyVariables, configured: Company): Company => ({
  name: env.TAMSHAI_COMPANY_NAME ?? configured.name,
  timeZone: env.TAMSHAI_TIME_ZONE ?? configured.timeZone,
  currency: env.TAMSHAI_CURRENCY ?? configured.currency,
  fiscalYearStart: env.TAMSHAI_FISCAL_YEAR_START ?? configured.fiscalYearStart,
});
