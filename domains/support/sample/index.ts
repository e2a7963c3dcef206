/** Sample data of support: tickets, articles and customer organisations. */
import { between } from '../../sample-company/random.ts';
import type { SampleCollection, SampleDocument } from '../../../src/declare/sample.ts';
import { numbered } from '../../sales/sample/team.ts';
import { type Agent, supportTeam } from './agents.ts';
import type { Article } from './article.ts';
import { articles } from './articles.ts';
import { organizationRow, supportCustomers } from './customers.ts';
import { ticketsOf } from './tickets.ts';

export interface SupportSampleOptions {
  /** How many people the company has. */
  readonly employees: number;
  readonly today: Date;
  /** Default: 1,000, and more in a large company. */
  readonly tickets?: number;
}

const DAY = 86_400_000;
const FEWEST = 1000;
const MOST = 1_000_000;

export function supportSample({ employees, today, tickets }: SupportSampleOptions): readonly SampleCollection[] {
  const count = tickets ?? Math.min(MOST, Math.max(FEWEST, employees * 2));
  const { agents, writers } = supportTeam(employees);
  const customers = supportCustomers({ employees, today });
  const portals = customers.filter(({ portal }) => portal);
  return [
    { name: 'tickets', estimate: count, documents: () => ticketsOf({ count, now: today.getTime(), agents, customers }) },
    { name: 'articles', estimate: articles.length, documents: () => articles.map((each, n) => articleRow(each, n, writers, today)) },
    { name: 'organizations', estimate: portals.length, documents: () => portals.map((each) => organizationRow(each, today)) },
  ];
}

function articleRow(
  { title, category, tags, summary, content, kept }: Article,
  n: number,
  writers: readonly Agent[],
  today: Date,
): SampleDocument {
  const age = between(40, 700, n, 261);
  const published = kept === 'public' || kept === 'internal';
  const views = published ? between(30, 2400, n, 262) : 0;
  return {
    article_id: numbered('0b100000', n + 1),
    title,
    content,
    summary,
    category,
    tags,
    author: writers[n % writers.length]?.name ?? '',
    status: published ? 'published' : kept,
    audience: kept === 'public' ? 'public' : 'internal',
    view_count: views,
    helpful_votes: Math.round((views * between(5, 40, n, 263)) / 100),
    created_at: new Date(Math.floor((today.getTime() - age * DAY) / 1000) * 1000).toISOString(),
    updated_at: new Date(Math.floor((today.getTime() - between(1, age, n, 264) * DAY) / 1000) * 1000).toISOString(),
  };
}
