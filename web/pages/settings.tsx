/** Settings: account, theme, keyboard shortcuts and the address for MCP clients. */
import { useState } from 'react';
import { CopyButton } from '../components/copy-button.tsx';
import { useApp } from '../lib/app.tsx';
import { keysAreOn, switchKeys } from '../lib/keyboard.ts';
import { signOut } from '../lib/browser-session.ts';
import { useAddress } from '../lib/router.ts';
import { chooseTheme, type Theme, theme } from '../lib/theme.ts';
import { Shell } from '../shell.tsx';

const THEMES: readonly (readonly [Theme, string])[] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

export function Settings() {
  const { me } = useApp();
  const [chosen, setChosen] = useState(theme);
  const [keys, setKeys] = useState(keysAreOn);
  const endpoint = `${location.origin}/mcp`;
  return (
    <>
      <section className="card" aria-labelledby="you">
        <header>
          <h2 id="you">You</h2>
          <button className="btn" type="button" onClick={() => void signOut()}>
            Sign out
          </button>
        </header>
        <dl className="kv pad">
          <dt>Name</dt>
          <dd>
            <bdi>{me.name}</bdi>
          </dd>
          <dt>Signed in as</dt>
          <dd>
            <bdi>{me.email || me.username}</bdi>
          </dd>
          <dt>Roles</dt>
          <dd>{me.roles.join(', ')}</dd>
        </dl>
      </section>
      <section className="card" aria-labelledby="looks">
        <header>
          <h2 id="looks">Appearance and shortcuts</h2>
        </header>
        <div className="pad">
          <div className="row between row-wrap">
            <span className="mid">Theme</span>
            <div className="seg" role="group" aria-label="Theme">
              {THEMES.map(([name, label]) => (
                <button
                  key={name}
                  type="button"
                  aria-pressed={chosen === name}
                  onClick={() => {
                    chooseTheme(name);
                    setChosen(name);
                  }}
                >
                  {label}
                </button>
              ))}
            </div>
          </div>
          <label className="row between row-wrap">
            <span className="mid">Use single-letter shortcuts</span>
            <input
              type="checkbox"
              checked={keys}
              onChange={({ target }) => {
                switchKeys(target.checked);
                setKeys(target.checked);
              }}
            />
          </label>
        </div>
      </section>
      {me.realm === 'staff' && (
        <section className="card" aria-labelledby="connect">
          <header>
            <h2 id="connect">Connect an assistant</h2>
          </header>
          <div className="pad">
            <p className="muted mid">Enter this address in Claude, ChatGPT, your editor or any other MCP client, then sign in.</p>
            <div className="address">
              <code>{endpoint}</code>
              <CopyButton label="Copy" text={() => endpoint} />
            </div>
          </div>
        </section>
      )}
    </>
  );
}

export function SettingsPage() {
  const { pathname } = useAddress();
  return (
    <Shell path={pathname} title="Settings">
      <main className="page page--narrow" id="main" tabIndex={-1}>
        <Settings />
      </main>
    </Shell>
  );
}
