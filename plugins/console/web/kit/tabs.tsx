import { Link } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import type { Scope } from '../api/paths.ts';

type To = ComponentProps<typeof Link>['to'];

/** The pages of one area, each with an address of its own. */
export function Tabs({
  scope,
  label,
  tabs,
}: {
  scope: Scope;
  label: string;
  tabs: readonly { to: To; name: string }[];
}) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ to, name }) => (
        <Link key={name} to={to} params={scope} activeOptions={{ exact: true, includeSearch: false }}>
          {name}
        </Link>
      ))}
    </nav>
  );
}
