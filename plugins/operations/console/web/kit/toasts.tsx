import { X } from 'lucide-react';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { StatusIcon } from './status.tsx';
import { IconButton } from './icon-button.tsx';

interface Toast {
  id: number;
  state: 'succeeded' | 'failed';
  text: string;
  /** A link to what was made, or the way back. */
  action?: ReactNode;
}

/** One that tells of a failure stays until somebody closes it. */
const STAYS_MS = 6000;
const MOST = 3;

let toasts: readonly Toast[] = [];
let made = 0;
const listeners = new Set<() => void>();

function put(next: readonly Toast[]): void {
  toasts = next;
  for (const on of listeners) on();
}

const close = (id: number): void => put(toasts.filter((one) => one.id !== id));

/** Says what became of something, above whatever page there is. */
export function toast(text: string, { state = 'succeeded', action }: Partial<Omit<Toast, 'id' | 'text'>> = {}): void {
  made += 1;
  put([...toasts, { id: made, state, text, action }].slice(-MOST));
}

function subscribe(on: () => void): () => void {
  listeners.add(on);
  return () => listeners.delete(on);
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map((one) => (
        <One key={one.id} toast={one} />
      ))}
    </div>
  );
}

function One({ toast: { id, state, text, action } }: { toast: Toast }) {
  useEffect(() => {
    if (state === 'failed') return undefined;
    const timer = setTimeout(() => close(id), STAYS_MS);
    return () => clearTimeout(timer);
  }, [id, state]);
  return (
    <div className="toast">
      <StatusIcon of={state} silent />
      <span className="said">{text}</span>
      {action}
      <IconButton label="Close this message" icon={X} onClick={() => close(id)} />
    </div>
  );
}
