import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { AccountRemoved, AccountView, ListAccounts200, ListProviders200 } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Panels } from '../extensions/panels.tsx';
import { Empty, Loading, Problem, Status, Tag, Time } from '../kit/basics.tsx';
import { Confirm } from '../kit/confirm.tsx';
import { Page } from '../kit/page.tsx';
import { useTarget } from '../kit/target.ts';
import { visible } from '../kit/text.ts';
import { connect, ConnectForm } from './connect.tsx';
import { ConnectionTabs } from './tabs.tsx';
import { Uses } from './uses.tsx';

/** The accounts of a project: who granted them, what they are good for, and what to do about those that are not. */
export function Connections() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/connections' });
  const client = useQueryClient();
  const may = useMay(scope);
  const key = ['accounts', scope.org, scope.project];
  const accounts = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => json<ListAccounts200>(scoped(scope, '/accounts?limit=200'), { signal }),
  });
  const providers = useQuery({
    queryKey: ['providers', scope.org, scope.project],
    queryFn: ({ signal }) => json<ListProviders200>(scoped(scope, '/providers?limit=200'), { signal }),
  });
  useLive(scope, 'accounts', () => void client.invalidateQueries({ queryKey: key }));
  const list = accounts.data?.accounts;
  useTarget(list !== undefined);
  const error = accounts.error ?? providers.error;
  return (
    <Page title="Connections" same={{ command: 'svc account list', call: `GET ${scoped(scope, '/accounts')}` }}>
      <ConnectionTabs scope={scope} />
      {error && <Problem error={error} again={() => void accounts.refetch()} />}
      {!error && !list && <Loading />}
      {list?.length === 0 && <Empty>No account is connected yet.</Empty>}
      {list && list.length > 0 && <Accounts scope={scope} accounts={list} />}
      {providers.data?.providers.length === 0 && (
        <Empty>This service has no provider whose accounts could be connected.</Empty>
      )}
      {providers.data && providers.data.providers.length > 0 && may('admin') && (
        <ConnectForm scope={scope} providers={providers.data.providers} />
      )}
      <Panels scope={scope} place="connections" />
    </Page>
  );
}

const Accounts = ({ scope, accounts }: { scope: Scope; accounts: readonly AccountView[] }) => (
  <div className="scroll">
    <table>
      <thead>
        <tr>
          <th>Name</th>
          <th>Account there</th>
          <th>Status</th>
          <th>Granted by</th>
          <th className="wide">Scopes</th>
          <th>
            <span className="hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {accounts.map((account) => (
          <Account key={account.name} scope={scope} account={account} />
        ))}
      </tbody>
    </table>
  </div>
);

function Account({ scope, account }: { scope: Scope; account: AccountView }) {
  const may = useMay(scope);
  const { name, provider, account: far, granter } = account;
  return (
    <tr id={name}>
      <td>
        <strong>{name}</strong>
        <div className="quiet">{visible(provider)}</div>
        <Uses scope={scope} of="accounts" name={name} />
      </td>
      <td>
        {visible(far.label)}
        {far.label !== far.id && <div className="quiet mono">{visible(far.id)}</div>}
      </td>
      <td>
        <Status of={account.status} />
        <div className="quiet">
          since <Time at={account.status_since} />
        </div>
        {account.reason && <div className="quiet">{visible(account.reason)}</div>}
      </td>
      <td>
        {visible(granter)}
        <div className="quiet">
          <Time at={account.granted_at} />
        </div>
      </td>
      <td className="wide">
        <Scopes account={account} />
      </td>
      <td>{may('admin') && <Actions scope={scope} account={account} />}</td>
    </tr>
  );
}

const RENEWAL: Record<AccountView['renewal'], string> = {
  automatic: 'renewed by itself',
  none: 'not renewed: there is no refresh token',
  unknown_lifetime: 'not renewed: the provider does not say when it ends',
};

const Scopes = ({ account }: { account: AccountView }) => (
  <>
    {account.scopes.map((scope) => (
      <Tag key={scope}>{scope}</Tag>
    ))}
    {account.scopes_missing.length > 0 && (
      <div className="quiet">not granted: {account.scopes_missing.map(visible).join(', ')}</div>
    )}
    <div className="quiet">
      {RENEWAL[account.renewal]}
      {account.expires_at && (
        <>
          , ends <Time at={account.expires_at} />
        </>
      )}
    </div>
    {account.last_used_at && (
      <div className="quiet">
        used <Time at={account.last_used_at} />
      </div>
    )}
  </>
);

function Actions({ scope, account: { name, provider, status } }: { scope: Scope; account: AccountView }) {
  const client = useQueryClient();
  const path = scoped(scope, `/accounts/${encodeURIComponent(name)}`);
  const changed = () => client.invalidateQueries({ queryKey: ['accounts', scope.org, scope.project] });
  const remove = async () => {
    const { warnings } = await json<AccountRemoved>(path, { method: 'DELETE' });
    await changed();
    if (warnings.length > 0) throw new Error(`It is forgotten here. ${warnings.join(' ')}`);
  };
  return (
    <div className="row">
      <ConnectAgain scope={scope} name={name} provider={provider} />
      {status !== 'disabled' && (
        <Confirm
          label="Disable"
          title={`Disable the account ${name}?`}
          verb="Disable it"
          run={async () => {
            await json(`${path}/disable`, { method: 'POST' });
            await changed();
          }}
        >
          Nothing can use it until somebody connects it again.
        </Confirm>
      )}
      <Confirm label="Remove" title={`Remove the account ${name}?`} verb="Remove it" danger run={remove}>
        It is forgotten here, and its grant is ended at the provider where that is possible.
      </Confirm>
    </div>
  );
}

function ConnectAgain({ scope, name, provider }: { scope: Scope; name: string; provider: string }) {
  return (
    <Confirm
      label="Connect again"
      title={`Connect the account ${name} again?`}
      verb="Go to the provider"
      run={() => connect(scope, name, provider)}
    >
      You grant access at the provider, as the same person as before. It then acts as you.
    </Confirm>
  );
}
