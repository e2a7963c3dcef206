/** Help articles of the customer portal: search, list and one article. */
import { useEffect, useState } from 'react';
import { Icon } from '../../components/icon.tsx';
import { Prose } from '../../components/prose.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { useTool } from '../../lib/use-tool.ts';
import { labelForCode, day } from '../../lib/format.ts';

interface Article {
  readonly article_id: string;
  readonly title: string;
  readonly summary: string;
  readonly content: string;
  readonly category: string;
  readonly updated_at: string;
}

/** Articles of earlier searches. They open without another call. */
const found = new Map<string, Article>();
const remember = (articles: readonly Article[]) => {
  for (const article of articles) found.set(article.article_id, article);
  return articles;
};

export function useArticles(words: string, most: number) {
  const [query, setQuery] = useState(words);
  useEffect(() => {
    const timer = setTimeout(() => setQuery(words.trim().slice(0, 200)), 400);
    return () => clearTimeout(timer);
  }, [words]);
  const asked = useTool('support', 'customer_search_kb', { ...(query !== '' && { query }), limit: most });
  return { ...asked, articles: asked.answer?.status === 'success' ? remember(asked.answer.data as readonly Article[]) : [] };
}

export function MayHelp({ title, words }: { readonly title: string; readonly words: string }) {
  const { articles } = useArticles(words, 3);
  if (articles.length === 0 || words.trim().length < 4) return null;
  return (
    <section aria-live="polite">
      <h2 className="mid strong mb-4">{title}</h2>
      <ul className="linklist mid">
        {articles.map(({ article_id, title: name, summary }) => (
          <li key={article_id}>
            <a href={`/portal/a/${article_id}`}>
              <bdi>{name}</bdi>
              <span className="small muted block">
                <bdi>{summary}</bdi>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function ArticlesPage() {
  const [wanted, setWanted] = useState('');
  const { articles, answer, requestId, again } = useArticles(wanted, 25);
  return (
    <div className="stack">
      <h1>Help articles</h1>
      <SearchField label="Search help articles" placeholder="What do you want to do?" value={wanted} onChange={setWanted} />
      {answer?.status === 'error' && <ErrorNotice error={answer} requestId={requestId} again={again} />}
      {answer?.status === 'success' && articles.length === 0 && (
        <div className="empty">
          <Icon name="book" />
          <h2>No matching articles</h2>
          <p>Try other words or open a ticket.</p>
        </div>
      )}
      <ul className="linklist card linklist--card">
        {articles.map(({ article_id, title, summary, category }) => (
          <li key={article_id}>
            <a href={`/portal/a/${article_id}`}>
              <b className="medium">
                <bdi>{title}</bdi>
              </b>
              <span className="small muted block">
                <bdi>{summary}</bdi>
              </span>
              <span className="small faint">{labelForCode(category)}</span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function ArticlePage({ id }: { readonly id: string }) {
  const known = found.get(id);
  // No tool returns a single article, so this searches the newest 50.
  const { articles, answer } = useArticles(known?.title ?? '', 50);
  const article = known ?? articles.find(({ article_id }) => article_id === id);
  return (
    <>
      <p className="mb-4">
        <a className="btn btn--quiet btn--sm back" href="/portal/articles">
          <Icon name="back" className="i-14" />
          Help articles
        </a>
      </p>
      {article ? (
        <article className="reading">
          <h1>
            <bdi>{article.title}</bdi>
          </h1>
          <p className="small faint mt-2 mb-6">
            {labelForCode(article.category)}, updated {day(article.updated_at)}
          </p>
          <Prose text={article.content} />
        </article>
      ) : (
        answer && (
          <>
            <h1>Help article</h1>
            <p className="muted mt-4">There is no such article that you can see. Search for it by its title.</p>
          </>
        )
      )}
    </>
  );
}
