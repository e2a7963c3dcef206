/** The state that all pages share: user, tools, pending confirmations, server states and connection. */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { setCompany } from './company.ts';
import { get, fetchJson, onSessionEnded, ApiError } from './api.ts';
import { clearBrowserData, onTabMessage, postToOtherTabs } from './browser-session.ts';
import type { ServerInfo } from './tools.ts';
import type { Confirmation, Readiness, ServerState, ToolList, User } from './contract.ts';

export type Me = User;

export interface App {
  readonly me: Me;
  readonly servers: readonly ServerInfo[];
  readonly waiting: readonly Confirmation[];
  readonly states: readonly ServerState[];
  readonly online: boolean;
  readonly ended: boolean;
  /** Reloads the pending confirmations. `decided` reloads them in every tab. */
  refresh(): void;
  /** A request got no answer. */
  lost(): void;
  decided(): void;
  /** Reloads user and tools, because a decision can change the user's roles. */
  reload(): void;
}

const Context = createContext<App | undefined>(undefined);
export function useApp(): App {
  const app = useContext(Context);
  if (!app) throw new Error('useApp is called outside AppProvider');
  return app;
}

const WAITING_MS = 10_000;
const STATES_MS = 30_000;

/** Runs while the page is visible, and immediately when it becomes visible. */
function useInterval(work: () => void, ms: number, active: boolean): void {
  useEffect(() => {
    if (!active) return;
    const run = () => {
      if (document.visibilityState === 'visible') work();
    };
    run();
    const timer = setInterval(run, ms);
    document.addEventListener('visibilitychange', run);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', run);
    };
  }, [work, ms, active]);
}

export function AppProvider({
  loading,
  failed,
  children,
}: {
  readonly loading: ReactNode;
  readonly failed: (error: ApiError, again: () => void) => ReactNode;
  readonly children: ReactNode;
}) {
  const [known, setKnown] = useState<{ me: Me; servers: readonly ServerInfo[] }>();
  const [trouble, setTrouble] = useState<ApiError>();
  const [waiting, setWaiting] = useState<readonly Confirmation[]>([]);
  const [states, setStates] = useState<readonly ServerState[]>([]);
  const [online, setOnline] = useState(navigator.onLine);
  const [ended, setEnded] = useState(false);

  const load = useCallback(async () => {
    try {
      const [me, { servers }] = await Promise.all([get<Me>('/api/user/info'), get<ToolList>('/api/user/mcp-tools')]);
      setCompany(me.company);
      setKnown({ me, servers });
      setTrouble(undefined);
      postToOtherTabs({ is: 'here', username: me.username });
    } catch (error) {
      if (error instanceof ApiError) setTrouble(error);
      else throw error;
    }
  }, []);
  const refresh = useCallback(async () => {
    try {
      setWaiting(await get<readonly Confirmation[]>('/api/confirmations'));
      setOnline(true);
    } catch (error) {
      if (error instanceof ApiError && error.answer.code === 'OFFLINE') setOnline(false);
    }
  }, []);
  const look = useCallback(async () => {
    try {
      const { body } = await fetchJson('/ready');
      const { servers } = body as Readiness;
      if (servers) setStates(servers);
    } catch {
      setOnline(false);
    }
  }, []);

  useEffect(() => void load(), [load]);
  useEffect(() => onSessionEnded(() => setEnded(true)), []);
  useEffect(() => {
    const [up, down] = [() => void refresh(), () => setOnline(false)];
    addEventListener('online', up);
    addEventListener('offline', down);
    return () => {
      removeEventListener('online', up);
      removeEventListener('offline', down);
    };
  }, [refresh]);
  const username = known?.me.username;
  useEffect(
    () =>
      onTabMessage((message) => {
        if (message.is === 'decided') void refresh();
        // In another tab, the user signed out or another user signed in. This tab must not show data any more.
        if (message.is === 'left' || (message.is === 'here' && username !== undefined && message.username !== username)) {
          clearBrowserData();
          location.assign('/');
        }
      }),
    [refresh, username],
  );
  const running = known !== undefined && !ended;
  useInterval(refresh, online ? WAITING_MS : 3000, running);
  useInterval(look, STATES_MS, running && known.me.realm === 'staff');

  const app = useMemo<App | undefined>(
    () =>
      known && {
        ...known,
        waiting,
        states,
        online,
        ended,
        refresh: () => void refresh(),
        lost: () => setOnline(false),
        decided: () => {
          postToOtherTabs({ is: 'decided' });
          void refresh();
        },
        reload: () => void load(),
      },
    [known, waiting, states, online, ended, refresh, load],
  );
  if (!app) return trouble ? failed(trouble, () => void load()) : loading;
  return <Context value={app}>{children}</Context>;
}
