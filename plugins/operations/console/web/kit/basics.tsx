import { Check, CircleAlert, Copy as CopyIcon, type LucideIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Refusal } from '../api/client.ts';
import { useNow } from './clock.ts';
import { ago, exactTime, visible } from './text.ts';

export { Status, StatusIcon } from './status.tsx';

/** How long ago; the exact time when pointed at. */
export function Time({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={exactTime(at)}>
      {ago(at, now)}
    </time>
  );
}

/** A name that came from a run, a file or a far end. */
export const Name = ({ children }: { children: string }) => <span className="name">{visible(children)}</span>;

export const Tag = ({ children }: { children: string }) => <span className="tag">{visible(children)}</span>;

interface EmptyProps {
  icon?: LucideIcon;
  title?: string;
  /** The one thing to do next. */
  action?: ReactNode;
  children?: ReactNode;
}

/** Says that there is nothing, and what to do next. */
export function Empty({ icon: Icon, title, action, children }: EmptyProps) {
  return (
    <div className="empty">
      {Icon && (
        <span className="badge">
          <Icon size={16} aria-hidden />
        </span>
      )}
      {title && <p className="strong">{title}</p>}
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

/** What the server refused, where, and what to do. */
export function Problem({ error, again }: { error: unknown; again?: (() => void) | undefined }) {
  const problem = error instanceof Refusal ? error.problem : {};
  return (
    <div className="problem" role="alert">
      <CircleAlert size={16} aria-hidden />
      <div>
        <p>{error instanceof Error ? visible(error.message) : String(error)}</p>
        {problem.errors?.map(({ pointer, message }) => (
          <p key={`${pointer} ${message}`}>
            <code>{visible(pointer)}</code> {visible(message)}
          </p>
        ))}
        {problem.next && <p className="quiet">{visible(problem.next)}</p>}
        {problem.request_id && (
          <p className="quiet">
            {problem.code} · request <code>{problem.request_id}</code>
          </p>
        )}
        {again && (
          <button type="button" className="small" onClick={again}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}

/** Shaped like what comes. What comes at once shows none of it. */
export const Loading = () => (
  <div className="skeleton" role="status">
    <span className="skel" />
    <span className="skel" />
    <span className="skel" />
    <span className="hidden">Loading…</span>
  </div>
);

/** Puts a text on the clipboard. */
export function Copy({ text, label }: { text: string; label: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return (
    <button
      type="button"
      className="ghost icon small copy"
      title={label}
      aria-label={done ? 'Copied' : label}
      onClick={() => void copy().catch(() => setDone(false))}
    >
      {done ? <Check size={14} aria-hidden /> : <CopyIcon size={14} aria-hidden />}
    </button>
  );
}
