import { type ReactNode, useEffect } from 'react';
import { Copy } from './basics.tsx';

/** What does the same as a page or a button, without it. */
export interface SameBy {
  /** Absent where there is none. */
  command?: string;
  /** `GET /api/v1/…`. */
  call: string;
}

/** The title of a page, what one can do there, and the command and the call that do the same. */
export function Page({
  title,
  heading,
  actions,
  same,
  children,
}: {
  /** Of the browser's tab. */
  title: string;
  heading?: ReactNode;
  actions?: ReactNode;
  same?: SameBy;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · svc`;
  }, [title]);
  return (
    <>
      <div className="page-head">
        <h1>{heading ?? title}</h1>
        {actions && <div className="row">{actions}</div>}
      </div>
      {children}
      {same && <Same by={same} />}
    </>
  );
}

export function Same({ by: { command, call } }: { by: SameBy }) {
  return (
    <details className="same">
      <summary>The same without this page</summary>
      {command && (
        <p>
          <code>{command}</code> <Copy text={command} label="Copy the command" />
        </p>
      )}
      <p>
        <code>{call}</code> <Copy text={call} label="Copy the call" />
      </p>
    </details>
  );
}

export function Panel({ title, aside, children }: { title?: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="panel">
      {title && (
        <div className="panel-head">
          <h2>{title}</h2>
          {aside}
        </div>
      )}
      {children}
    </section>
  );
}
