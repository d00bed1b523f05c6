import type { MemberInvitation } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useReadAgain } from '../api/read-again.ts';
import { Name, Problem } from '../kit/basics.tsx';
import { Confirm } from '../kit/confirm.tsx';
import { Table } from '../kit/list.tsx';
import { Same } from '../kit/page.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { InvitationCells } from './invitation-cells.tsx';

/** Who was asked to become a member and has not answered, for those who may add members. */
export function Invited({ path, command }: { path: string; command: string }) {
  const list = usePaged<'invitations', MemberInvitation>('invitations', path, {}, { again_ms: AGAIN_MS });
  if (list.error) return <Problem error={list.error} again={() => void list.refetch()} />;
  if (!list.items?.length) return null;
  return (
    <>
      <h3>Invited</h3>
      <p className="quiet">They have an account elsewhere, and may nothing here before they accept.</p>
      <Table columns={['User', 'Role', '-Invited', '-Ends', 'Actions']}>
        {list.items.map((one) => (
          <tr key={one.user}>
            <td>
              <strong>
                <Name>{one.user}</Name>
              </strong>
            </td>
            <InvitationCells {...one} />
            <td>
              <Withdraw path={path} user={one.user} />
            </td>
          </tr>
        ))}
      </Table>
      {list.hasNextPage && (
        <p>
          <button type="button" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show more
          </button>
        </p>
      )}
      <Same by={{ command, call: `GET ${path}` }} />
    </>
  );
}

function Withdraw({ path, user }: { path: string; user: string }) {
  const readAgain = useReadAgain();
  const withdraw = async () => {
    await json(`${path}/${encodeURIComponent(user)}`, { method: 'DELETE' });
    await readAgain(listKey(path));
  };
  return (
    <Confirm label="Withdraw" title={`Withdraw the invitation of ${user}?`} verb="Withdraw it" danger run={withdraw}>
      They cannot accept it any more.
    </Confirm>
  );
}
