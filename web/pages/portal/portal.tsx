/** The customer portal: its navigation bar and its routes. */
import { type ReactNode, useEffect } from 'react';
import { Brand, Icon } from '../../components/icon.tsx';
import { Offline } from '../../components/notice.tsx';
import { ThemeButton } from '../../components/theme-button.tsx';
import { useApp } from '../../lib/app.tsx';
import { signOut } from '../../lib/browser-session.ts';
import { go, match } from '../../lib/router.ts';
import { findTool } from '../../lib/tools.ts';
import { useTitle } from '../../lib/title.ts';
import { initials } from '../../lib/format.ts';
import { Settings } from '../settings.tsx';
import { ArticlePage, ArticlesPage } from './articles.tsx';
import { ContactsPage } from './contacts.tsx';
import { NewTicketPage } from './new-ticket.tsx';
import { TicketPage } from './ticket.tsx';
import { TicketsPage } from './tickets.tsx';

function Bar({ path }: { readonly path: string }) {
  const { me, servers } = useApp();
  const lead = me.roles.includes('lead-customer');
  const has = (tool: string) => findTool(servers, 'support', tool) !== undefined;
  const links: readonly (readonly [string, string, RegExp, boolean])[] = [
    ['/portal', 'Tickets', /^\/portal($|\/new|\/t\/)/, has('customer_list_tickets')],
    ['/portal/articles', 'Help articles', /^\/portal\/a/, has('customer_search_kb')],
    ['/portal/contacts', 'Contacts', /^\/portal\/contacts/, has('customer_list_contacts')],
  ];
  return (
    <header className="pbar">
      <Brand href="/portal" name="Tamshai Support" />
      <nav aria-label="Sections">
        {links
          .filter(([, , , open]) => open)
          .map(([href, name, here]) => (
            <a key={href} href={href} aria-current={here.test(path) ? 'page' : undefined}>
              {name}
            </a>
          ))}
      </nav>
      <span className="grow" />
      <a className="row small muted me-link" href="/portal/settings">
        <span className="avatar avatar--me" aria-hidden="true">
          {initials(me.name)}
        </span>
        <span className="hide-s">
          <bdi>{me.name}</bdi>
          {lead && ', lead'}
        </span>
        <span className="sr">Settings</span>
      </a>
      <button className="icon-btn" type="button" aria-label="Sign out" title="Sign out" onClick={() => void signOut()}>
        <Icon name="out" />
      </button>
      <ThemeButton />
    </header>
  );
}

const TITLES: Readonly<Record<string, string>> = {
  '/portal': 'Tickets',
  '/portal/new': 'New ticket',
  '/portal/articles': 'Help articles',
  '/portal/contacts': 'Contacts',
  '/portal/settings': 'Settings',
};

function inside(path: string): ReactNode {
  const ticket = match('/portal/t/:id', path);
  const article = match('/portal/a/:id', path);
  if (ticket) return <TicketPage id={ticket['id'] ?? ''} />;
  if (article) return <ArticlePage id={article['id'] ?? ''} />;
  if (path === '/portal/new') return <NewTicketPage />;
  if (path === '/portal/articles') return <ArticlesPage />;
  if (path === '/portal/contacts') return <ContactsPage />;
  if (path === '/portal/settings') {
    return (
      <div className="page--narrow">
        <h1 className="mb-6">Settings</h1>
        <Settings />
      </div>
    );
  }
  return path === '/portal' ? <TicketsPage /> : undefined;
}

export function Portal({ path }: { readonly path: string }) {
  const page = inside(path);
  useTitle(match('/portal/t/:id', path) || match('/portal/a/:id', path) ? undefined : (TITLES[path] ?? 'Support'));
  useEffect(() => {
    if (!page) go('/portal', { replace: true });
  }, [page]);
  return (
    <>
      <Bar path={path} />
      <Offline />
      <main className="portal" id="main" tabIndex={-1}>
        {page}
      </main>
    </>
  );
}
