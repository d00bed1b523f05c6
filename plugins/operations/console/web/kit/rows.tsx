import type { ReactNode } from 'react';
import { usePhone } from './phone.ts';
import { useRowKeys } from './row-keys.ts';
import './rows.css';

export interface Column<Item> {
  /** Its head; `-` before it: nothing is read there, because the cells say it. */
  name: string;
  /** `c-end`, `c-wide` and others of rows.css: how wide it is, and on which screens it is left out. */
  look?: string;
  cell(item: Item): ReactNode;
}

interface Props<Item> {
  /** What the rows are: `Handlers`. */
  label: string;
  items: readonly Item[];
  /** Also the anchor of the row. */
  keyOf(item: Item): string;
  /** Its state, as an icon. */
  mark?(item: Item): ReactNode;
  /** A link to it. */
  title(item: Item): ReactNode;
  /** Behind the link, on wide screens. */
  beside?(item: Item): ReactNode;
  columns: readonly Column<Item>[];
  /** Of the first column. */
  head: string;
  /** The second line of a card on a phone. */
  second(item: Item): ReactNode;
  /** At the right of a card's first line. */
  aside?(item: Item): ReactNode;
  /** Whether its details are shown beside the list. */
  isChosen?(item: Item): boolean;
  /** At the end of a row and of a card. */
  actions?(item: Item): ReactNode;
}

/** Things of one kind as rows of one height with columns; cards on a phone. `j` and `k` move through them. */
export function Rows<Item>(props: Props<Item>) {
  const { label, items, keyOf, mark, title, beside, columns, head, actions, isChosen } = props;
  const table = useRowKeys({});
  if (usePhone()) return <Cards {...props} />;
  return (
    <table className="rows" ref={table} aria-label={label}>
      <thead>
        <tr>
          <th className="c-name">{head}</th>
          {columns.map((column) => (
            <Head key={column.name} name={column.name} look={column.look} />
          ))}
          {actions && <Head name="-Actions" look="c-menu" />}
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={keyOf(item)} id={keyOf(item)} data-row={keyOf(item)} className={isChosen?.(item) ? 'on' : undefined}>
            <td className="c-name">
              <div className="row-name">
                {mark?.(item)}
                {title(item)}
                {beside?.(item)}
              </div>
            </td>
            {columns.map((column) => (
              <td key={column.name} className={column.look}>
                {column.cell(item)}
              </td>
            ))}
            {actions && <td className="c-menu">{actions(item)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const Head = ({ name, look }: { name: string; look?: string | undefined }) => (
  // A head has the colour of heads.
  <th className={look?.replace('second', '').trim()}>
    {name.startsWith('-') ? <span className="hidden">{name.slice(1)}</span> : name}
  </th>
);

function Cards<Item>({ label, items, keyOf, mark, title, second, aside, actions }: Props<Item>) {
  return (
    <ul className="row-cards" aria-label={label}>
      {items.map((item) => (
        <li key={keyOf(item)} id={keyOf(item)}>
          {mark ? mark(item) : <span />}
          <div className="nm clip">{title(item)}</div>
          <div className="age">
            {aside?.(item)}
            {actions?.(item)}
          </div>
          <div className="l2">{second(item)}</div>
        </li>
      ))}
    </ul>
  );
}
