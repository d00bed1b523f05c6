import { Link } from '@tanstack/react-router';
import type { Scope } from '../api/paths.ts';
import { Tabs } from '../kit/tabs.tsx';

const HERE = '/orgs/$org/projects/$project/connections';
const TABS = [
  { to: HERE, name: 'Accounts' },
  { to: `${HERE}/credentials`, name: 'Credentials' },
  { to: `${HERE}/secrets`, name: 'Secrets' },
  { to: `${HERE}/variables`, name: 'Variables' },
  { to: `${HERE}/secret-stores`, name: 'Secret stores' },
] as const;

export const ConnectionTabs = ({ scope }: { scope: Scope }) => (
  <Tabs label="Connection types">
    {TABS.map(({ to, name }) => (
      <Link key={to} to={to} params={scope} activeOptions={{ exact: true }}>
        {name}
      </Link>
    ))}
  </Tabs>
);
