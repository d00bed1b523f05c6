import { useParams } from '@tanstack/react-router';
import { KeyRound, Server, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { CreatedToken, Token } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useRefetch } from '../api/read-again.ts';
import { useOwns } from '../app/session.ts';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Mark, Person } from '../kit/avatar.tsx';
import { Copy, Empty, Tag, Time } from '../kit/basics.tsx';
import { Asked } from '../kit/confirm.tsx';
import { List } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { type Column, Rows } from '../kit/rows.tsx';
import { visible } from '../kit/text.ts';
import { toast } from '../kit/toasts.tsx';
import { Expiry } from './expiry.tsx';
import { roleName } from './roles.ts';
import { MemberTabs } from './tabs.tsx';
import { TOKENS, TokenForm } from './token-form.tsx';

/** One's own tokens, and those of the orgs that one owns; never their values. */
export function Tokens() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/members/tokens' });
  const owns = useOwns(scope.org);
  const [made, setMade] = useState<CreatedToken>();
  const list = usePaged<'tokens', Token>('tokens', TOKENS, {}, { again_ms: AGAIN_MS, whole: true });
  return (
    <Page
      title="Tokens"
      bleed
      about={list.count}
      actions={<TokenForm scope={scope} agents={owns} onMade={setMade} />}
      same={{ command: 'svc token ls', call: `GET ${TOKENS}` }}
    >
      <MemberTabs scope={scope} />
      {made && <Made token={made} close={() => setMade(undefined)} />}
      <List
        list={list}
        nothing={
          <Empty
            icon={KeyRound}
            title="No tokens yet"
            action={<TokenForm scope={scope} agents={owns} onMade={setMade} />}
          >
            With a token, programs and agents act as you on the command line and in the API.
          </Empty>
        }
      >
        {(items) => (
          <Rows<Token>
            label="Tokens"
            head="Token"
            items={items}
            keyOf={({ id }) => id}
            mark={({ kind }) => <Mark icon={kind === 'agent' ? Server : KeyRound} />}
            title={({ name }) => (
              <span className="strong clip" title={visible(name)}>
                {visible(name)}
              </span>
            )}
            beside={({ kind }) => kind === 'agent' && <Tag>Agent</Tag>}
            columns={COLUMNS}
            second={(token) => <span className="clip">{accessOf(token)}</span>}
            aside={({ expires_at }) => <Expiry at={expires_at} />}
            actions={(token) => <Actions token={token} />}
          />
        )}
      </List>
    </Page>
  );
}

const COLUMNS: readonly Column<Token>[] = [
  { name: 'Access', cell: (token) => <span title={accessOf(token)}>{accessOf(token)}</span> },
  {
    ...{ name: 'Owner', look: 'c-state c-wide' },
    cell: ({ user }) => (user === undefined ? <span className="quiet">—</span> : <Person name={user} />),
  },
  {
    ...{ name: 'Last used', look: 'c-short' },
    cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : <span className="quiet">Never</span>),
  },
  { name: 'Expires', look: 'c-short', cell: ({ expires_at }) => <Expiry at={expires_at} /> },
  { name: 'Created', look: 'c-end c-wide', cell: ({ created_at }) => <Time at={created_at} /> },
];

/** The only time that the token is shown. */
const Made = ({ token: { name, token }, close }: { token: CreatedToken; close(): void }) => (
  <section className="panel once" role="status">
    <h2>Token {name}</h2>
    <p>
      <code>{token}</code> <Copy text={token} label="Copy the token" />
    </p>
    <p>
      <strong>It is shown only once.</strong> Copy it now: nobody can retrieve it later.
    </p>
    <button type="button" onClick={close}>
      I have saved it
    </button>
  </section>
);

function Actions({ token: { id, name } }: { token: Token }) {
  const refetch = useRefetch();
  const revoke = async () => {
    await json(`${TOKENS}/${encodeURIComponent(id)}`, { method: 'DELETE' });
    await refetch(listKey(TOKENS));
    toast(`Token ${name} revoked`);
  };
  return (
    <ActionMenu
      label={`Actions for ${name}`}
      small
      actions={[
        {
          ...{ icon: Trash2, label: 'Revoke token', danger: true },
          opens: (close) => (
            <Asked title={`Revoke the token ${name}?`} verb="Revoke token" danger run={revoke} close={close}>
              Requests with it are rejected from now on. Sessions that started with it (possibly your current one) and
              tokens that were created with it also end. To revoke only this token:{' '}
              <code>svc token rm {id} --keep-minted</code>
            </Asked>
          ),
        },
      ]}
    />
  );
}

function accessOf({ kind, org, project, role }: Token): string {
  const where = org ? visible(project ? `${org}/${project}` : `Org ${org}`) : 'All orgs of its owner';
  if (kind === 'agent') return where;
  return role ? `${where}, ${roleName(role)} at most` : where;
}
