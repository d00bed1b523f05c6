import * as Menu from '@radix-ui/react-dropdown-menu';
import { Check, Columns3 } from 'lucide-react';
import { useState } from 'react';

export const COLUMNS = ['Status detail', 'Trigger', 'Time', 'Duration', 'Age'] as const;
export type Column = (typeof COLUMNS)[number];

const KEY = 'svc-run-columns';
const isColumn = (name: string): name is Column => (COLUMNS as readonly string[]).includes(name);

/** The columns that the user has hidden in this browser. */
export function useColumns(): { shown: ReadonlySet<Column>; toggle(column: Column): void } {
  const [hidden, setHidden] = useState(() => new Set((localStorage.getItem(KEY) ?? '').split(',').filter(isColumn)));
  const toggle = (column: Column) => {
    const next = new Set(hidden);
    if (!next.delete(column)) next.add(column);
    localStorage.setItem(KEY, [...next].join(','));
    setHidden(next);
  };
  return { shown: new Set(COLUMNS.filter((column) => !hidden.has(column))), toggle };
}

export const ColumnMenu = ({ shown, toggle }: ReturnType<typeof useColumns>) => (
  <Menu.Root modal={false}>
    <Menu.Trigger className="ghost small">
      <Columns3 size={14} aria-hidden /> Columns
    </Menu.Trigger>
    <Menu.Portal>
      <Menu.Content className="menu" align="end" sideOffset={4}>
        {COLUMNS.map((column) => (
          <Menu.CheckboxItem
            key={column}
            className="item"
            checked={shown.has(column)}
            onCheckedChange={() => toggle(column)}
            onSelect={(event) => event.preventDefault()}
          >
            {column}
            <Menu.ItemIndicator className="chosen">
              <Check size={14} aria-hidden />
            </Menu.ItemIndicator>
          </Menu.CheckboxItem>
        ))}
      </Menu.Content>
    </Menu.Portal>
  </Menu.Root>
);
