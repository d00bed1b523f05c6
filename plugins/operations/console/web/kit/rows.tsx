import type { ReactNode } from 'react';
import { usePhone } from './phone.ts';
import { useRowKeys } from './row-keys.ts';
import './rows.css';

export interface Column<Item> {
  /** The column's heading. With a leading `-`, only screen readers get it, because the cells explain themselves. */
  name: string;
  /**
   * Classes of rows.css: `c-…` sets the width or hides the column on narrow screens (`c-wide` up to 1000 px, `c-roomy` up to
   * 1320 px); `second` makes the cells grey.
   */
  look?: string;
  cell(item: Item): ReactNode;
}

interface Props<Item> {
  /** What the rows are, for screen readers: `Handlers`. */
  label: string;
  items: readonly Item[];
  /** Identifies a row; also its anchor in the address. */
  keyOf(item: Item): string;
  /** An icon that shows the item's state. */
  mark?(item: Item): ReactNode;
  /** A link to the item's page. */
  title(item: Item): ReactNode;
  /** Shown after the link in the first column, but not on a phone. */
  beside?(item: Item): ReactNode;
  columns: readonly Column<Item>[];
  /** The heading of the first column. */
  head: string;
  /** On a phone, the second line of the item's card, instead of the columns. */
  second(item: Item): ReactNode;
  /** On a phone, shown at the right end of the card's first line. */
  aside?(item: Item): ReactNode;
  /** True for the item whose details are open beside the list. */
  isChosen?(item: Item): boolean;
  /** A menu at the end of a row or card. */
  actions?(item: Item): ReactNode;
}

/** A table of items of one kind, or on a phone a list of cards. The keys `j` and `k` move between the rows. */
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
  // `second` colours only cells, not headings.
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
