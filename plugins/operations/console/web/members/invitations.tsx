import { useParams } from '@tanstack/react-router';
import { Page } from '../kit/page.tsx';
import { INVITATIONS, OwnInvitations } from './own-invitations.tsx';
import { MemberTabs } from './tabs.tsx';

/** To which orgs and projects one is invited. */
export function Invitations() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/members/invitations' });
  return (
    <Page title="Your invitations" same={{ command: 'svc invitation ls', call: `GET ${INVITATIONS}` }}>
      <MemberTabs scope={scope} />
      <OwnInvitations />
    </Page>
  );
}
