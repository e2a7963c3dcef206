/** The search dialog: pages, own conversations and tools. */
import { Dialog } from '@base-ui/react/dialog';
import { useMemo, useState } from 'react';
import { useApp } from '../lib/app.tsx';
import { useRecent } from '../lib/recent.ts';
import { go } from '../lib/router.ts';
import { allOf } from '../lib/tools.ts';
import { Icon, type IconName } from './icon.tsx';

interface Hit {
  readonly to: string;
  readonly title: string;
  readonly beside: string;
  readonly icon: IconName;
}
const PLACES: readonly Hit[] = [
  { to: '/', title: 'Ask', beside: 'page', icon: 'ask' },
  { to: '/approvals', title: 'Approvals', beside: 'page', icon: 'shield' },
  { to: '/tools', title: 'Tools', beside: 'page', icon: 'tools' },
  { to: '/audit', title: 'Audit log', beside: 'page', icon: 'audit' },
  { to: '/settings', title: 'Settings', beside: 'page', icon: 'plug' },
];
const MOST = 9;

export function SearchBox({ onClose }: { readonly onClose: () => void }) {
  const { servers } = useApp();
  const recent = useRecent();
  const [wanted, setWanted] = useState('');
  const [at, setAt] = useState(0);
  const all = useMemo<readonly Hit[]>(
    () => [
      ...PLACES,
      ...recent.map(({ id, title }) => ({ to: `/c/${id}`, title, beside: 'question', icon: 'ask' as const })),
      ...allOf(servers).map(({ server, name, title }) => ({
        to: `/tools/${server}/${name}`,
        title,
        beside: `${server}.${name}`,
        icon: 'tools' as const,
      })),
    ],
    [servers, recent],
  );
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = all.filter(({ title, beside }) => words.every((word) => `${title} ${beside}`.toLowerCase().includes(word))).slice(0, MOST);
  const open = (hit: Hit | undefined) => {
    if (!hit) return;
    onClose();
    go(hit.to);
  };
  return (
    <Dialog.Root open onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim scrim--page" />
        <Dialog.Popup className="dialog dialog--top" aria-label="Search">
          <div className="search">
            <Icon name="search" />
            <input
              className="input"
              role="combobox"
              aria-expanded="true"
              aria-controls="search-hits"
              aria-activedescendant={hits[at] ? `hit-${at}` : undefined}
              aria-label="Search pages, questions and tools"
              placeholder="Pages, questions, tools"
              value={wanted}
              onChange={({ target }) => {
                setWanted(target.value);
                setAt(0);
              }}
              onKeyDown={(event) => {
                if (event.key === 'ArrowDown') setAt((before) => Math.min(before + 1, hits.length - 1));
                else if (event.key === 'ArrowUp') setAt((before) => Math.max(before - 1, 0));
                else if (event.key === 'Enter') open(hits[at]);
                else return;
                event.preventDefault();
              }}
            />
          </div>
          <ul className="hits" id="search-hits" role="listbox" aria-label="Found">
            {hits.map((hit, index) => (
              <li
                key={hit.to}
                id={`hit-${index}`}
                role="option"
                aria-selected={index === at}
                onClick={() => open(hit)}
                onPointerMove={() => setAt(index)}
              >
                <Icon name={hit.icon} />
                <span className="grow trunc">{hit.title}</span>
                <span className="small faint">{hit.beside}</span>
              </li>
            ))}
          </ul>
          {hits.length === 0 && <p className="small faint p-5">No results</p>}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
