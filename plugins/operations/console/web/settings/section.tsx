import type { ReactNode } from 'react';
import './settings.css';

interface Props {
  title: string;
  /** What it is about, in a sentence. */
  about: ReactNode;
  /** Below the sentence: what one can do here. */
  action?: ReactNode;
  children: ReactNode;
}

/** One subject of the settings: its name at the left, what is set at the right. */
export const Section = ({ title, about, action, children }: Props) => (
  <section className="setting" aria-label={title}>
    <div className="setting-about">
      <h2>{title}</h2>
      <p>{about}</p>
      {action}
    </div>
    <div className="setting-box">{children}</div>
  </section>
);
