import { z } from 'zod';
import { desc } from '../../../src/declare/order.ts';
import { support } from '../domain.ts';
import { category, foundArticle, words } from '../schemas.ts';

export const searchKnowledgeBase = support.list({
  name: 'search_knowledge_base',
  title: 'Knowledge base',
  description:
    'Published help articles that match the words, the best match first; without words, the latest first. ' +
    'get_knowledge_article returns the ' +
    'full text.',
  plural: 'articles',
  roles: ['support-read', 'executive'],
  input: z.object({ query: words.optional(), category: category.optional() }),
  item: foundArticle,
  order: desc('_score', 'updated_at', 'article_id'),
  examples: [
    { question: 'Search the knowledge base for single sign-on', as: 'dan.williams', input: { query: 'single sign-on' } },
    { question: 'Is there an article on API rate limits?', as: 'dan.williams', input: { query: 'API rate limits' } },
    { question: 'Help articles about billing', as: 'eve.thompson', input: { category: 'billing' } },
    { question: 'What do we tell customers about exporting to CSV?', as: 'dan.williams', input: { query: 'exporting to CSV' } },
    {
      question: 'Search the help articles for webhooks',
      as: 'nina.patel',
      input: { query: 'webhooks' },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  find: ({ query, category }, { search }) => search.from('articles', search.given({ status: 'published', category }), query),
});
