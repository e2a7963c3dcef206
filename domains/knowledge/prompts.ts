/** MCP prompts of the knowledge base. */
import { z } from 'zod';
import { line, prose } from '../../src/declare/fields.ts';
import { anywhere, type SqlReader } from '../../src/declare/sql.ts';
import { knowledge } from './domain.ts';
import { history } from './tools/history.ts';
import { query } from './tools/query.ts';
import { queryGraph } from './tools/query-graph.ts';
import { relate } from './tools/relate.ts';
import { store } from './tools/store.ts';
import { undo } from './tools/undo.ts';
import { update } from './tools/update.ts';

/** Completes topics of current entries. Topics that begin with the text come first. */
async function topics(begun: string, { sql }: { readonly sql: SqlReader }): Promise<readonly string[]> {
  const rows = await sql.many(
    z.object({ topic: z.string() }),
    sql`select topic from (select distinct topic, knowledge.plain(topic) like substr(knowledge.plain(${anywhere(begun)}::text), 2) as begins
        from knowledge.entry_versions where tx_to is null and knowledge.plain(topic) like knowledge.plain(${anywhere(begun)}::text)) t
      order by begins desc, topic limit 100`,
  );
  return rows.map(({ topic }) => topic);
}

const forStaff = { roles: ['employee'], complete: { topic: topics } } as const;

/** Quotes the user's text, so it is separate from the instructions. */
const quoted = (text: string) => text.replace(/^/gm, '> ');
const NOT_YET = 'Nothing has been written so far. A tool answer says when something was written: tell the user only what the answers say.';
const WAITS =
  'An answer with status pending_confirmation has changed nothing yet: say so, and give the user the link where a person decides.';

export const ingestMemory = knowledge.prompt({
  name: 'ingest-memory',
  title: 'Remember something',
  description: 'Searches the knowledge base first, then turns notes into new entries and relations.',
  ...forStaff,
  arguments: z.object({
    text: prose(4000).describe('The notes, in your own words'),
    topic: line(120).optional().describe('What it is about'),
    source: line(200).optional().describe('Where it comes from: a page, a meeting'),
  }),
  tools: [query, store, update, relate],
  render: ({ text, topic, source }, { tool }) =>
    [
      'I would like our knowledge base to remember the ' +
        `following${topic === undefined ? '' : `, under the topic "${topic}"`}${source === undefined ? '' : ` (source: "${source}")`}:`,
      quoted(text),
      NOT_YET,
      [
        `1. Call ${tool(query)} with the main words, to find what is already known.`,
        `2. For each new fact, call ${tool(store)} with a short topic, plain sentences as content, a few tags, the source ` +
          'and your confidence (0 to 1).',
        `3. If a known entry is no longer right, call ${tool(update)} with its id. Do not store it twice.`,
        `4. Where one thing depends on, owns or replaces another, call ${tool(relate)} with subject, predicate and object. If it ` +
          'answers with a conflict, ask me which of its choices I want.',
      ].join('\n'),
      WAITS,
      'Then list what each call answered, with the ids.',
    ].join('\n\n'),
});

export const retrieveContext = knowledge.prompt({
  name: 'retrieve-context',
  title: 'What do we know about …?',
  description: 'Collects what the knowledge base contains about a question, with ids, confidence and dates.',
  ...forStaff,
  arguments: z.object({
    question: prose(1000).describe('What you would like to know'),
    topic: line(120).optional().describe('Only entries on this topic'),
  }),
  tools: [query, queryGraph],
  render: ({ question, topic }, { tool }) =>
    [
      'Tell me what our knowledge base contains about this question:',
      quoted(question),
      [
        `1. Call ${tool(query)} with the words that matter${topic === undefined ? '' : `, and with topic "${topic}"`}. When ` +
          'metadata.hasMore is true, say that there is more, or ask for the next page.',
        `2. Call ${tool(queryGraph)} for the things that the entries are about, to find what they are related to.`,
        '3. Answer only from what was found. Name the id of each entry that you use, who recorded it and when. Source, actor and ' +
          'confidence are claims: call them claims.',
        '4. Where entries contradict each other or have run out, say so. If nothing was found, say that.',
      ].join('\n'),
      'Only read: call no tool that changes something.',
    ].join('\n\n'),
});

export const correctStaleFacts = knowledge.prompt({
  name: 'correct-stale-facts',
  title: 'Correct what is no longer true',
  description: 'Finds entries and relations about a topic that are no longer true, and proposes corrections.',
  ...forStaff,
  arguments: z.object({
    topic: line(120).describe('What to look at'),
    now_true: prose(2000).optional().describe('What is true now, if you know it'),
  }),
  tools: [query, queryGraph, history, update, relate, undo],
  render: ({ topic, now_true: now }, { tool, today }) =>
    [
      `Look for what our knowledge base says about "${topic}" that is no longer true. Today is ${today}.`,
      ...(now === undefined ? [] : ['This is true now:', quoted(now)]),
      NOT_YET,
      [
        `1. Call ${tool(query)} with topic "${topic}", and ${tool(queryGraph)} for its relations. Look at ` +
          'valid_to, recorded_at and confidence.',
        `2. Call ${tool(history)} for what looks old, to see who changed it last and why.`,
        '3. Show me a list: id, what it says, why it seems stale, what it should say. Ask me before you continue.',
        `4. For each one that I confirm, call ${tool(update)} with its id and a reason, or ${tool(relate)} for a relation. If a ` +
          `correction turns out to be wrong, ${tool(undo)} takes its transaction back.`,
      ].join('\n'),
      `A change of what another person recorded needs an approval. ${WAITS}`,
    ].join('\n\n'),
});
