/** A company's own domain on documents, with sample rows. */
import { z } from 'zod';
import { defineDomain } from '../../../src/declare/define.ts';
import { companyText } from '../../../src/declare/fields.ts';
import { asc } from '../../../src/declare/order.ts';

const domain = defineDomain({
  name: 'vehicles',
  title: 'Vehicles',
  engine: 1,
  home: import.meta.url,
  port: 3122,
  store: 'documents',
  audiences: { everyone: { roles: ['employee'], sees: 'every vehicle' } },
  collections: { vehicles: { rows: { everyone: 'all' } } },
});

const listVehicles = domain.list({
  name: 'list_vehicles',
  title: 'Vehicles',
  description: 'All vehicles.',
  plural: 'vehicles',
  roles: ['employee'],
  input: z.object({}),
  item: z.object({ _id: companyText, driver: companyText }),
  order: asc('_id'),
  find: (_input, { documents }) => documents.from('vehicles'),
});

export const vehicles = domain.install({
  tools: [listVehicles],
  sample: {
    rows: ({ company }) => [
      {
        name: 'vehicles',
        estimate: company.people.length,
        documents: () => company.people.map(({ name }, n) => ({ _id: `v${n + 1}`, driver: name })),
      },
    ],
  },
});
