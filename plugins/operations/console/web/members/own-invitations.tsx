import { Mail } from 'lucide-react';
import { useState } from 'react';
import type { AcceptedInvitation, Invitation } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useRefetch } from '../api/read-again.ts';
import { whoamiQuery } from '../app/session.ts';
import { Avatar } from '../kit/avatar.tsx';
import { Empty, Name, Time } from '../kit/basics.tsx';
import { Confirm } from '../kit/confirm.tsx';
import { List } from '../kit/list.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { visible } from '../kit/text.ts';
import { roleName } from './roles.ts';
import './invitations.css';

export const INVITATIONS = '/api/v1/invitations';

export const useInvitations = () =>
  usePaged<'invitations', Invitation>('invitations', INVITATIONS, {}, { again_ms: AGAIN_MS });

const placeOf = ({ org, project }: { org: string; project?: string }) =>
  visible(project === undefined ? `the org ${org}` : `${org}/${project}`);

/** What waits for one's own answer. */
export function OwnInvitations() {
  const list = useInvitations();
  const [accepted, setAccepted] = useState<AcceptedInvitation>();
  return (
    <>
      {accepted && <Accepted accepted={accepted} />}
      <List
        list={list}
        nothing={
          <Empty icon={Mail} title="No invitations">
            Invitations to other orgs and projects appear here.
          </Empty>
        }
      >
        {(items) => (
          <ul className="invites" aria-label="Invitations">
            {items.map((one) => (
              <li key={one.id}>
                <Avatar name={one.project ?? one.org} />
                <div className="what">
                  <div className="strong clip">{placeOf(one)}</div>
                  <div className="small-text quiet">
                    {roleName(one.role)} · invited by <Name>{one.invited_by}</Name> <Time at={one.created_at} /> ·
                    expires <Time at={one.expires_at} />
                  </div>
                </div>
                <Answers invitation={one} onAccepted={setAccepted} />
              </li>
            ))}
          </ul>
        )}
      </List>
    </>
  );
}

const Accepted = ({ accepted }: { accepted: AcceptedInvitation }) => (
  <p role="status" className="banner succeeded">
    You are {accepted.role} of {placeOf(accepted)}.
    {!accepted.token_reaches &&
      ` You signed in with a token that is limited to another org: ask an owner of ${visible(accepted.org)} for a token.`}
  </p>
);

function Answers({
  invitation,
  onAccepted,
}: {
  invitation: Invitation;
  onAccepted(accepted: AcceptedInvitation): void;
}) {
  const refetch = useRefetch();
  const { id, role, invited_by } = invitation;
  const place = placeOf(invitation);
  const answer = async <T,>(verb: 'accept' | 'decline') => {
    const said = await json<T>(`${INVITATIONS}/${encodeURIComponent(id)}/${verb}`, { method: 'POST' });
    await refetch(listKey(INVITATIONS));
    return said;
  };
  const accept = async () => {
    onAccepted(await answer<AcceptedInvitation>('accept'));
    await refetch(whoamiQuery.queryKey);
  };
  return (
    <div className="row">
      <Confirm label="Accept" title={`Become ${role} of ${place}?`} verb="Accept invitation" main run={accept}>
        Its members see your name. You can leave at any time. CLI: <code>svc invitation accept {id}</code>
      </Confirm>
      <Confirm
        label="Decline"
        title={`Decline the invitation to ${place}?`}
        verb="Decline invitation"
        danger
        run={() => answer('decline')}
      >
        <Name>{invited_by}</Name> sees it in the audit log. CLI: <code>svc invitation decline {id}</code>
      </Confirm>
    </div>
  );
}
