/** Renders Markdown. HTML and images stay text, and only paths of this site become links. */
import { Fragment, memo, type ReactNode } from 'react';
import { type Block, type Inline, parseBlocks, parseInline, parseTable, withoutMark } from '../../src/declare/markdown.ts';

function Link({ label, target }: { readonly label: string; readonly target: string }) {
  const url = URL.parse(target, location.origin);
  // "//host" and "/\host" begin like a path, but browsers resolve them to another site. So this checks the origin of the parsed URL.
  if (target.startsWith('/') && !target.startsWith('//') && url?.origin === location.origin)
    return <a href={url.pathname + url.search}>{label}</a>;
  return (
    <>
      {label} <span className="faint">({target})</span>
    </>
  );
}

function renderNode(node: Inline): ReactNode {
  switch (node.type) {
    case 'inlineCode':
      return <code>{node.value}</code>;
    case 'strong':
      return <strong>{node.children.map(keyed)}</strong>;
    case 'link':
      return <Link label={node.value} target={node.url} />;
    case 'image':
      return (
        <>
          {node.value} <span className="faint">({node.url})</span>
        </>
      );
    case 'text':
      return node.value;
  }
}
// A node has no id, so its index is the key.
const keyed = (node: Inline, index: number): ReactNode => <Fragment key={`${index}`}>{renderNode(node)}</Fragment>;
const inline = (text: string): ReactNode => parseInline(text).nodes.map(keyed);

function MarkdownTable({ lines }: { readonly lines: readonly string[] }) {
  const { head, rows, numeric } = parseTable(lines);
  const classOf = (column: number) => (numeric[column] ? 'num' : undefined);
  return (
    <div className="md" tabIndex={0} role="region" aria-label="Table in the answer">
      <table>
        <thead>
          <tr>
            {head.map((cell, column) => (
              <th key={`${column}`} scope="col" className={classOf(column)}>
                {inline(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={`${index}`}>
              {row.map((cell, column) => (
                <td key={`${column}`} className={classOf(column)}>
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

/** While an answer grows, `memo` prevents a new rendering of its finished blocks. */
const MarkdownBlock = memo(({ type, source }: { readonly type: Block['type']; readonly source: string }) => {
  const lines = source.split('\n');
  if (type === 'code') return <pre className="json json--well">{source}</pre>;
  if (type === 'table') return <MarkdownTable lines={lines} />;
  if (type === 'paragraph')
    return (
      <p>
        {lines.map((line, index) => (
          <Fragment key={`${index}`}>
            {index > 0 && <br />}
            {inline(withoutMark(line, 'heading'))}
          </Fragment>
        ))}
      </p>
    );
  const [List, mark] = type === 'bulletList' ? (['ul', 'bullet'] as const) : (['ol', 'ordered'] as const);
  return (
    <List>
      {lines.map((line, index) => (
        <li key={`${index}`}>{inline(withoutMark(line, mark))}</li>
      ))}
    </List>
  );
});
MarkdownBlock.displayName = 'MarkdownBlock';

const TITLE = /^\s*(\*\*[^*]+\*\*|#{1,6}\s.+):?\s*$/;

export function Prose({
  text,
  growing = false,
  withoutTables = false,
}: {
  readonly text: string;
  readonly growing?: boolean;
  readonly withoutTables?: boolean;
}) {
  const blocks = parseBlocks(text);
  const isTableTitle = (at: number) => blocks[at + 1]?.type === 'table' && blocks[at]?.lines.every((line) => TITLE.test(line)) === true;
  // A data table below the text already shows these rows.
  const shown = withoutTables ? blocks.filter(({ type }, at) => type !== 'table' && !isTableTitle(at)) : blocks;
  return (
    <div className="prose">
      {shown.map(({ type, lines }, index) => (
        <MarkdownBlock key={`${index} ${type}`} type={type} source={lines.join('\n')} />
      ))}
      {growing && <span className="caret" aria-hidden="true" />}
    </div>
  );
}
