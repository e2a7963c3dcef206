/** A sample article. `kept` is its state: public or internal (both published), draft or archived. */
export interface Article {
  readonly title: string;
  readonly category: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly content: string;
  readonly kept: 'public' | 'internal' | 'draft' | 'archived';
}

/** The content is the summary followed by the paragraphs. */
export const article = (category: string, title: string, tags: string, summary: string, ...paragraphs: readonly string[]): Article => ({
  title,
  category,
  tags: tags.split(' '),
  summary,
  content: [summary, ...paragraphs].join('\n\n'),
  kept: 'public',
});
export const kept = (as: Article['kept'], given: Article): Article => ({ ...given, kept: as });
