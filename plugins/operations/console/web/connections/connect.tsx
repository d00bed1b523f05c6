import type { AccountView, ConsentView, ProviderView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useRefetch } from '../api/read-again.ts';
import { DialogForm, FormDialog, HiddenField, TextField } from '../kit/dialog-form.tsx';
import { LongField, NAME, NAME_WANTS } from '../kit/more-fields.tsx';
import { visible } from '../kit/text.ts';

async function consentOf(scope: Scope, name: string, provider: string): Promise<string> {
  const path = scoped(scope, `/accounts/${encodeURIComponent(name)}/connect`);
  const { authorize_url } = await json<ConsentView>(path, { method: 'POST', body: { provider } });
  return authorize_url;
}

/** Leaves for the provider. The session says to which browser its answer belongs. */
export async function connect(scope: Scope, name: string, provider: string): Promise<void> {
  location.assign(await consentOf(scope, name, provider));
}

/** The same in another tab, so that this page stays as it is. It must be called by a press of a button. */
export async function connectBeside(scope: Scope, name: string, provider: string): Promise<void> {
  // Opened at once: a browser lets only a press open a tab, and the answer comes later.
  const tab = window.open('', '_blank');
  if (!tab) throw new Error("The browser blocked the provider's tab. Allow pop-ups for this page, and try again.");
  tab.opener = null;
  try {
    tab.location.replace(await consentOf(scope, name, provider));
  } catch (error) {
    tab.close();
    throw error;
  }
}

interface ConnectProps {
  scope: Scope;
  provider: ProviderView;
  /** Names of the accounts that are there. */
  taken: readonly string[];
}

/** Asks for the name by which workflows use the account, and leaves for the provider. */
export const ConnectButton = ({ scope, provider: { name, title }, taken }: ConnectProps) => (
  <DialogForm
    label={
      <>
        Connect<span className="hidden"> {title}</span>
      </>
    }
    title={`Connect ${title}`}
    verb={`Continue to ${title}`}
    run={(fields) => connect(scope, fields.name?.trim() ?? '', name)}
  >
    <p className="quiet">Anyone who can submit a workflow in this project can use the account to act as you.</p>
    <TextField
      name="name"
      label="Name"
      value={taken.includes(name) ? '' : name}
      pattern={NAME}
      wants={NAME_WANTS}
      hint="Workflows refer to the account by this name."
    />
  </DialogForm>
);

export type ClientGrant = Exclude<AccountView['grant'], 'authorization_code'>;

/** The grants of a provider for which no person is needed. */
export const clientGrants = ({ grants }: ProviderView): ClientGrant[] =>
  grants.filter((one) => one !== 'authorization_code');

const GRANT_NAMES: Readonly<Record<ClientGrant, string>> = {
  client_credentials: 'with a client secret',
  jwt_bearer: 'with a key',
};

interface ClientProps {
  scope: Scope;
  provider: Pick<ProviderView, 'name' | 'title'>;
  grant: ClientGrant;
  /** The account to reconnect; absent for a new one. */
  account?: AccountView;
}

function useClient({ scope, provider, grant, account }: ClientProps) {
  const refetch = useRefetch();
  return async ({ name = '', scopes = '', ...fields }: Record<string, string>) => {
    const own = account?.name ?? name.trim();
    const given = Object.entries(fields).filter(([, value]) => value.trim() !== '');
    const asked = scopes.split(/\s+/).filter((one) => one !== '');
    const body = {
      ...Object.fromEntries(given),
      ...{ provider: provider.name, grant },
      ...(asked.length === 0 ? {} : { scopes: asked }),
    };
    await json(scoped(scope, `/accounts/${encodeURIComponent(own)}/connect-client`), { method: 'POST', body });
    await refetch(['accounts', scope.org, scope.project]);
  };
}

function ClientFields({ grant, provider, account, taken = [] }: ClientProps & { taken?: readonly string[] }) {
  const known = account?.account;
  return (
    <>
      <p className="quiet">
        svc keeps the {grant === 'jwt_bearer' ? 'key' : 'secret'} sealed and gets a new token before the old one
        expires. Nobody has to grant access. Anyone who can submit a workflow in this project can use the account.
      </p>
      {!account && (
        <TextField
          name="name"
          label="Name"
          value={taken.includes(provider.name) ? '' : provider.name}
          pattern={NAME}
          wants={NAME_WANTS}
          hint="Workflows refer to the account by this name."
        />
      )}
      <TextField name="client_id" label="Client ID" value={known?.label} optional={grant === 'jwt_bearer'} />
      {grant === 'client_credentials' ? (
        <HiddenField name="client_secret" label="Client secret" />
      ) : (
        <>
          <LongField name="private_key" label="Private key" hint="PEM, or the JSON file of a service account's key." />
          <TextField name="key_id" label="Key ID" optional />
          <TextField
            name="subject"
            label="Acts as"
            value={known === undefined || known.id === known.label ? '' : known.id}
            optional
            hint="The subject of its tokens, if it is not the client itself."
          />
        </>
      )}
      <TextField name="audience" label="Audience" optional />
      <TextField name="scopes" label="Scopes" value={account?.scopes.join(' ')} optional />
    </>
  );
}

/** Connects an account that needs no person. */
export const ClientButton = ({ taken, ...props }: ClientProps & { taken: readonly string[] }) => (
  <DialogForm
    label={
      <>
        Connect<span className="hidden"> {props.provider.title}</span> {GRANT_NAMES[props.grant]}
      </>
    }
    title={`Connect ${visible(props.provider.title)} ${GRANT_NAMES[props.grant]}`}
    verb="Connect"
    run={useClient(props)}
  >
    <ClientFields {...props} taken={taken} />
  </DialogForm>
);

/** Connects it again, with a new secret or key. */
export const ReconnectClient = ({ close, ...props }: ClientProps & { account: AccountView; close(): void }) => (
  <FormDialog
    title={`Reconnect the account ${visible(props.account.name)}?`}
    verb="Reconnect"
    run={useClient(props)}
    close={close}
  >
    <ClientFields {...props} />
  </FormDialog>
);
