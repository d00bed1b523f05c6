import { useState } from 'react';
import type { AcceptedInvitation, Invitation } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useReadAgain } from '../api/read-again.ts';
import { Name } from '../kit/basics.tsx';
import { Confirm } from '../kit/confirm.tsx';
import { List, Table } from '../kit/list.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { visible } from '../kit/text.ts';
import { InvitationCells } from './invitation-cells.tsx';

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
      <List list={list} empty="Nobody has invited you.">
        {(items) => (
          <Table columns={['To', 'Role', 'Invited', '-Ends', 'Actions']}>
            {items.map((one) => (
              <tr key={one.id}>
                <td>
                  <strong>{placeOf(one)}</strong>
                </td>
                <InvitationCells {...one} />
                <td>
                  <Answers invitation={one} onAccepted={setAccepted} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </List>
    </>
  );
}

const Accepted = ({ accepted }: { accepted: AcceptedInvitation }) => (
  <p role="status">
    You are {accepted.role} of {placeOf(accepted)}.
    {!accepted.token_reaches &&
      ` You signed in with a token that is limited to another org: ask an owner of ${visible(accepted.org)} for one.`}
  </p>
);

function Answers({
  invitation,
  onAccepted,
}: {
  invitation: Invitation;
  onAccepted(accepted: AcceptedInvitation): void;
}) {
  const readAgain = useReadAgain();
  const { id, role, invited_by } = invitation;
  const place = placeOf(invitation);
  const answer = async <T,>(verb: 'accept' | 'decline') => {
    const said = await json<T>(`${INVITATIONS}/${encodeURIComponent(id)}/${verb}`, { method: 'POST' });
    await readAgain(listKey(INVITATIONS));
    return said;
  };
  const accept = async () => {
    onAccepted(await answer<AcceptedInvitation>('accept'));
    await readAgain(['whoami']);
  };
  return (
    <div className="row">
      <Confirm label="Accept" title={`Become ${role} of ${place}?`} verb="Accept it" run={accept}>
        Its members see your name. You may leave at any time. The same: <code>svc invitation accept {id}</code>
      </Confirm>
      <Confirm
        label="Decline"
        title={`Decline the invitation to ${place}?`}
        verb="Decline it"
        danger
        run={() => answer('decline')}
      >
        <Name>{invited_by}</Name> sees it in the audit. The same: <code>svc invitation decline {id}</code>
      </Confirm>
    </div>
  );
}
