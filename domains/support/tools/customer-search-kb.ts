import { z } from 'zod';
import { desc } from '../../../src/declare/order.ts';
import { customers, support } from '../domain.ts';
import { category, customerArticle, words } from '../schemas.ts';

export const customerSearchKb = support.list({
  name: 'customer_search_kb',
  title: 'Help articles',
  description:
    'Help articles for customers that match the words, the best match first, with their full text: how to set something up, what a ' +
    'message means, what to try.',
  lastResort: true,
  plural: 'articles',
  roles: customers,
  input: z.object({ query: words.optional(), category: category.optional() }),
  item: customerArticle,
  order: desc('_score', 'updated_at', 'article_id'),
  examples: [
    { question: 'How do I configure webhooks?', as: 'tim.tech@initech.example', input: { query: 'configure webhooks' } },
    { question: 'How can I reset my password?', as: 'bob.developer@acme.example', input: { query: 'reset password' } },
    { question: 'Help articles about billing', as: 'peter.principal@initech.example', input: { category: 'billing' } },
    { question: 'What are the API limits?', as: 'mike.manager@globex.example', input: { query: 'API limits' } },
    {
      question: 'Search the customer help for passwords',
      as: 'dan.williams',
      input: { query: 'password' },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  find: ({ query, category }, { search }) => search.from('articles', search.given({ category }), query),
});
