import { useParams } from '@tanstack/react-router';
import { LogOut, Monitor, Smartphone } from 'lucide-react';
import type { BrowserSession } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useRefetch } from '../api/read-again.ts';
import { signOut } from '../api/session.ts';
import { useSession } from '../app/session.ts';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Mark } from '../kit/avatar.tsx';
import { Empty, Tag, Time } from '../kit/basics.tsx';
import { Asked, Confirm } from '../kit/confirm.tsx';
import { List } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { type Column, Rows } from '../kit/rows.tsx';
import { visible } from '../kit/text.ts';
import { MemberTabs } from './tabs.tsx';

const PATH = '/api/v1/sessions';

/** The browsers in which one is signed in. */
export function Sessions() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/members/sessions' });
  const list = usePaged<'sessions', BrowserSession>('sessions', PATH, {}, { again_ms: AGAIN_MS, whole: true });
  return (
    <Page title="Your sessions" bleed about={list.count} actions={<Everywhere />} same={{ call: `GET ${PATH}` }}>
      <MemberTabs scope={scope} />
      <List list={list} nothing={<Empty icon={Monitor} title="No browser is signed in as you" />}>
        {(items) => (
          <Rows<BrowserSession>
            label="Sessions"
            head="Browser"
            items={items}
            keyOf={({ id }) => id}
            mark={({ browser }) => <Mark icon={/android|iphone|ipad|mobile/i.test(browser) ? Smartphone : Monitor} />}
            title={({ browser }) => (
              <span className="strong clip" title={visible(browser)}>
                {visible(browser)}
              </span>
            )}
            beside={({ current }) => current && <Tag>Current</Tag>}
            columns={COLUMNS}
            second={({ current, signed_in_by, begun_at }) => (
              <span className="clip">
                {current && 'Current · '}
                {visible(signed_in_by)}, <Time at={begun_at} />
              </span>
            )}
            aside={({ last_seen_at }) => <Time at={last_seen_at} />}
            actions={(session) => !session.current && <Actions session={session} />}
          />
        )}
      </List>
    </Page>
  );
}

const COLUMNS: readonly Column<BrowserSession>[] = [
  { name: 'Signed in by', cell: ({ signed_in_by }) => visible(signed_in_by) },
  { name: 'Signed in', look: 'c-short', cell: ({ begun_at }) => <Time at={begun_at} /> },
  { name: 'Last seen', look: 'c-short', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
  { name: 'Expires', look: 'c-end', cell: ({ expires_at }) => <Time at={expires_at} /> },
];

function Actions({ session: { id, browser } }: { session: BrowserSession }) {
  const refetch = useRefetch();
  const end = async () => {
    await json(`${PATH}/${id}`, { method: 'DELETE' });
    await refetch(listKey(PATH));
  };
  const signOutThere = {
    icon: LogOut,
    label: 'Sign out',
    danger: true,
    opens: (close: () => void) => (
      <Asked title={`Sign out ${visible(browser)}?`} verb="Sign out" danger run={end} close={close}>
        That browser must sign in again.
      </Asked>
    ),
  };
  return <ActionMenu label={`Actions for ${visible(browser)}`} small actions={[signOutThere]} />;
}

function Everywhere() {
  const take = useSession();
  const leave = async () => {
    await signOut(true);
    await take(null);
  };
  return (
    <Confirm label="Sign out everywhere" title="Sign out everywhere?" verb="Sign out everywhere" danger run={leave}>
      Every browser that is signed in as you, including this one, must sign in again. Tokens stay valid.
    </Confirm>
  );
}
