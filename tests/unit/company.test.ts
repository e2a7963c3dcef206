/** The rules for the company's name, time zone, currency and fiscal year, in a config file and in the environment. */
import { describe, expect, test } from 'vitest';
import { DEFAULT_COMPANY } from '../../src/declare/company.ts';
import { readCompany } from '../../src/declare/company-rules.ts';
import { readConfig as readConfigOf } from '../../src/server/config.ts';
import { builtIn, readConfig } from '../registry.ts';

describe('a config file', () => {
  test('may leave out every field', () => {
    expect(readCompany({})).toEqual({ name: 'Tamshai', timeZone: 'UTC', currency: 'USD', fiscalYearStart: 1 });
  });

  test('sets every field', () => {
    const company = { name: 'Northwind GmbH', timeZone: 'Europe/Berlin', currency: 'EUR', fiscalYearStart: 4 };
    expect(readCompany(company)).toEqual(company);
  });

  test.each([
    [{ name: ' ' }, 'company.name must not be empty.'],
    [{ name: 'North\u202ewind' }, 'company.name must not contain control or invisible characters.'],
    [{ timeZone: 'Berlin' }, 'company.timeZone must be the name of a time zone in the IANA database, such as Europe/Berlin.'],
    [{ timeZone: '+02:00' }, 'company.timeZone must be the name of a time zone in the IANA database, such as Europe/Berlin.'],
    [{ timeZone: "UTC'; drop" }, 'company.timeZone must be the name of a time zone in the IANA database, such as Europe/Berlin.'],
    [{ currency: 'eur' }, 'company.currency must be the ISO 4217 code of a currency in capital letters, such as EUR.'],
    [{ currency: 'EURO' }, 'company.currency must be the ISO 4217 code of a currency in capital letters, such as EUR.'],
    [{ currency: 'KWD' }, 'company.currency must be a currency with at most two decimals: amounts are stored with two.'],
    [{ fiscalYearStart: 0 }, 'company.fiscalYearStart must be a month from 1 (January) to 12 (December).'],
    [{ fiscalYearStart: 4.5 }, 'company.fiscalYearStart must be a month from 1 (January) to 12 (December).'],
    [{ fiscalYearStart: 'April' }, 'company.fiscalYearStart must be a month from 1 (January) to 12 (December).'],
    [{ timezone: 'UTC' }, 'company.timezone does not exist; a company has name, timeZone, currency and fiscalYearStart.'],
    ['Northwind', 'company must be an object.'],
  ])('%j is refused: %s', (given, sentence) => {
    expect(readCompany(given)).toBe(sentence);
  });
});

describe('the environment', () => {
  test('wins over the config file, field by field', () => {
    const configured = { name: 'Northwind GmbH', timeZone: 'Europe/Berlin', currency: 'EUR', fiscalYearStart: 4 };
    expect(readConfig({}).company).toEqual(DEFAULT_COMPANY);
    expect(readConfigOf(builtIn, { environment: {}, company: configured }).company).toEqual(configured);
    const environment = { TAMSHAI_TIME_ZONE: 'Pacific/Kiritimati', TAMSHAI_FISCAL_YEAR_START: '7' };
    expect(readConfigOf(builtIn, { environment, company: configured }).company).toEqual({
      ...configured,
      timeZone: 'Pacific/Kiritimati',
      fiscalYearStart: 7,
    });
  });

  test.each([
    ['TAMSHAI_TIME_ZONE', 'Mars/Olympus', 'TAMSHAI_TIME_ZONE must be the name of a time zone in the IANA database, such as Europe/Berlin.'],
    ['TAMSHAI_CURRENCY', 'XX', 'TAMSHAI_CURRENCY must be the ISO 4217 code of a currency in capital letters, such as EUR.'],
    ['TAMSHAI_CURRENCY', 'BHD', 'TAMSHAI_CURRENCY must be a currency with at most two decimals: amounts are stored with two.'],
    ['TAMSHAI_FISCAL_YEAR_START', 'April', 'TAMSHAI_FISCAL_YEAR_START must be a month from 1 (January) to 12 (December).'],
    ['TAMSHAI_FISCAL_YEAR_START', '13', 'TAMSHAI_FISCAL_YEAR_START must be a month from 1 (January) to 12 (December).'],
  ])('%s=%s is refused in one sentence', (name, value, sentence) => {
    expect(() => readConfig({ [name]: value })).toThrow(sentence);
  });
});
