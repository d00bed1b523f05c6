import type { ReactNode } from 'react';
import { CommandLine, useTitle } from './page.tsx';
import { Name } from './basics.tsx';
import type { Icon } from './icon.ts';
import './detail.css';

interface Props {
  name: string;
  /** Its state as a pill. */
  status?: ReactNode;
  /** What it is, in one line. */
  summary: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The page of one thing: its name, its state and what can be done stay at the top, as on the page of a run. */
export function Detail({ name, status, summary, actions, children }: Props) {
  useTitle(name);
  return (
    <>
      <div className="stick">
        <header className="detail-head page-head ends">
          <div className="title">
            <h1>
              <Name>{name}</Name>
              {status}
            </h1>
            {actions && <div className="acts">{actions}</div>}
          </div>
          <div className="facts">{summary}</div>
        </header>
      </div>
      {children}
    </>
  );
}

/** One of the facts in the head, with its icon. */
export const HeadFact = ({ icon: Shown, children }: { icon: Icon; children: ReactNode }) => (
  <span>
    <Shown size={14} aria-hidden />
    {children}
  </span>
);

interface SplitProps {
  /** What happened, in rows. */
  title: string;
  about?: ReactNode;
  left: ReactNode;
  /** What it is and what one can try, as cards. */
  children: ReactNode;
  command: string;
}

export const Split = ({ title, about, left, children, command }: SplitProps) => (
  <div className="split things">
    <section className="left" aria-label={title}>
      <div className="left-head">
        <h2>{title}</h2>
        {about}
      </div>
      {left}
    </section>
    <div className="right">
      {children}
      <div className="panel foot">
        <CommandLine command={command} />
      </div>
    </div>
  </div>
);
