import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Activity, Plug, Power, RefreshCw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type {
  AccountRemoved,
  AccountTest,
  AccountView,
  ConnectorManifest,
  ProviderView,
} from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { useRefetch } from '../api/read-again.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { readAllPages } from '../api/all-pages.ts';
import { useMay } from '../app/session.ts';
import { brandOf, CATEGORIES, iconOfProvider } from '../connectors/names.ts';
import { byBrand, fitsWords, wordsAbout } from '../connectors/manifest.ts';
import { ConnectBy } from '../connectors/connectors.tsx';
import { Segments, Tile } from '../connectors/tile.tsx';
import { Panels } from '../extensions/panels.tsx';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Empty, Loading, Problem, Status, Time } from '../kit/basics.tsx';
import { useNow } from '../kit/clock.ts';
import { Asked } from '../kit/confirm.tsx';
import { Find } from '../kit/find.tsx';
import { hasWords } from '../kit/list-address.ts';
import { Page } from '../kit/page.tsx';
import { usePhone } from '../kit/phone.ts';
import { useTarget } from '../kit/target.ts';
import { roughly, visible } from '../kit/text.ts';
import { toast } from '../kit/toasts.tsx';
import { ClientButton, clientGrants, connect, ConnectButton, ReconnectClient } from './connect.tsx';
import { ConnectionTabs } from './tabs.tsx';
import { UsedBy } from './used-by.tsx';
import '../kit/rows.css';

/** The accounts of a project, with their health, and the systems that can be connected. */
export function Connections() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/connections' });
  const refetch = useRefetch();
  const may = useMay(scope);
  const key = ['accounts', scope.org, scope.project];
  const accounts = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => readAllPages<AccountView>(scoped(scope, '/accounts'), 'accounts', { signal }),
  });
  const providers = useQuery({
    queryKey: ['providers', scope.org, scope.project],
    queryFn: ({ signal }) => readAllPages<ProviderView>(scoped(scope, '/providers'), 'providers', { signal }),
  });
  useLive(scope, 'accounts', () => void refetch(key));
  const list = accounts.data;
  useTarget(list !== undefined);
  const error = accounts.error ?? providers.error;
  return (
    <Page
      title="Connections"
      about={list?.length || undefined}
      same={{ command: 'svc account list', call: `GET ${scoped(scope, '/accounts')}` }}
    >
      <ConnectionTabs scope={scope} />
      {error && <Problem error={error} again={() => void Promise.all([accounts.refetch(), providers.refetch()])} />}
      {!error && !(list && providers.data) && <Loading />}
      {list?.length === 0 && providers.data && (
        <div className="panel">
          <Empty icon={Plug} title="No accounts connected yet">
            {providers.data.length === 0
              ? 'This server has no providers yet. The operator configures them in SVC_CONNECTED_ACCOUNT_PROVIDERS. Tokens and keys work without a provider.'
              : 'Connect an account below so that workflows can act for you.'}
          </Empty>
        </div>
      )}
      {list && list.length > 0 && <Accounts scope={scope} accounts={list} providers={providers.data ?? []} />}
      {providers.data && may('admin') && <AddConnection scope={scope} providers={providers.data} taken={list ?? []} />}
      <Panels scope={scope} place="connections" />
    </Page>
  );
}

interface AddProps {
  scope: Scope;
  providers: readonly ProviderView[];
  taken: readonly AccountView[];
}

/** Providers by which a person grants access, then systems that want a token or a key. */
function AddConnection({ scope, providers, taken }: AddProps) {
  const [find, setFind] = useState('');
  const [category, setCategory] = useState('All');
  const connectors = useQuery({
    queryKey: ['connectors', scope.org, scope.project],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => readAllPages<ConnectorManifest>(scoped(scope, '/connectors'), 'connectors', { signal }),
  });
  const keyed = (connectors.data ?? [])
    .filter(
      (one) => one.credential && fitsWords(one, find) && (category === 'All' || brandOf(one).category === category),
    )
    .toSorted(byBrand);
  const granting = providers.filter(
    (one) => hasWords([one.name, one.title], find) && (category === 'All' || category === 'Accounts'),
  );
  const nothing = connectors.data && keyed.length + granting.length === 0;
  return (
    <section aria-label="Add a connection">
      <div className="add-head">
        <h2>Add a connection</h2>
        <Find label="Find a system" hint="Search, for example “chat”" text={find} onChange={setFind} />
        <Segments
          label="Category"
          options={['All', ...(providers.length > 0 ? ['Accounts'] : []), ...CATEGORIES.slice(0, -1)]}
          chosen={category}
          onChoose={setCategory}
        />
      </div>
      {connectors.error && <Problem error={connectors.error} again={() => void connectors.refetch()} />}
      {nothing && <Empty title="No system matches your search" />}
      <ul className="conn-tiles">
        {granting.map((provider) => (
          <Tile
            key={provider.name}
            icon={iconOfProvider(provider.name, provider.title)}
            title={visible(provider.title)}
            about={provider.scopes.length > 0 ? `Account · ${provider.scopes.map(visible).join(', ')}` : 'Account'}
          >
            {provider.grants.includes('authorization_code') && (
              <ConnectButton scope={scope} provider={provider} taken={taken.map(({ name }) => name)} />
            )}
            {clientGrants(provider).map((grant) => (
              <ClientButton key={grant} {...{ scope, provider, grant }} taken={taken.map(({ name }) => name)} />
            ))}
          </Tile>
        ))}
        {keyed.map((manifest) => {
          const brand = brandOf(manifest);
          return (
            <Tile
              key={manifest.name}
              icon={brand.icon}
              title={
                <Link
                  to="/orgs/$org/projects/$project/connectors/$connector"
                  params={{ ...scope, connector: manifest.name }}
                >
                  {visible(brand.title)}
                </Link>
              }
              about={visible(wordsAbout(manifest))}
            >
              <ConnectBy scope={scope} manifest={manifest} />
            </Tile>
          );
        })}
      </ul>
    </section>
  );
}

interface AccountsProps {
  scope: Scope;
  accounts: readonly AccountView[];
  providers: readonly ProviderView[];
}

function Accounts({ scope, accounts, providers }: AccountsProps) {
  const titleOf = (name: string) => providers.find((one) => one.name === name)?.title ?? name;
  if (usePhone())
    return (
      <ul className="account-cards" aria-label="Accounts">
        {accounts.map((account) => (
          <li key={account.name} id={account.name}>
            <div className="first">
              <Brand account={account} title={titleOf(account.provider)} />
              <AccountMenu scope={scope} account={account} />
            </div>
            <Health account={account} />
            <Renewal account={account} />
            <UsedBy scope={scope} of="accounts" name={account.name} />
            <NextStep scope={scope} account={account} />
          </li>
        ))}
      </ul>
    );
  return (
    <div className="accounts">
      <table className="rows" aria-label="Accounts">
        <thead>
          <tr>
            <th className="c-name">Account</th>
            <th>Health</th>
            <th className="c-state">Next renewal</th>
            <th className="c-used">Used by</th>
            <th className="c-act">
              <span className="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {accounts.map((account) => (
            <tr key={account.name} id={account.name}>
              <td className="c-name">
                <div className="row-name">
                  <Brand account={account} title={titleOf(account.provider)} />
                </div>
              </td>
              <td>
                <Health account={account} />
              </td>
              <td className="c-state">
                <Renewal account={account} />
              </td>
              <td className="c-used">
                <UsedBy scope={scope} of="accounts" name={account.name} />
              </td>
              <td className="c-act">
                <div>
                  <NextStep scope={scope} account={account} />
                  <AccountMenu scope={scope} account={account} />
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Brand({
  account: { name, account, grant, granter, provider },
  title,
}: {
  account: AccountView;
  title: string;
}) {
  const Icon = iconOfProvider(provider, title);
  return (
    <>
      <span className="brand">
        <Icon size={18} aria-hidden />
      </span>
      <div className="what">
        <div className="strong clip" title={`${visible(account.label)} (${visible(account.id)})`}>
          {visible(name)} <span className="quiet">{visible(account.label)}</span>
        </div>
        <div className="small-text quiet clip">
          {visible(title)} · {grant === 'authorization_code' ? 'granted' : 'connected'} by {visible(granter)}
        </div>
      </div>
    </>
  );
}

const SOON_MS = 7 * 86_400_000;

/** When a person has to grant it again, because nothing renews it. */
function endOf({ status, renewal, expires_at }: AccountView, now: number): number | undefined {
  if (status !== 'active' || renewal === 'automatic' || !expires_at) return undefined;
  const left = Date.parse(expires_at) - now;
  return left < SOON_MS ? left : undefined;
}

function Health({ account }: { account: AccountView }) {
  const ends = endOf(account, useNow());
  const wrong = account.reason ?? account.last_error;
  return (
    <div className="health">
      {ends === undefined ? (
        <Status of={account.status} />
      ) : (
        <Status of="waiting">{ends > 0 ? `Ends in ${roughly(ends)}` : 'Ended'}</Status>
      )}
      <div
        className={`small-text line ${wrong !== undefined && account.status !== 'active' ? 'bad' : 'quiet'}`}
        title={[wrong, ...account.scopes]
          .filter((text) => text !== undefined)
          .map(visible)
          .join(' · ')}
      >
        {wrong === undefined ? (
          <>
            since <Time at={account.status_since} />
          </>
        ) : (
          visible(wrong)
        )}
      </div>
    </div>
  );
}

function Renewal({ account: { renewal, expires_at, renewed_at, granted_at } }: { account: AccountView }) {
  return (
    <div>
      <div className="line">
        {renewal === 'automatic' && expires_at ? (
          <Time at={expires_at} />
        ) : (
          <span
            title={renewal === 'none' ? 'The provider issued no refresh token.' : 'The provider does not report it.'}
          >
            —
          </span>
        )}
      </div>
      <div className="small-text quiet line">
        {renewed_at ? (
          <>
            renewed <Time at={renewed_at} />
          </>
        ) : (
          <>
            granted <Time at={granted_at} />
          </>
        )}
      </div>
    </div>
  );
}

interface AccountProps {
  scope: Scope;
  account: AccountView;
}

const WANTS: readonly AccountView['status'][] = ['needs_reauth', 'in_doubt', 'disabled'];

/** What a person does next: mends it, or uses it. */
function NextStep({ scope, account }: AccountProps) {
  const { name, status } = account;
  const may = useMay(scope);
  const [open, setOpen] = useState(false);
  if (!WANTS.includes(status))
    return may('member') ? (
      <Link
        className="button"
        to="/orgs/$org/projects/$project/graphs/new"
        params={scope}
        search={{ node: 'http', credential: name }}
      >
        Use in a graph
      </Link>
    ) : null;
  if (!may('admin')) return null;
  return (
    <>
      <button type="button" className="main" onClick={() => setOpen(true)}>
        Reconnect
      </button>
      {open && <Reconnect scope={scope} account={account} close={() => setOpen(false)} />}
    </>
  );
}

function AccountMenu({ scope, account }: AccountProps) {
  const { name, status } = account;
  const refetch = useRefetch();
  const may = useMay(scope);
  if (!may('admin')) return null;
  const path = scoped(scope, `/accounts/${encodeURIComponent(name)}`);
  const changed = () => refetch(['accounts', scope.org, scope.project]);
  const remove = async () => {
    const { warnings } = await json<AccountRemoved>(path, { method: 'DELETE' });
    await changed();
    if (warnings.length > 0) toast(`${name} removed from svc. ${warnings.join(' ')}`, { state: 'failed' });
    else toast(`${name} removed`);
  };
  const test = async () => {
    const { result, says } = await json<AccountTest>(`${path}/test`, { method: 'POST' });
    toast(`${name}: ${says}`, result === 'works' ? undefined : { state: 'failed' });
  };
  const disable = async () => {
    await json(`${path}/disable`, { method: 'POST' });
    await changed();
  };
  return (
    <ActionMenu
      label={`Actions for ${name}`}
      small
      actions={[
        {
          icon: RefreshCw,
          label: 'Reconnect',
          opens: (close) => <Reconnect {...{ scope, account, close }} />,
        },
        {
          icon: Activity,
          label: 'Test account',
          opens: (close) => (
            <Asked title={`Test the account ${name}?`} verb="Send a test request" run={test} close={close}>
              svc sends one small request to the provider with the account's token, and shows whether it is accepted.
            </Asked>
          ),
        },
        status !== 'disabled' && {
          icon: Power,
          label: 'Disable account',
          opens: (close) => (
            <Asked title={`Disable the account ${name}?`} verb="Disable account" run={disable} close={close}>
              Nothing can use it until someone reconnects it.
            </Asked>
          ),
        },
        {
          icon: Trash2,
          label: 'Remove account',
          danger: true,
          opens: (close) => (
            <Asked title={`Remove the account ${name}?`} verb="Remove account" danger run={remove} close={close}>
              It is removed from svc. Its grant is also revoked at the provider, if the provider supports revocation.
            </Asked>
          ),
        },
      ]}
    />
  );
}

function Reconnect({ scope, account, close }: AccountProps & { close(): void }) {
  const { name, provider, grant } = account;
  if (grant !== 'authorization_code')
    return <ReconnectClient provider={{ name: provider, title: provider }} {...{ scope, grant, account, close }} />;
  return (
    <Asked
      title={`Reconnect the account ${name}?`}
      verb="Continue to provider"
      run={() => connect(scope, name, provider)}
      close={close}
    >
      Grant access at the provider again, as the same person as before. The account then acts as you.
    </Asked>
  );
}
