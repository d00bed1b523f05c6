import { useEffect } from 'react';
import { isField } from './is-field.ts';

/** `j` and `k` move through the links of a page that a selector names; an item is a list item with such a link. */
export function useItemKeys(selector: string): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const step = { j: 1, k: -1 }[event.key];
      if (step === undefined || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isField(event.target) || document.querySelector('[role=dialog], [role=menu]')) return;
      const items = [...document.querySelectorAll<HTMLElement>(selector)];
      const at = items.findIndex((item) => item.closest('li')?.contains(document.activeElement));
      items[Math.max(0, Math.min(items.length - 1, at + step))]?.focus();
      event.preventDefault();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [selector]);
}
