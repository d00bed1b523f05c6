import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConnectorManifest, Credential, CredentialTest } from '../../../../../cli/generated/api.ts';
import { readAllPages } from '../api/all-pages.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { FormDialog, TextField } from '../kit/dialog-form.tsx';
import { toast } from '../kit/toasts.tsx';
import { fieldsOfTest } from './test-fields.ts';

interface Props {
  scope: Scope;
  known: Credential;
  close(): void;
}

const URL_CHOICE = '';

/** Before the names of a connector's fields, which may be any. */
const WITH = 'with.';

/** What was typed for the fields of the connector. */
const readFields = (typed: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(typed).flatMap(([name, value]) =>
      name.startsWith(WITH) && value !== '' ? [[name.slice(WITH.length), value]] : [],
    ),
  );

/** Sends one harmless request with a credential: that of a connector for its kind, or a GET to an address. */
export function TestCredentialDialog({ scope, known: { name, kind }, close }: Props) {
  const [chosen, setChosen] = useState(URL_CHOICE);
  const connectors = useQuery({
    queryKey: ['connectors', scope.org, scope.project],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => readAllPages<ConnectorManifest>(scoped(scope, '/connectors'), 'connectors', { signal }),
  });
  const fitting = (connectors.data ?? []).filter(({ test, credential }) => test && credential?.kind === kind);
  const connector = fitting.find((one) => one.name === chosen);
  const run = async (typed: Record<string, string>) => {
    const body = connector ? { connector: connector.name, with: readFields(typed) } : { url: typed.url };
    const path = scoped(scope, `/credentials/${encodeURIComponent(name)}/test`);
    const { result, says } = await json<CredentialTest>(path, { method: 'POST', body });
    toast(`${name}: ${says}`, result === 'works' ? undefined : { state: 'failed' });
  };
  return (
    <FormDialog title={`Test the credential ${name}?`} verb="Send a test request" run={run} close={close}>
      <p className="quiet">svc sends one harmless request with the credential, and shows whether it is accepted.</p>
      <label>
        Send it to
        <select name="connector" value={chosen} onChange={({ target }) => setChosen(target.value)}>
          <option value={URL_CHOICE}>An address</option>
          {fitting.map((one) => (
            <option key={one.name} value={one.name}>
              {one.title}
            </option>
          ))}
        </select>
      </label>
      {connector ? (
        fieldsOfTest(connector).map(({ name: field, title, preset, required }) => (
          <TextField
            key={`${chosen} ${field}`}
            name={`${WITH}${field}`}
            label={title}
            optional={!required}
            {...(preset !== undefined && { value: preset })}
          />
        ))
      ) : (
        <TextField
          name="url"
          label="Address"
          value="https://"
          hint={
            kind === 'url_token' ? 'With {credential} where the token belongs.' : 'Such as https://api.example.com/me'
          }
        />
      )}
    </FormDialog>
  );
}
