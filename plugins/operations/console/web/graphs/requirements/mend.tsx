import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AccountView, ProviderView } from '../../../../../../cli/generated/api.ts';
import { json } from '../../api/client.ts';
import { type Scope, scoped } from '../../api/paths.ts';
import { readAllPages } from '../../api/all-pages.ts';
import { useMay } from '../../app/session.ts';
import { connectBeside } from '../../connections/connect.tsx';
import { CredentialForm } from '../../connections/credential-form.tsx';
import { readKind } from '../../connections/kinds.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { ChoiceField, DialogForm } from '../../kit/dialog-form.tsx';
import { accountDoes, type Want } from './wants.ts';

interface Props {
  scope: Scope;
  want: Want;
  onMended(): void;
}

/** What an admin does about a name that a graph lacks, without leaving the page. */
export function Mend({ scope, want, onMended }: Props) {
  const may = useMay(scope);
  if (!may('admin')) return <p className="quiet">An admin of the project can fix this.</p>;
  const { state, name, kinds, stored_kind } = want;
  if (state === 'needs_reconnect') return <Reconnect scope={scope} name={name} />;
  if (state === 'conflict')
    return (
      <p>
        <Link to="/orgs/$org/projects/$project/connections" params={scope} hash={name}>
          Rename or remove one of them
        </Link>
      </p>
    );
  if (state === 'wrong_kind' || state === 'host_not_allowed')
    return (
      <div className="row">
        <CredentialForm
          scope={scope}
          known={{ name, kind: kinds[0] ?? readKind(stored_kind) }}
          kinds={kinds}
          onStored={onMended}
        />
      </div>
    );
  return (
    <div className="row">
      <CredentialForm scope={scope} wanted={name} kinds={kinds} onStored={onMended} />
      {accountDoes(want) && <Connect scope={scope} name={name} />}
    </div>
  );
}

function useProviders(scope: Scope) {
  return useQuery({
    queryKey: ['providers', scope.org, scope.project],
    queryFn: ({ signal }) => readAllPages<ProviderView>(scoped(scope, '/providers'), 'providers', { signal }),
  });
}

function Connect({ scope, name }: { scope: Scope; name: string }) {
  const { data } = useProviders(scope);
  const asking = data?.filter(({ grants }) => grants.includes('authorization_code')) ?? [];
  if (asking.length === 0) return null;
  return (
    <DialogForm
      label={`Connect an account as ${name}`}
      title={`Connect an account as ${name}`}
      verb="Continue to provider"
      run={({ provider = '' }) => connectBeside(scope, name, provider)}
    >
      <p className="quiet">
        You grant access at the provider in another tab. This page stays open. Anyone who can submit a workflow in this
        project can use the account to act as you.
      </p>
      <ChoiceField name="provider" label="Provider" choices={asking.map((one) => [one.name, one.title] as const)} />
    </DialogForm>
  );
}

function Reconnect({ scope, name }: { scope: Scope; name: string }) {
  const run = async () => {
    const account = await json<AccountView>(scoped(scope, `/accounts/${encodeURIComponent(name)}`));
    if (account.grant !== 'authorization_code')
      throw new Error(`${name} has its own client: give it a new secret or key on the Connections page.`);
    await connectBeside(scope, name, account.provider);
  };
  return (
    <Confirm label="Reconnect account" title={`Reconnect the account ${name}?`} verb="Continue to provider" run={run}>
      You grant access at the provider in another tab, as the same person as before. The account then acts as you.
    </Confirm>
  );
}
