/** A company's own domain on search whose rows are made from a folder. */
import { z } from 'zod';
import { defineDomain } from '../../../src/declare/define.ts';
import { companyText } from '../../../src/declare/fields.ts';
import { asc } from '../../../src/declare/order.ts';
import { field } from '../../../src/declare/search.ts';

const domain = defineDomain({
  name: 'handbook',
  title: 'Handbook',
  engine: 1,
  home: import.meta.url,
  port: 3124,
  store: 'search',
  folder: {
    standard: 'handbook',
    collection: 'pages',
    fingerprint: 'print',
    revision: 1,
    row: (path, text) => ({ page_id: path.replace(/\.md$/, ''), text }),
  },
  audiences: { everyone: { roles: ['employee'], sees: 'every page' } },
  collections: { pages: { key: 'page_id', fields: { text: field.text(1), print: field.word }, rows: { everyone: 'all' } } },
});

const searchHandbook = domain.list({
  name: 'search_handbook',
  title: 'Handbook',
  description: 'Pages of the handbook that fit the words.',
  plural: 'pages',
  roles: ['employee'],
  input: z.object({ query: z.string().optional() }),
  item: z.object({ page_id: companyText, text: companyText }),
  order: asc('page_id'),
  find: ({ query }, { search }) => search.from('pages', undefined, query),
});

export const handbook = domain.install({ tools: [searchHandbook] });
