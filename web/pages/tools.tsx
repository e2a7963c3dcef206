/** The tool explorer: all tools that the user may call, by server. */
import { useMemo, useState } from 'react';
import { Icon } from '../components/icon.tsx';
import { KindBadge } from '../components/kind-badge.tsx';
import { useApp } from '../lib/app.tsx';
import { useAddress } from '../lib/router.ts';
import { type Badge, badgeOf, findTool, type ServerInfo, type ToolInfo } from '../lib/tools.ts';
import { Shell } from '../shell.tsx';
import { ToolPage } from './tool.tsx';

const BADGES: readonly Badge[] = ['Read', 'Write', 'Own'];

const inOrder = (tools: readonly ToolInfo[]): readonly ToolInfo[] =>
  tools.toSorted((a, b) => BADGES.indexOf(badgeOf(a)) - BADGES.indexOf(badgeOf(b)));

function ToolList({
  servers,
  current,
  count,
}: {
  readonly servers: readonly ServerInfo[];
  readonly current: string;
  readonly count: number;
}) {
  const [wanted, setWanted] = useState('');
  const [kind, setKind] = useState<Badge>();
  const [browsing, setBrowsing] = useState(false);
  const words = wanted.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const shown = useMemo(
    () =>
      servers
        .map((server) => ({
          ...server,
          tools: inOrder(server.tools).filter(
            (tool) =>
              (kind === undefined || badgeOf(tool) === kind) &&
              words.every((word) =>
                `${server.name} ${server.title} ${tool.name} ${tool.title} ${tool.description}`.toLowerCase().includes(word),
              ),
          ),
        }))
        .filter(({ tools }) => tools.length > 0),
    [servers, kind, words],
  );
  const finding = words.length > 0 || kind !== undefined;
  return (
    <nav className={`toollist ${browsing || words.length > 0 || current === '' ? 'open' : ''}`} aria-label="Tools by server">
      <div className="find">
        <div className="search">
          <label className="sr" htmlFor="find-tool">
            Find a tool
          </label>
          <Icon name="search" />
          <input
            className="input"
            id="find-tool"
            type="search"
            placeholder="Find a tool"
            autoComplete="off"
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
          />
        </div>
        <button className="btn browse" type="button" aria-expanded={browsing} onClick={() => setBrowsing(!browsing)}>
          Browse {count}
        </button>
      </div>
      <div className="filters" role="group" aria-label="Kind">
        {[undefined, ...BADGES].map((each) => (
          <button key={each ?? 'All'} className="chip" type="button" aria-pressed={kind === each} onClick={() => setKind(each)}>
            {each ?? 'All'}
          </button>
        ))}
      </div>
      {shown.length === 0 && <p className="empty small">No matching tools</p>}
      {shown.map(({ name, title, tools }) => (
        <details
          key={`${name} ${finding}`}
          className="srv"
          open={finding || current.startsWith(`${name}/`) || servers.length < 4 || current === ''}
        >
          <summary>
            <Icon name="chev" className="chev" />
            {title}
            <span className="n">{tools.length}</span>
          </summary>
          {tools.map((tool) => (
            <a
              key={tool.name}
              href={`/tools/${name}/${tool.name}`}
              aria-current={current === `${name}/${tool.name}` ? 'page' : undefined}
              title={tool.title}
              onClick={() => setBrowsing(false)}
            >
              <code>{tool.name}</code>
              <KindBadge tool={tool} />
            </a>
          ))}
        </details>
      ))}
    </nav>
  );
}

export function ToolsPage({ server, tool: name }: { readonly server?: string | undefined; readonly tool?: string | undefined }) {
  const { servers } = useApp();
  const address = useAddress();
  const count = servers.reduce((sum, { tools }) => sum + tools.length, 0);
  const found = server !== undefined && name !== undefined ? findTool(servers, server, name) : undefined;
  const current = found ? `${found.server}/${found.name}` : '';
  return (
    <Shell
      path={address.pathname}
      title="Tools"
      tabTitle={found ? `${found.title}, ${found.server}` : 'Tools'}
      badge={<span className="badge">{count} you may use</span>}
      beside={
        <>
          <a className="btn btn--quiet btn--sm hide-s" href="/docs" target="_blank" rel="noreferrer">
            <Icon name="link" className="i-14" />
            API
          </a>
          <a className="btn btn--quiet btn--sm" href="/settings">
            <Icon name="plug" className="i-14" />
            Connect a client
          </a>
        </>
      }
    >
      <div className="explore">
        <ToolList servers={servers} current={current} count={count} />
        <main className="tool-page" id="main" tabIndex={-1}>
          {found ? (
            <ToolPage key={current} tool={found} query={address.searchParams.get('input')} />
          ) : (
            <div className="empty">
              <Icon name="tools" />
              <h2>{server === undefined ? 'Your tools' : `There is no tool ${server}.${name ?? ''} that you can see.`}</h2>
              <p>Choose a tool to see its input and output. Most changes need your approval.</p>
            </div>
          )}
        </main>
      </div>
    </Shell>
  );
}
