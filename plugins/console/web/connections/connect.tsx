import { type FormEvent, useState } from 'react';
import type { ConsentView, ProviderView } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { Problem } from '../kit/basics.tsx';
import { Panel } from '../kit/page.tsx';

const NAME = '[A-Za-z0-9][A-Za-z0-9_\\-]{0,62}';

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
  if (!tab) throw new Error('The browser did not open a tab for the provider. Allow it for this page, and try again.');
  tab.opener = null;
  try {
    tab.location.replace(await consentOf(scope, name, provider));
  } catch (error) {
    tab.close();
    throw error;
  }
}

export function ConnectForm({ scope, providers }: { scope: Scope; providers: readonly ProviderView[] }) {
  const [name, setName] = useState('');
  const [provider, setProvider] = useState(providers[0]!.name);
  const [error, setError] = useState<unknown>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setError(undefined);
    void connect(scope, name.trim(), provider).catch(setError);
  };
  return (
    <Panel title="Connect an account">
      <p className="quiet">Everybody who can submit a workflow in this project can use it. It acts as you.</p>
      {error !== undefined && <Problem error={error} />}
      <form className="row" onSubmit={submit}>
        <label>
          Provider
          <select value={provider} onChange={({ target }) => setProvider(target.value)}>
            {providers.map((one) => (
              <option key={one.name} value={one.name}>
                {one.title}
              </option>
            ))}
          </select>
        </label>
        <label>
          Name
          <input
            required
            autoComplete="off"
            pattern={NAME}
            title="Letters, digits, _ and -, at most 63"
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </label>
        <button type="submit" className="main">
          Connect
        </button>
      </form>
    </Panel>
  );
}
