import { z } from 'zod';
import { desc } from '../../../src/declare/order.ts';
import { customers, support } from '../domain.ts';
import { category, customerArticle, words } from '../schemas.ts';

export const customerSearchKb = support.list({
  name: 'customer_search_kb',
  title: 'Help articles',
  description:
    'Help articles for customers that fit the words, the best first, with their whole text: how to set something up, what a message means, what to try.',
  lastResort: true,
  plural: 'articles',
  roles: customers,
  input: z.object({ query: words.optional(), category: category.optional() }),
  item: customerArticle,
  order: desc('_score', 'updated_at', 'article_id'),
  examples: [
    {
      question: 'How do I configure webhooks?',
      phrases: [
        'Where can I configure webhooks?',
        'Is there a guide to configure webhooks?',
        'I want to know how to configure webhooks',
        'Instructions to configure webhooks',
        'Explain how to configure webhooks',
        'Show me how to configure webhooks',
        'What steps do I take to configure webhooks?',
        'Can you help me configure webhooks?',
        'Is there documentation on how to configure webhooks?',
        'Walk me through how to configure webhooks',
        "I don't know how to configure webhooks",
      ],
      as: 'tim.tech@initech.example',
      input: { query: 'configure webhooks' },
    },
    { question: 'How can I reset my password?', as: 'bob.developer@acme.example', input: { query: 'reset password' } },
    {
      question: 'Help articles about billing',
      phrases: ['FAQ on billing', 'What can I read about billing?', 'Billing documentation'],
      as: 'peter.principal@initech.example',
      input: { category: 'billing' },
    },
    {
      question: 'What are the API limits?',
      phrases: [
        'Tell me about the API limits',
        'What do I need to know about API limits?',
        'Where can I read up on API limits?',
        'Explain the API limits',
        'Documentation of the API limits',
      ],
      as: 'mike.manager@globex.example',
      input: { query: 'API limits' },
    },
    {
      question: 'Search the customer help for passwords',
      as: 'dan.williams',
      input: { query: 'password' },
      expects: 'INSUFFICIENT_PERMISSIONS',
    },
  ],

  find: ({ query, category }, { search }) => search.from('articles', search.given({ category }), query),
});
