import type { ReactNode } from 'react';

/** Links to the pages of one area, each of which has an address of its own. */
export const Tabs = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav className="tabs" aria-label={label}>
    {children}
  </nav>
);
