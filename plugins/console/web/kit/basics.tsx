import { type ReactNode, useState } from 'react';
import { Refusal } from '../api/client.ts';
import { useNow } from './clock.ts';
import { ago, visible } from './text.ts';

/** How long ago; the exact time when pointed at. */
export function Time({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={at}>
      {ago(at, now)}
    </time>
  );
}

/** A word of state with its colour and a mark, so that colour is not all that tells it. */
export function Status({ of }: { of: string }) {
  return <span className={`status ${of}`}>{of.replaceAll('_', ' ')}</span>;
}

/** A name that came from a run, a file or a far end. */
export const Name = ({ children }: { children: string }) => <span className="name">{visible(children)}</span>;

export const Tag = ({ children }: { children: string }) => <span className="tag">{visible(children)}</span>;

export function Empty({ children }: { children: ReactNode }) {
  return <p className="empty">{children}</p>;
}

/** What the server refused, where, and what to do. */
export function Problem({ error, again }: { error: unknown; again?: (() => void) | undefined }) {
  const problem = error instanceof Refusal ? error.problem : {};
  return (
    <div className="problem" role="alert">
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
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

export const Loading = () => (
  <p className="empty" role="status">
    Loading…
  </p>
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
    <button type="button" className="small" aria-label={label} onClick={() => void copy().catch(() => setDone(false))}>
      {done ? 'Copied' : 'Copy'}
    </button>
  );
}
