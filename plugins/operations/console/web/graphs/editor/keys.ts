import { useEffect, useRef } from 'react';

export interface Keys {
  save(): void;
  undo(): void;
  redo(): void;
  remove(): void;
  duplicate(): void;
  all(): void;
  add(): void;
  open(): void;
  loop(): void;
  none(): void;
  connect(): void;
  help(): void;
  /** What goes on the clipboard; undefined when nothing is chosen. */
  copied(): string | undefined;
  paste(text: string): void;
}

/** In the order of the help. */
export const KEY_HELP: readonly (readonly [string, string])[] = [
  ['a', 'Add a node after the selected node or into the selected edge'],
  ['o', 'Open the selected node with the data before and after it'],
  ['l', 'Open the loop of the selected node'],
  ['Tab, Enter', 'Go to a node or edge and select it'],
  ['Arrow keys', 'Move the selection; with Shift, in larger steps'],
  ['c', 'Connect the selected node to another'],
  ['Delete', 'Remove the selection'],
  ['Ctrl Z, Ctrl Shift Z', 'Undo, redo'],
  ['Ctrl C, Ctrl X, Ctrl V', 'Copy, cut and paste nodes'],
  ['Ctrl D', 'Duplicate the selection'],
  ['Ctrl A', 'Select all nodes'],
  ['Escape', 'Clear the selection; without one, leave the loop'],
  ['Ctrl S', 'Save'],
  ['?', 'Show these keys'],
];

/** In a field, or in an editor, which lives in a shadow root. */
function isTyping(event: Event): boolean {
  const [target] = event.composedPath();
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
}
const asks = (): boolean => document.querySelector('[role=dialog]') !== null;

/** What a key does; undefined: nothing here. */
function actionOf({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): keyof Keys | undefined {
  const name = key.length === 1 ? key.toLowerCase() : key;
  if (altKey) return undefined;
  if (ctrlKey || metaKey) {
    if (name === 'z') return shiftKey ? 'redo' : 'undo';
    return ({ s: 'save', y: 'redo', d: 'duplicate', a: 'all' } as const)[name];
  }
  return (
    {
      a: 'add',
      o: 'open',
      l: 'loop',
      c: 'connect',
      '?': 'help',
      Delete: 'remove',
      Backspace: 'remove',
      Escape: 'none',
    } as const
  )[name];
}

/** The keys and the clipboard of the editor, while it is open. Fields keep theirs, but for saving. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const action = actionOf(event);
      if (!action || asks() || (action !== 'save' && isTyping(event))) return;
      event.preventDefault();
      (latest.current[action] as () => void)();
    };
    const onCopy = (event: ClipboardEvent) => {
      if (asks() || isTyping(event) || !getSelection()?.isCollapsed) return;
      const text = latest.current.copied();
      if (text === undefined) return;
      event.preventDefault();
      event.clipboardData?.setData('text/plain', text);
      if (event.type === 'cut') latest.current.remove();
    };
    const onPaste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData('text/plain');
      if (!text || asks() || isTyping(event)) return;
      event.preventDefault();
      latest.current.paste(text);
    };
    const ending = new AbortController();
    const { signal } = ending;
    document.addEventListener('keydown', onKey, { signal });
    document.addEventListener('copy', onCopy, { signal });
    document.addEventListener('cut', onCopy, { signal });
    document.addEventListener('paste', onPaste, { signal });
    return () => ending.abort();
  }, []);
}
