import { useParams } from '@tanstack/react-router';
import type { BrowserSession } from '../../../../../cli/generated/api.ts';
import { signOut } from '../api/session.ts';
import { useSession } from '../app/session.ts';
import { Name, Tag, Time } from '../kit/basics.tsx';
import { Confirm } from '../kit/confirm.tsx';
import { List, Table } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { AGAIN_MS, usePaged } from '../kit/paged.ts';
import { visible } from '../kit/text.ts';
import { MemberTabs } from './tabs.tsx';

const PATH = '/api/v1/sessions';

/** The browsers in which one is signed in. */
export function Sessions() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/members/sessions' });
  const list = usePaged<'sessions', BrowserSession>('sessions', PATH, {}, { again_ms: AGAIN_MS });
  return (
    <Page title="Your sessions" actions={<Everywhere />} same={{ call: `GET ${PATH}` }}>
      <MemberTabs scope={scope} />
      <List list={list} empty="No browser is signed in as you.">
        {(items) => (
          <Table columns={['Browser', 'Signed in', 'Last seen', 'Ends']}>
            {items.map((session) => (
              <tr key={session.id}>
                <td>
                  <Name>{session.browser}</Name> {session.current && <Tag>this one</Tag>}
                </td>
                <td>
                  <Time at={session.begun_at} />
                  <div className="quiet">by {visible(session.signed_in_by)}</div>
                </td>
                <td>
                  <Time at={session.last_seen_at} />
                </td>
                <td>
                  <Time at={session.expires_at} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </List>
    </Page>
  );
}

function Everywhere() {
  const take = useSession();
  const leave = async () => {
    await signOut(true);
    await take(null);
  };
  return (
    <Confirm label="Sign out everywhere" title="Sign out everywhere?" verb="Sign out" danger run={leave}>
      Every browser that is signed in as you must sign in again, this one too. Tokens stay good.
    </Confirm>
  );
}
