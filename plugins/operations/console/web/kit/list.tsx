import type { ReactNode } from 'react';
import { Empty, Loading, Problem } from './basics.tsx';

interface Listed<Item> {
  items: readonly Item[] | undefined;
  error: Error | null;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  /** It reads itself to its end. */
  reading?: boolean;
  refetch(): unknown;
  fetchNextPage(): unknown;
}

interface ShowMoreProps {
  disabled?: boolean;
  onClick(): void;
  children?: ReactNode;
}

/** The button below a list of which more can be shown. */
export const ShowMore = ({ disabled = false, onClick, children = 'Show more' }: ShowMoreProps) => (
  <p className="list-more">
    <button type="button" disabled={disabled} onClick={onClick}>
      {children}
    </button>
  </p>
);

/** A list with what it says while it is read, when it is empty and when it cannot be read. */
export function List<Item>({
  list,
  empty,
  nothing,
  more = 'Show more',
  children,
}: {
  list: Listed<Item>;
  /** What is said when there is none. */
  empty?: ReactNode;
  /** In place of it: with an icon and the next step. */
  nothing?: ReactNode;
  more?: string;
  children(items: readonly Item[]): ReactNode;
}) {
  const { items, error } = list;
  const searching = items?.length === 0 && list.hasNextPage;
  return (
    <>
      {error && <Problem error={error} again={() => void list.refetch()} />}
      {(!items || searching) && !error && <Loading />}
      {items?.length === 0 && !searching && (nothing ?? <Empty>{empty}</Empty>)}
      {items && items.length > 0 && children(items)}
      {list.hasNextPage && !searching && !list.reading && (
        <ShowMore disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {more}
        </ShowMore>
      )}
    </>
  );
}

/** Columns whose name begins with `-` are left out on narrow screens. */
export function Table({ columns, children }: { columns: readonly string[]; children: ReactNode }) {
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <Column key={name} name={name} />
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function Column({ name }: { name: string }) {
  if (name === 'Actions')
    return (
      <th>
        <span className="hidden">Actions</span>
      </th>
    );
  return name.startsWith('-') ? <th className="wide">{name.slice(1)}</th> : <th>{name}</th>;
}
