/** Declares the journey domain: a search index of the project history, a folder of Markdown files. */
import { defineDomain } from '../../src/declare/define.ts';
import { field } from '../../src/declare/search.ts';
import { READING, rowOf } from './record.ts';

export const journey = defineDomain({
  name: 'journey',
  title: 'Project history',
  engine: 1,
  home: import.meta.url,
  port: 3105,
  store: 'search',
  folder: {
    standard: 'docs/journey',
    help: 'the beginning of the file name or of the title is the kind of the entry: `adr-`, `failure-`, `pivot-`, `lesson-`, `recovery-`.',
    collection: 'records',
    fingerprint: 'digest',
    revision: READING,
    row: (path, text) => ({ ...rowOf(path, text) }),
  },
  audiences: { staff: { roles: ['employee', 'executive'], sees: 'every record of the project’s history' } },
  collections: {
    /** One row per Markdown file, written only when the process starts. */
    records: {
      key: 'record_id',
      fields: {
        title: field.text(5),
        topics: field.text(4),
        components: field.text(3),
        summary: field.text(1),
        content: field.text(1),
        key: field.word,
        kind: field.word,
        number: field.number,
        day: field.word,
        topic_keys: field.words,
        component_keys: field.words,
        versions: field.words,
        digest: field.word,
      },
      rows: { staff: 'all' },
      indexes: [['day'], ['kind', 'day']],
    },
  },
});

export const staff = ['employee', 'executive'] as const;
