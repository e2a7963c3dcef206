/** An answer's words. A little Markdown and nothing else: no HTML, no pictures, and a link only to a page of ours. */
import { Fragment, memo, type ReactNode } from 'react';

const INLINE = /(`[^`\n]+`|\*\*[^*\n]+(?:\*[^*\n]+)*\*\*|__[^_\n]+__|!?\[[^\]\n]*\]\([^)\s]*(?:\s+"[^"]*")?\))/;

function link(text: string): ReactNode {
  const [, picture, label, target] = /^(!?)\[([^\]]*)\]\(([^)\s]*)/.exec(text) ?? [];
  const url = target === undefined ? null : URL.parse(target, location.origin);
  // Only an address that is written as a path of ours. Whatever leads elsewhere is shown, not followed.
  if (!picture && target?.startsWith('/') && !target.startsWith('//') && url?.origin === location.origin)
    return <a href={url.pathname + url.search}>{label}</a>;
  return (
    <>
      {label} <span className="faint">({target})</span>
    </>
  );
}

const inline = (text: string): ReactNode =>
  text.split(INLINE).map((part, index) => {
    // Parts have no names; their place is what they are.
    const key = `${index}`;
    if (part.startsWith('`') && part.length > 2) return <code key={key}>{part.slice(1, -1)}</code>;
    if (/^(\*\*|__).+(\*\*|__)$/s.test(part)) return <strong key={key}>{part.slice(2, -2)}</strong>;
    if (/^!?\[/.test(part) && part.includes('](')) return <Fragment key={key}>{link(part)}</Fragment>;
    return <Fragment key={key}>{part}</Fragment>;
  });

const BULLET = /^\s*[-*•]\s+/;
const NUMBERED = /^\s*\d+[.)]\s+/;
const TABLE = /^\s*\|.*\|\s*$/;
const FIGURE = /^[−-]?\$?[\d,.]+%?$/;
const TITLE = /^\s*(\*\*[^*]+\*\*|#{1,6}\s.+):?\s*$/;
const cells = (line: string) =>
  line
    .trim()
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());

type Kind = 'bullets' | 'numbers' | 'table' | 'code' | 'text';
interface Block {
  readonly kind: Kind;
  readonly lines: readonly string[];
}

export function blocks(text: string): Block[] {
  const found: { kind: Kind; lines: string[] }[] = [];
  let fenced = false;
  let open = false;
  for (const line of text.split('\n')) {
    if (/^\s*```/.test(line)) {
      fenced = !fenced;
      open = fenced;
      if (fenced) found.push({ kind: 'code', lines: [] });
      continue;
    }
    const last = found.at(-1);
    if (fenced) {
      last?.lines.push(line);
      continue;
    }
    if (line.trim() === '') {
      open = false;
      continue;
    }
    const kind: Kind = BULLET.test(line) ? 'bullets' : NUMBERED.test(line) ? 'numbers' : TABLE.test(line) ? 'table' : 'text';
    if (open && last?.kind === kind) last.lines.push(line);
    else found.push({ kind, lines: [line] });
    open = true;
  }
  return found;
}

const Drawn = memo(({ kind, source }: { readonly kind: Kind; readonly source: string }) => {
  const lines = source.split('\n');
  if (kind === 'code') return <pre className="json json--well">{source}</pre>;
  if (kind === 'bullets' || kind === 'numbers') {
    const items = lines.map((line) => line.replace(kind === 'bullets' ? BULLET : NUMBERED, ''));
    const entries = items.map((item, index) => <li key={`${index}`}>{inline(item)}</li>);
    return kind === 'bullets' ? <ul>{entries}</ul> : <ol>{entries}</ol>;
  }
  if (kind === 'table') {
    const [head, ...rest] = lines.map(cells);
    const rows = rest.filter((row) => !row.every((cell) => /^:?-+:?$/.test(cell)));
    const ends = (at: number) => rows.length > 0 && rows.every((row) => FIGURE.test(row[at] ?? ''));
    return (
      <div className="md" tabIndex={0} role="region" aria-label="Table in the answer">
        <table>
          <thead>
            <tr>
              {head?.map((cell, index) => (
                <th key={`${index}`} scope="col" className={ends(index) ? 'num' : undefined}>
                  {inline(cell)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={`${index}`}>
                {row.map((cell, at) => (
                  <td key={`${at}`} className={ends(at) ? 'num' : undefined}>
                    {inline(cell)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    );
  }
  const plain = source.replace(/^#{1,6}\s+/gm, '').split('\n');
  return (
    <p>
      {plain.map((line, index) => (
        <Fragment key={`${index}`}>
          {index > 0 && <br />}
          {inline(line)}
        </Fragment>
      ))}
    </p>
  );
});
Drawn.displayName = 'Drawn';

/** Blocks that are complete are not drawn again while the last one grows. */
export function Prose({
  text,
  growing = false,
  withoutTables = false,
}: {
  readonly text: string;
  readonly growing?: boolean;
  readonly withoutTables?: boolean;
}) {
  const every = blocks(text);
  // What is drawn below needs neither its rows nor their title here.
  const titles = (at: number) => every[at + 1]?.kind === 'table' && every[at]?.lines.every((line) => TITLE.test(line)) === true;
  const all = withoutTables ? every.filter(({ kind }, at) => kind !== 'table' && !titles(at)) : every;
  return (
    <div className="prose">
      {all.map(({ kind, lines }, index) => (
        <Drawn key={`${index} ${kind}`} kind={kind} source={lines.join('\n')} />
      ))}
      {growing && <span className="caret" aria-hidden="true" />}
    </div>
  );
}
