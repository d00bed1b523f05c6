import { type RefObject, useEffect, useRef } from 'react';
import { isField } from './is-field.ts';

interface Does {
  select?(row: string): void;
  unfold?(row: string, open: boolean): void;
}

/** `j` and `k` move through the rows of a table, `x` selects, arrows unfold. A row has the focus by its link. */
export function useRowKeys(does: Does): RefObject<HTMLTableElement | null> {
  const table = useRef<HTMLTableElement>(null);
  const latest = useRef(does);
  latest.current = does;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key } = event;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isField(event.target) || !table.current || document.querySelector('[role=dialog], [role=menu]')) return;
      const rows = [...table.current.tBodies[0]!.rows];
      const at = rows.findIndex((row) => row.contains(document.activeElement));
      if (key === 'j' || key === 'k') {
        const next = rows[Math.max(0, Math.min(rows.length - 1, at + (key === 'j' ? 1 : -1)))];
        next?.querySelector('a')?.focus();
      } else if (key === 'f') document.querySelector<HTMLElement>('[data-key=f]')?.focus();
      else if (at < 0) return;
      else if (key === 'x') latest.current.select?.(rows[at]!.dataset.row!);
      else if (key === 'ArrowRight' || key === 'ArrowLeft')
        latest.current.unfold?.(rows[at]!.dataset.row!, key === 'ArrowRight');
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return table;
}
