/** Routes each path to its page and registers the global keyboard shortcuts. */
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { Notice } from './components/notice.tsx';
import { AppProvider, useApp } from './lib/app.tsx';
import { useKeys } from './lib/keyboard.ts';
import { go, match, useAddress } from './lib/router.ts';
import { toggleTheme } from './lib/theme.ts';

const ApprovalsPage = lazy(() => import('./pages/approvals.tsx').then((page) => ({ default: page.ApprovalsPage })));
const AskPage = lazy(() => import('./pages/ask.tsx').then((page) => ({ default: page.AskPage })));
const AuditPage = lazy(() => import('./pages/audit.tsx').then((page) => ({ default: page.AuditPage })));
const Portal = lazy(() => import('./pages/portal/portal.tsx').then((page) => ({ default: page.Portal })));
const SearchBox = lazy(() => import('./components/search-box.tsx').then((page) => ({ default: page.SearchBox })));
const KeyList = lazy(() => import('./components/key-list.tsx').then((part) => ({ default: part.KeyList })));
const SessionEnded = lazy(() => import('./components/session-ended.tsx'));
const SettingsPage = lazy(() => import('./pages/settings.tsx').then((page) => ({ default: page.SettingsPage })));
const ToolsPage = lazy(() => import('./pages/tools.tsx').then((page) => ({ default: page.ToolsPage })));

function Page({ path }: { readonly path: string }) {
  const tool = match('/tools/:server/:tool', path);
  const record = match('/audit/:chain/:n', path);
  const card = match('/approvals/:id', path);
  const conversation = match('/c/:id', path);
  if (path === '/' || conversation) return <AskPage key="ask" id={conversation?.['id']} />;
  if (path === '/approvals' || card) return <ApprovalsPage id={card?.['id']} />;
  if (path === '/tools' || tool) return <ToolsPage server={tool?.['server']} tool={tool?.['tool']} />;
  if (path === '/audit' || record) return <AuditPage chain={record?.['chain']} n={record?.['n']} />;
  return <SettingsPage />;
}

const loading = (
  <main className="first" id="main" aria-busy="true">
    <span className="spin spin--20" aria-hidden="true" />
    <span className="sr" role="status">
      Loading
    </span>
  </main>
);

function SignedIn() {
  const { pathname } = useAddress();
  const { me, ended } = useApp();
  const [searching, setSearching] = useState(false);
  const [helping, setHelping] = useState(false);
  const customer = me.realm === 'customer';
  const keys = useMemo(
    () => ({
      D: toggleTheme,
      '?': () => setHelping(true),
      ...(!customer && {
        n: () => {
          go('/');
          requestAnimationFrame(() => document.querySelector<HTMLElement>('.composer textarea')?.focus());
        },
        'mod+k': () => setSearching(true),
        'g a': () => go('/approvals'),
        'g t': () => go('/tools'),
        'g u': () => go('/audit'),
      }),
    }),
    [customer],
  );
  useKeys(keys);
  return (
    <>
      <Suspense fallback={loading}>{customer ? <Portal path={pathname} /> : <Page path={pathname} />}</Suspense>
      <Suspense fallback={null}>
        {searching && <SearchBox onClose={() => setSearching(false)} />}
        {helping && <KeyList onClose={() => setHelping(false)} customer={customer} />}
        {ended && <SessionEnded name={me.name} />}
      </Suspense>
    </>
  );
}

const failed = (error: Error, again: () => void): ReactNode => (
  <main className="narrow" id="main">
    <h1 className="big">Tamshai could not be loaded</h1>
    <Notice
      look="warn"
      icon="plug"
      what={error.message}
      action={
        <button className="btn" type="button" onClick={again}>
          Try again
        </button>
      }
    >
      Nothing is lost.
    </Notice>
  </main>
);

export const App = () => (
  <AppProvider loading={loading} failed={failed}>
    <SignedIn />
  </AppProvider>
);
