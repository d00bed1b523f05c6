import { Braces, Brackets, Hash, type LucideIcon, ToggleLeft, Type } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { visible } from '../../kit/text.ts';
import { brief, celOf, type Grid, type Kind, kindOf, membersOf, type Path, restOf, tablesOf } from './paths.ts';

/** One thing that expressions can read. */
export interface Root {
  path: Path;
  /** How people know it: the title of its node. */
  title: string;
  value: unknown;
  /** Beside its name. */
  actions?: ReactNode;
}

interface Props {
  label: string;
  roots: readonly Root[];
  /** Absent: the data is only looked at. */
  onChoose?: ((cel: string) => void) | undefined;
}

const ICONS: Record<Kind, LucideIcon> = {
  object: Braces,
  list: Brackets,
  text: Type,
  number: Hash,
  boolean: ToggleLeft,
  null: Braces,
};

/** Members of one value that are drawn until somebody asks for all of them. */
const MOST = 100;

interface Row {
  path: Path;
  value: unknown;
  depth: number;
  /** `nodes.order.output` of a root, otherwise the name of the member. */
  name: string;
  title?: string;
  root?: Root;
  /** So many further members are not drawn. */
  more?: number;
}

/** What one value opens with: the way to the first member that has several. */
function openedAtFirst(roots: readonly Root[]): Set<string> {
  const open = new Set<string>();
  for (const root of roots) {
    let [path, value] = [root.path, root.value];
    for (;;) {
      const members = membersOf(value);
      if (members.length === 0) break;
      open.add(celOf(path));
      const holding = members.filter(([, one]) => membersOf(one).length > 0);
      if (holding.length !== 1 || members.length > 3) break;
      path = [...path, holding[0]![0]];
      value = holding[0]![1];
    }
  }
  return open;
}

function rowsOf(roots: readonly Root[], open: ReadonlySet<string>, whole: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  const visit = (path: Path, value: unknown, depth: number) => {
    const key = celOf(path);
    if (!open.has(key)) return;
    const members = membersOf(value);
    const shown = whole.has(key) ? members : members.slice(0, MOST);
    for (const [name, one] of shown) {
      const at = [...path, name];
      rows.push({ path: at, value: one, depth, name: typeof name === 'number' ? `[${name}]` : name });
      visit(at, one, depth + 1);
    }
    if (shown.length < members.length)
      rows.push({ path, value: undefined, depth, name: '', more: members.length - shown.length });
  };
  for (const root of roots) {
    rows.push({ path: root.path, value: root.value, depth: 0, name: celOf(root.path), title: root.title, root });
    visit(root.path, root.value, 1);
  }
  return rows;
}

const keyOf = (row: Row): string => `${celOf(row.path)}${row.more ? ' more' : ''}`;

/** Data as a tree. One stop for the keyboard: arrows move and open, Enter chooses. */
export function DataTree({ label, roots, onChoose }: Props) {
  // What is open when the data is first there; what somebody opens and closes afterwards is theirs.
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const [at, setAt] = useState<string>();
  const tree = useRef<HTMLDivElement>(null);
  const open = openedAtFirst(roots);
  for (const [key, isOpen] of changed) {
    if (isOpen) open.add(key);
    else open.delete(key);
  }
  const rows = rowsOf(roots, open, expanded);
  const active = Math.max(
    0,
    rows.findIndex((row) => keyOf(row) === at),
  );
  const set = (key: string, isOpen: boolean) => setChanged(new Map(changed).set(key, isOpen));
  const go = (n: number) => {
    const row = rows[Math.min(Math.max(0, n), rows.length - 1)];
    if (!row) return;
    setAt(keyOf(row));
    tree.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(keyOf(row))}"]`)?.focus();
  };
  const take = (row: Row) => {
    const key = celOf(row.path);
    if (row.more) setExpanded(new Set(expanded).add(key));
    else if (onChoose) onChoose(key);
    else if (membersOf(row.value).length > 0) set(key, !open.has(key));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[active];
    if (!row || (event.target as HTMLElement).closest('button')) return;
    const key = celOf(row.path);
    const holds = !row.more && membersOf(row.value).length > 0;
    if (event.key === 'ArrowDown') go(active + 1);
    else if (event.key === 'ArrowUp') go(active - 1);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(rows.length - 1);
    else if (event.key === 'ArrowRight' && holds && open.has(key)) go(active + 1);
    else if (event.key === 'ArrowRight' && holds) set(key, true);
    else if (event.key === 'ArrowLeft' && holds && open.has(key)) set(key, false);
    else if (event.key === 'ArrowLeft') go(rows.findLastIndex(({ depth }, n) => n < active && depth < row.depth));
    else if (event.key === 'Enter' || event.key === ' ') take(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={tree} className="data-tree" role="tree" aria-label={label} onKeyDown={onKeyDown}>
      {rows.map((row, n) => (
        <TreeRow
          key={keyOf(row)}
          row={row}
          open={membersOf(row.value).length > 0 ? open.has(celOf(row.path)) : undefined}
          active={n === active}
          onOpen={(isOpen) => set(celOf(row.path), isOpen)}
          onFocus={() => setAt(keyOf(row))}
          onTake={() => take(row)}
        />
      ))}
    </div>
  );
}

interface RowProps {
  row: Row;
  open: boolean | undefined;
  active: boolean;
  onOpen(open: boolean): void;
  onFocus(): void;
  onTake(): void;
}

function TreeRow({ row, open, active, onOpen, onFocus, onTake }: RowProps) {
  const { root, name, value, more, depth } = row;
  const Icon = ICONS[kindOf(value)];
  const words = root ? (row.title === name ? '' : row.title!) : '';
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys
    <div
      role="treeitem"
      aria-level={depth + 1}
      aria-expanded={open}
      aria-selected={active}
      tabIndex={active ? 0 : -1}
      data-row={keyOf(row)}
      className={`data-row depth-${Math.min(depth, 12)}`}
      draggable={!more}
      onDragStart={({ dataTransfer }) => dataTransfer.setData('text/plain', celOf(row.path))}
      onFocus={onFocus}
      onClick={onTake}
    >
      {more ? (
        <span className="link">{`Show ${more} more`}</span>
      ) : (
        <>
          <span
            className="data-kind"
            aria-hidden="true"
            onClick={(event) => {
              if (open === undefined) return;
              event.stopPropagation();
              onOpen(!open);
            }}
          >
            <Icon size={11} />
          </span>
          <span className="data-name mono">{visible(name)}</span>
          <span className="data-value quiet">
            {visible(words || (root && value === undefined ? '' : brief(value)))}
          </span>
          {root?.actions}
        </>
      )}
    </div>
  );
}

/** Data as tables: single values by name, and lists of objects with a row for each. */
export function DataTables({ label, roots, onChoose }: Props) {
  return (
    <section className="data-tables" aria-label={label}>
      {roots.map((root) => (
        <Tables key={celOf(root.path)} root={root} single={roots.length === 1} onChoose={onChoose} />
      ))}
    </section>
  );
}

function Tables({ root, single, onChoose }: { root: Root; single: boolean; onChoose: Props['onChoose'] }) {
  const { leaves, grids, more } = tablesOf(root.value, root.path);
  const skip = root.path.length;
  return (
    <>
      {!single && (
        <p className="data-head">
          <span className="mono">{visible(celOf(root.path))}</span>{' '}
          <span className="quiet">{visible(root.title === celOf(root.path) ? '' : root.title)}</span>
        </p>
      )}
      {leaves.length > 0 && (
        <table className="data-table">
          <thead className="hidden">
            <tr>
              <th scope="col">Member</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {leaves.map(([path, value]) => (
              <tr key={celOf(path)}>
                <th scope="row">
                  <Choice cel={celOf(path)} onChoose={onChoose}>
                    {restOf(path, skip) || 'value'}
                  </Choice>
                </th>
                <td>{visible(typeof value === 'string' ? brief(value).replaceAll(/^"|"$/g, '') : brief(value))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {grids.map((grid) => (
        <GridTable key={celOf(grid.path)} grid={grid} skip={skip} onChoose={onChoose} />
      ))}
      {more && <p className="quiet">The tree shows the rest.</p>}
    </>
  );
}

function GridTable({ grid, skip, onChoose }: { grid: Grid; skip: number; onChoose: Props['onChoose'] }) {
  const { path, columns, rows, total } = grid;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide one scrolls by keys
    <section className="data-grid" tabIndex={0} aria-label={visible(celOf(path))}>
      <table className="data-table">
        <caption>
          <Choice cel={celOf(path)} onChoose={onChoose}>
            {restOf(path, skip) || 'items'}
          </Choice>{' '}
          <span className="quiet">{`${total} ${total === 1 ? 'item' : 'items'}`}</span>
        </caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {visible(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, n) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: items have no other name than their place
            <tr key={n}>
              {columns.map((column) => (
                <td key={column}>
                  {Object.hasOwn(row, column) && (
                    <Choice cel={celOf([...path, n, column])} onChoose={onChoose}>
                      {typeof row[column] === 'string' ? row[column].slice(0, 80) : brief(row[column])}
                    </Choice>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Choice({ cel, onChoose, children }: { cel: string; onChoose: Props['onChoose']; children: string }) {
  if (!onChoose) return <>{visible(children)}</>;
  return (
    <button type="button" className="bare data-choice" title={visible(cel)} onClick={() => onChoose(cel)}>
      {visible(children)}
    </button>
  );
}
