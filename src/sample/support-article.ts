/** One article of the knowledge base. `kept` says who reads it: customers too, staff only, or nobody yet or any more. */
export interface Article {
  readonly title: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly content: string;
  readonly kept: 'public' | 'internal' | 'draft' | 'archived';
}

/** The content is the summary and its paragraphs. */
export const article = (category: string, title: string, tags: string, summary: string, ...paragraphs: readonly string[]): Article => ({
  title,
  category,
  tags: tags.split(' '),
  summary,
  content: [summary, ...paragraphs].join('\n\n'),
  kept: 'public',
});
export const kept = (as: Article['kept'], given: Article): Article => ({ ...given, kept: as });
