import { Link } from '@tanstack/react-router';
import type { Scope } from '../api/paths.ts';
import { Tabs } from '../kit/tabs.tsx';

const HERE = '/orgs/$org/projects/$project/members';
const TABS = [
  { to: HERE, name: 'Members' },
  { to: `${HERE}/invitations`, name: 'Your invitations' },
  { to: `${HERE}/tokens`, name: 'Tokens' },
  { to: `${HERE}/sessions`, name: 'Your sessions' },
] as const;

export const MemberTabs = ({ scope }: { scope: Scope }) => (
  <Tabs label="Access">
    {TABS.map(({ to, name }) => (
      <Link key={to} to={to} params={scope} activeOptions={{ exact: true }}>
        {name}
      </Link>
    ))}
  </Tabs>
);
