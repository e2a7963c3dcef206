/** Declares the knowledge domain: entries, triples and their history, for all staff. */
import { defineDomain } from '../../src/declare/define.ts';

export const knowledge = defineDomain({
  name: 'knowledge',
  title: 'What we know',
  engine: 1,
  home: import.meta.url,
  port: 3109,
  store: 'sql',
  audiences: { staff: { roles: ['employee'], sees: 'all entries, triples and their history' } },
  records: { item: { id: 'id', shownBy: ['query', 'query_graph'] } },
  actsAtOnce:
    'People add entries, and change only what they recorded themselves. A change of what another person recorded needs an approval.',
});
