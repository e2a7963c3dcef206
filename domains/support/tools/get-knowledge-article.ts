import { z } from 'zod';
import { support } from '../domain.ts';
import { article, articleId } from '../schemas.ts';

export const getKnowledgeArticle = support.read({
  name: 'get_knowledge_article',
  title: 'Help article',
  description: 'The full text of one article of the knowledge base, also of a draft or an archived article.',
  roles: ['support-read', 'executive'],
  input: z.object({ article_id: articleId }),
  output: article,
  errors: { ARTICLE_NOT_FOUND: 'Find the id with search_knowledge_base.' },
  examples: [
    { question: 'Open the article on API rate limits', as: 'dan.williams', input: { article_id: '0b100000-0000-4000-8000-000000000003' } },
    {
      question: 'Show me how to reset a password, the whole article',
      as: 'eve.thompson',
      input: { article_id: '0b100000-0000-4000-8000-000000000001' },
    },
    {
      question: 'Read the guide to configuring webhooks',
      as: 'dan.williams',
      input: { article_id: '0b100000-0000-4000-8000-000000000006' },
    },
    {
      question: 'Open article 0b1fffff-0000-4000-8000-000000000000',
      as: 'dan.williams',
      input: { article_id: '0b1fffff-0000-4000-8000-000000000000' },
      expects: 'ARTICLE_NOT_FOUND',
    },
  ],

  run: async ({ article_id }, { search, output, fail }) =>
    (await search.get(output, 'articles', article_id)) ?? fail('ARTICLE_NOT_FOUND', { article_id }),
  summary: ({ title }) => title,
});
