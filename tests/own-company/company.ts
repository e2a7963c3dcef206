/** A sample company of twelve people. */
import { defineSampleCompany, type SampleEmployeeSpec } from '../../src/declare/sample-company.ts';

const employee = (
  name: string,
  [department, title, manager, hired]: readonly [string, string, string | undefined, string],
  more: Partial<SampleEmployeeSpec> = {},
): SampleEmployeeSpec => {
  const [first = '', last = ''] = name.split(' ');
  const username = `${first}.${last}`.toLowerCase().replaceAll('ö', 'oe').replaceAll('ü', 'ue').replaceAll('ß', 'ss');
  return { username, first, last, department, title, location: 'Bremen', hired, salary: 52_000, ...(manager && { manager }), ...more };
};

export const nordwind = defineSampleCompany({
  emailDomain: 'nordwind.example',
  employees: [
    employee('Katrin Vogt', ['Geschäftsführung', 'Geschäftsführerin', undefined, '2012-03-01'], { salary: 145_000, roles: ['executive'] }),
    employee('Jörg Petersen', ['Personal', 'Personalleiter', 'katrin.vogt', '2015-09-01'], {
      salary: 88_000,
      roles: ['hr-read', 'hr-write', 'sales-write'],
      phone: '+49 421 555 0102',
      address: 'Am Wall 12, 28195 Bremen',
    }),
    employee('Anke Brandt', ['Fertigung', 'Fertigungsleiterin', 'katrin.vogt', '2016-01-04'], { salary: 79_000, roles: [] }),
    employee('Lukas Weiß', ['Fertigung', 'Mechatroniker', 'anke.brandt', '2019-08-01'], { roles: [] }),
    employee('Mia Krüger', ['Fertigung', 'Mechatronikerin', 'anke.brandt', '2020-08-03']),
    employee('Emre Yilmaz', ['Fertigung', 'Schweißer', 'anke.brandt', '2018-05-02']),
    employee('Hanna Scholz', ['Fertigung', 'Qualitätsprüferin', 'anke.brandt', '2021-02-01']),
    employee('Paul Richter', ['Einkauf', 'Einkäufer', 'katrin.vogt', '2017-11-06']),
    employee('Lena Hoffmann', ['Buchhaltung', 'Buchhalterin', 'katrin.vogt', '2014-06-02']),
    employee('Tim Schröder', ['Lager', 'Lagerist', 'anke.brandt', '2022-04-04']),
    employee('Sophie Lang', ['Vertrieb', 'Außendienst', 'katrin.vogt', '2023-01-09']),
    employee('Nils Otte', ['Personal', 'Personalreferent', 'joerg.petersen', '2024-10-01']),
  ],
});
