import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { CreatedToken, Token } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useReadAgain } from '../api/read-again.ts';
import { useOwns } from '../app/session.ts';
import { Copy, Name, Time } from '../kit/basics.tsx';
import { Confirm } from '../kit/confirm.tsx';
import { List, Table } from '../kit/list.tsx';
import { Page, Panel } from '../kit/page.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { visible } from '../kit/text.ts';
import { MemberTabs } from './tabs.tsx';
import { TOKENS, TokenForm } from './token-form.tsx';

/** One's own tokens, and those of the orgs that one owns; never their values. */
export function Tokens() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/members/tokens' });
  const owns = useOwns(scope.org);
  const [made, setMade] = useState<CreatedToken>();
  const list = usePaged<'tokens', Token>('tokens', TOKENS, {}, { again_ms: AGAIN_MS });
  return (
    <Page
      title="Tokens"
      actions={<TokenForm scope={scope} agents={owns} onMade={setMade} />}
      same={{ command: 'svc token ls', call: `GET ${TOKENS}` }}
    >
      <MemberTabs scope={scope} />
      {made && <Made token={made} close={() => setMade(undefined)} />}
      <List list={list} empty="You have no token.">
        {(items) => (
          <Table columns={['Token', 'Of', 'Good for', '-Used', '-Ends', 'Actions']}>
            {items.map((token) => (
              <Row key={token.id} token={token} />
            ))}
          </Table>
        )}
      </List>
    </Page>
  );
}

/** The only time that the token is shown. */
const Made = ({ token: { name, token }, close }: { token: CreatedToken; close(): void }) => (
  <Panel title={`The token ${name}`}>
    <p>Copy it now: it is not shown again, and nobody can find it out later.</p>
    <p>
      <code>{token}</code>
    </p>
    <div className="row">
      <Copy text={token} label="Copy the token" />
      <button type="button" className="small" onClick={close}>
        I have it
      </button>
    </div>
  </Panel>
);

function Row({ token }: { token: Token }) {
  const readAgain = useReadAgain();
  const revoke = async () => {
    await json(`${TOKENS}/${encodeURIComponent(token.id)}`, { method: 'DELETE' });
    await readAgain(listKey(TOKENS));
  };
  return (
    <tr>
      <td>
        <strong>
          <Name>{token.name}</Name>
        </strong>
        <div className="quiet">
          made <Time at={token.created_at} />
        </div>
      </td>
      <td className="word">{token.kind === 'agent' ? 'an agent' : visible(token.user ?? '')}</td>
      <td className="word">{goodFor(token)}</td>
      <td className="wide tight">
        {token.last_used_at ? <Time at={token.last_used_at} /> : <span className="quiet">never</span>}
      </td>
      <td className="wide tight">
        {token.expires_at ? <Time at={token.expires_at} /> : <span className="quiet">never</span>}
      </td>
      <td>
        <Confirm label="Revoke" title={`Revoke the token ${token.name}?`} verb="Revoke it" danger run={revoke}>
          Whoever uses it is refused from now on. So are sessions that began with it, which may be the one that you are
          in, and tokens that were made with it. To keep those: <code>svc token rm {token.id} --keep-minted</code>
        </Confirm>
      </td>
    </tr>
  );
}

function goodFor({ org, project, role }: Token): string {
  const where = org ? visible(project ? `${org}/${project}` : `the org ${org}`) : 'everything of its user';
  return role ? `${where}, at most ${role}` : where;
}
