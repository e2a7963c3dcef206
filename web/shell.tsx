/** The frame around every staff page: navigation, recent questions, user and title bar. */
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Brand, Icon, type IconName } from './components/icon.tsx';
import { Offline } from './components/notice.tsx';
import { ThemeButton } from './components/theme-button.tsx';
import { type Recent, useRecent } from './lib/recent.ts';
import { useApp } from './lib/app.tsx';
import { signOut } from './lib/browser-session.ts';
import { useTitle } from './lib/title.ts';
import { initials } from './lib/format.ts';

const Drawer = lazy(() => import('./components/drawer.tsx'));

interface Section {
  readonly href: string;
  readonly name: string;
  readonly icon: IconName;
  readonly key?: string;
}
const SECTIONS: readonly Section[] = [
  { href: '/', name: 'Ask', icon: 'ask', key: 'N' },
  { href: '/approvals', name: 'Approvals', icon: 'shield' },
  { href: '/tools', name: 'Tools', icon: 'tools' },
  { href: '/audit', name: 'Audit log', icon: 'audit' },
];

function Status() {
  const { states, online } = useApp();
  const down = states.filter(({ state }) => state !== 'ok');
  if (!online) return <StatusLine look="warn">No connection</StatusLine>;
  if (states.length === 0) return null;
  if (down.length === 0) return <StatusLine look="ok">All services answer</StatusLine>;
  return (
    <StatusLine look="warn">
      {down.length === 1 ? `${down[0]?.server} does not answer` : `${down.length} services do not answer`}
    </StatusLine>
  );
}
const StatusLine = ({ look, children }: { readonly look: string; readonly children: ReactNode }) => (
  <p className="status">
    <span className={`dot ${look}`} aria-hidden="true" />
    {children}
  </p>
);

function Side({ path, recent }: { readonly path: string; readonly recent: readonly Recent[] }) {
  const { me, waiting } = useApp();
  const section = path === '/' || path.startsWith('/c/') ? '/' : `/${path.split('/')[1] ?? ''}`;
  // A write role includes the read role, so the read role is not shown.
  const roles = me.roles
    .filter((role) => role !== 'employee' && !(role.endsWith('-read') && me.roles.includes(role.replace(/-read$/, '-write'))))
    .join(', ')
    // A non-breaking hyphen keeps a role name on one line.
    .replaceAll('-', '\u2011');
  return (
    <>
      <Brand href="/" name="Tamshai" />
      <nav className="nav" aria-label="Sections">
        <ul>
          {SECTIONS.map(({ href, name, icon, key }) => (
            <li key={href}>
              <a href={href} aria-current={href === section ? 'page' : undefined}>
                <Icon name={icon} />
                {name}
                {href === '/approvals' && waiting.length > 0 && (
                  <span className="count">
                    {waiting.length}
                    <span className="sr"> waiting</span>
                  </span>
                )}
                {key && (
                  <span className="kbd" aria-hidden="true">
                    {key}
                  </span>
                )}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {recent.length > 0 && (
        <nav className="recent" aria-label="Recent questions">
          <h2>Recent</h2>
          <ul>
            {recent.slice(0, 8).map(({ id, title }) => (
              <li key={id}>
                <a href={`/c/${id}`} aria-current={path === `/c/${id}` ? 'page' : undefined}>
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <div className="side-foot">
        <Status />
        <div className="me">
          <span className="avatar avatar--me" aria-hidden="true">
            {initials(me.name)}
          </span>
          <a className="me-name grow" href="/settings">
            <span className="mid medium trunc">{me.name}</span>
            <span className="small faint">{roles === '' ? 'employee' : roles}</span>
            <span className="sr">Settings</span>
          </a>
          <button className="icon-btn" type="button" aria-label="Sign out" title="Sign out" onClick={() => void signOut()}>
            <Icon name="out" />
          </button>
          <ThemeButton />
        </div>
      </div>
    </>
  );
}

export interface PageFrame {
  readonly title: string;
  /** A count or a state after the title. */
  readonly badge?: ReactNode;
  readonly beside?: ReactNode;
  readonly children: ReactNode;
  /** The page has its own h1. */
  readonly bare?: boolean;
}

interface ShellProps extends PageFrame {
  readonly path: string;
  /** The title of the browser tab; by default the title of the page. */
  readonly tabTitle?: string | undefined;
}

export function Shell({ path, title, badge, beside, children, bare = false, tabTitle = title }: ShellProps) {
  useTitle(tabTitle);
  const [open, setOpen] = useState(false);
  const recent = useRecent();
  return (
    <div className="shell">
      <aside className="side" aria-label="Main">
        <Side path={path} recent={recent} />
      </aside>
      {open && (
        <Suspense fallback={null}>
          <Drawer onClose={() => setOpen(false)}>
            <Side path={path} recent={recent} />
          </Drawer>
        </Suspense>
      )}
      <div className="main">
        <header className="top">
          <button className="icon-btn menu" type="button" aria-label="Open menu" aria-expanded={open} onClick={() => setOpen(true)}>
            <Icon name="menu" className="i-20" />
          </button>
          {bare ? <span className="grow" /> : <h1 className="trunc">{title}</h1>}
          {badge}
          {!bare && <span className="grow" />}
          {beside}
        </header>
        <Offline />
        {children}
      </div>
    </div>
  );
}
