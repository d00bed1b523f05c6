import type { ConsentView, ProviderView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { DialogForm, TextField } from '../kit/dialog-form.tsx';
import { NAME, NAME_WANTS } from '../kit/more-fields.tsx';

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
