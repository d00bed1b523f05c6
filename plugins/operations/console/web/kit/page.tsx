import { Terminal } from 'lucide-react';
import { Fragment, type ReactNode, useEffect } from 'react';
import { Copy } from './basics.tsx';

/** What does the same as a page or a button, without it. */
export interface SameBy {
  /** Absent where there is none. */
  command?: string;
  /** `GET /api/v1/…`. */
  call: string;
}

interface PageProps {
  /** Of the browser's tab. */
  title: string;
  heading?: ReactNode;
  /** Beside the title: how many, and whether the page is live. */
  about?: ReactNode;
  actions?: ReactNode;
  same?: SameBy | readonly SameBy[];
  /** The page has the whole width, without a margin. */
  bleed?: boolean;
  children: ReactNode;
}

/** The title of a page, what one can do there, and the command and the call that do the same. */
export function Page({ title, heading, about, actions, same, bleed = false, children }: PageProps) {
  useTitle(title);
  return (
    <>
      <header className="bar page-head">
        <h1>{heading ?? title}</h1>
        {about && <div className="about">{about}</div>}
        {actions && <div className="acts">{actions}</div>}
      </header>
      <div className={bleed ? 'bleed' : 'content'}>
        {children}
        {same && <Same by={same} />}
      </div>
    </>
  );
}

/** Of the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · svc`;
  }, [title]);
}

export function Same({ by }: { by: SameBy | readonly SameBy[] }) {
  return (
    <details className="same">
      <summary>CLI</summary>
      {[by].flat().map(({ command, call }) => (
        <Fragment key={call}>
          {command && (
            <div>
              <code>{command}</code> <Copy text={command} label="Copy the command" />
            </div>
          )}
          <div>
            <code>{call}</code> <Copy text={call} label="Copy the call" />
          </div>
        </Fragment>
      ))}
    </details>
  );
}

/** One line at the foot of a card: the command that does the same. */
export const CommandLine = ({ command }: { command: string }) => (
  <div className="cli">
    <Terminal size={14} aria-hidden />
    <code>{command}</code>
    <Copy text={command} label="Copy the command" />
  </div>
);

interface PanelProps {
  title?: string;
  aside?: ReactNode;
  /** Rows that reach from edge to edge. */
  flush?: boolean;
  foot?: ReactNode;
  className?: string;
  children: ReactNode;
}

export function Panel({ title, aside, flush = false, foot, className = '', children }: PanelProps) {
  return (
    <section className={`panel ${flush ? 'flush ' : ''}${className}`.trim()}>
      {title && (
        <div className="panel-head">
          <h2>{title}</h2>
          {aside}
        </div>
      )}
      {flush ? children : <div className="card-body">{children}</div>}
      {foot && <div className="card-foot">{foot}</div>}
    </section>
  );
}
