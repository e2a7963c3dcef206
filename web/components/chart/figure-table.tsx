/** A small table of figures. Each row can open the rows of the list that its figures are made from. */
import type { ReactNode } from 'react';

export interface TableCell {
  readonly text: string | undefined;
  readonly isFigure: boolean;
}
export interface TableRow {
  readonly key: string;
  readonly cells: readonly TableCell[];
  /** Opens the rows behind the figures. */
  readonly onOpen?: (() => void) | undefined;
  readonly isOpen?: boolean;
}
interface FigureTableProps {
  readonly title: string;
  readonly columns: readonly { readonly label: string; readonly isFigure: boolean }[];
  readonly rows: readonly TableRow[];
  readonly totals?: readonly TableCell[] | undefined;
}

/** The name of a group, as a button if its rows can be opened. */
export const GroupName = ({
  onOpen,
  isOpen,
  children,
}: {
  readonly onOpen?: (() => void) | undefined;
  readonly isOpen?: boolean | undefined;
  readonly children: string;
}) =>
  onOpen ? (
    <button className="fig-open" type="button" aria-pressed={isOpen ?? false} title="Show these rows" onClick={onOpen}>
      <bdi>{children}</bdi>
    </button>
  ) : (
    <bdi>{children}</bdi>
  );

const content = (text: string | undefined): ReactNode => (text === undefined ? <span className="faint">–</span> : <bdi>{text}</bdi>);

export const FigureTable = ({ title, columns, rows, totals }: FigureTableProps) => (
  <div className="fig-figures" role="region" aria-label={`${title}: table`} tabIndex={0}>
    <table className="figures">
      <caption className="sr">{title}</caption>
      <thead>
        <tr>
          {columns.map(({ label, isFigure }) => (
            <th key={label} scope="col" className={isFigure ? 'num' : undefined}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells, onOpen, isOpen }) => (
          <tr key={key} className={isOpen ? 'open' : undefined}>
            {cells.map(({ text, isFigure }, at) =>
              at === 0 ? (
                <th key={columns[at]?.label} scope="row">
                  <GroupName onOpen={onOpen} isOpen={isOpen}>
                    {text ?? '–'}
                  </GroupName>
                </th>
              ) : (
                <td key={columns[at]?.label} className={isFigure ? 'num' : undefined}>
                  {content(text)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
      {totals && (
        <tfoot>
          <tr>
            {totals.map(({ text, isFigure }, at) =>
              at === 0 ? (
                <th key={columns[at]?.label} scope="row">
                  {text}
                </th>
              ) : (
                <td key={columns[at]?.label} className={isFigure ? 'num' : undefined}>
                  {text}
                </td>
              ),
            )}
          </tr>
        </tfoot>
      )}
    </table>
  </div>
);
