import { Link } from '@tanstack/react-router';
import type { Scope } from '../api/paths.ts';
import { useInvitations } from './own-invitations.tsx';

/** Nothing where nobody asks, or where the session's token is too narrow to answer. */
export function InvitationNotice({ scope }: { scope: Scope }) {
  const { items } = useInvitations();
  if (!items?.length) return null;
  return (
    <p role="status">
      <Link to="/orgs/$org/projects/$project/members/invitations" params={scope}>
        {items.length === 1 ? 'An invitation is waiting' : 'Invitations are waiting'} for your answer
      </Link>
    </p>
  );
}
