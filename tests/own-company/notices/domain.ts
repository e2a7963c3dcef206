/** A company's own domain on search, with sample rows. */
import { z } from 'zod';
import { defineDomain } from '../../../src/declare/define.ts';
import { companyText } from '../../../src/declare/fields.ts';
import { asc } from '../../../src/declare/order.ts';
import { field } from '../../../src/declare/search.ts';

const domain = defineDomain({
  name: 'notices',
  title: 'Notices',
  engine: 1,
  home: import.meta.url,
  port: 3123,
  store: 'search',
  audiences: { everyone: { roles: ['employee'], sees: 'every notice' } },
  collections: { notices: { key: 'notice_id', fields: { text: field.text(1) }, rows: { everyone: 'all' } } },
});

const searchNotices = domain.list({
  name: 'search_notices',
  title: 'Notices',
  description: 'Notices that fit the words.',
  plural: 'notices',
  roles: ['employee'],
  input: z.object({ query: z.string().optional() }),
  item: z.object({ notice_id: companyText, text: companyText }),
  order: asc('notice_id'),
  find: ({ query }, { search }) => search.from('notices', undefined, query),
});

export const notices = domain.install({
  tools: [searchNotices],
  sample: {
    rows: () => [
      {
        name: 'notices',
        estimate: 2,
        documents: () => [
          { notice_id: 'n1', text: 'The canteen opens at eleven' },
          { notice_id: 'n2', text: 'The car park is closed on Friday' },
        ],
      },
    ],
  },
});
