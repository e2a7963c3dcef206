/** The sample company: twelve people of Northwind GmbH. `sample: false` in tamshai.config.ts removes them. */
import { defineSampleCompany, type SampleEmployeeSpec } from 'tamshai';

const employee = (
  name: string,
  job: Pick<SampleEmployeeSpec, 'title' | 'department' | 'location' | 'salary' | 'hired'> & Partial<SampleEmployeeSpec>,
): SampleEmployeeSpec => {
  const [first = '', last = ''] = name.split(' ');
  const plain = name.toLowerCase().replaceAll('ä', 'ae').replaceAll('ö', 'oe').replaceAll('ü', 'ue').replaceAll('ß', 'ss');
  return { username: plain.replace(' ', '.'), first, last, ...job };
};

export const northwind = defineSampleCompany({
  emailDomain: 'northwind.example',
  employees: [
    employee('Greta Vogel', {
      title: 'Geschäftsführerin',
      department: 'Geschäftsführung',
      location: 'Hamburg',
      salary: 148_000,
      hired: '2014-04-01',
      roles: ['executive'],
    }),
    employee('Jonas Brandt', {
      title: 'Personalleiter',
      department: 'Personal',
      location: 'Hamburg',
      salary: 96_000,
      hired: '2016-09-01',
      manager: 'greta.vogel',
      roles: ['hr-write'],
    }),
    employee('Lena Fischer', {
      title: 'Leiterin Gebäude und Fuhrpark',
      department: 'Gebäude',
      location: 'Hamburg',
      salary: 82_000,
      hired: '2017-02-15',
      manager: 'greta.vogel',
      roles: ['facilities-write', 'fleet-write'],
    }),
    employee('Emre Yildiz', {
      title: 'Hausmeister',
      department: 'Gebäude',
      location: 'Berlin',
      salary: 44_500,
      hired: '2019-05-01',
      manager: 'lena.fischer',
      roles: ['facilities-read'],
    }),
    employee('Katharina Wolf', {
      title: 'Leiterin Entwicklung',
      department: 'Entwicklung',
      location: 'Hamburg',
      salary: 104_000,
      hired: '2018-01-08',
      manager: 'greta.vogel',
      roles: [],
    }),
    employee('Max Schulze', {
      title: 'Entwickler',
      department: 'Entwicklung',
      location: 'Hamburg',
      salary: 68_000,
      hired: '2021-10-01',
      manager: 'katharina.wolf',
      roles: [],
    }),
    employee('Aylin Kaya', {
      title: 'Entwicklerin',
      department: 'Entwicklung',
      location: 'Berlin',
      salary: 71_500,
      hired: '2020-03-16',
      manager: 'katharina.wolf',
      roles: [],
    }),
    employee('Paul Neumann', {
      title: 'Werkstudent',
      department: 'Entwicklung',
      location: 'Berlin',
      salary: 18_000,
      hired: '2025-10-01',
      manager: 'katharina.wolf',
    }),
    employee('Sofia Müller', {
      title: 'Leiterin Vertrieb',
      department: 'Vertrieb',
      location: 'Hamburg',
      salary: 98_000,
      hired: '2015-11-02',
      manager: 'greta.vogel',
      roles: [],
    }),
    employee('Tim Krüger', {
      title: 'Vertriebsmitarbeiter',
      department: 'Vertrieb',
      location: 'Hamburg',
      salary: 61_000,
      hired: '2022-06-01',
      manager: 'sofia.mueller',
    }),
    employee('Nele Groß', {
      title: 'Buchhalterin',
      department: 'Finanzen',
      location: 'Hamburg',
      salary: 57_000,
      hired: '2018-08-01',
      manager: 'greta.vogel',
    }),
    employee('Ole Petersen', {
      title: 'Fahrer',
      department: 'Gebäude',
      location: 'Hamburg',
      salary: 39_800,
      hired: '2023-01-15',
      manager: 'lena.fischer',
    }),
  ],
});
