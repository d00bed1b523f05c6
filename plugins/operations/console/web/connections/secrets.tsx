import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Secret, SecretEntry } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useReadAgain } from '../api/read-again.ts';
import { useMay } from '../app/session.ts';
import { Copy, Time } from '../kit/basics.tsx';
import { Confirm } from '../kit/confirm.tsx';
import { DialogForm, HiddenField, TextField } from '../kit/dialog-form.tsx';
import { List, Table } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { visible } from '../kit/text.ts';
import { useTarget } from '../kit/target.ts';
import { ConnectionTabs } from './tabs.tsx';

const NAME = '[A-Za-z_][A-Za-z0-9_]{0,127}';

/** Every trusted job of the project gets each of them as a variable. */
export function Secrets() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/connections/secrets' });
  const may = useMay(scope);
  const path = scoped(scope, '/secrets');
  const list = usePaged<'secrets', SecretEntry>('secrets', path, {}, { again_ms: AGAIN_MS });
  useTarget(list.items !== undefined);
  return (
    <Page
      title="Secrets"
      actions={may('admin') && <SecretForm scope={scope} />}
      same={{ command: 'svc secret list', call: `GET ${path}` }}
    >
      <ConnectionTabs scope={scope} />
      <p className="quiet">Every trusted job of this project gets each secret as a variable of its name.</p>
      <List list={list} empty="No secret is set yet.">
        {(items) => (
          <Table columns={['Name', '-Set', 'Value', ...(may('admin') ? ['Actions'] : [])]}>
            {items.map(({ name, set_at }) => (
              <tr key={name} id={name}>
                <td>
                  <strong className="mono">{name}</strong>
                </td>
                <td className="wide">
                  <Time at={set_at} />
                </td>
                <td>
                  <Reveal key={set_at} scope={scope} name={name} />
                </td>
                {may('admin') && (
                  <td>
                    <div className="row">
                      <SecretForm scope={scope} known={name} />
                      <Remove scope={scope} name={name} />
                    </div>
                  </td>
                )}
              </tr>
            ))}
          </Table>
        )}
      </List>
    </Page>
  );
}

function SecretForm({ scope, known }: { scope: Scope; known?: string }) {
  const readAgain = useReadAgain();
  const list = scoped(scope, '/secrets');
  const save = async ({ name = '', value }: Record<string, string>) => {
    await json(`${list}/${encodeURIComponent(known ?? name)}`, { method: 'PUT', body: { value } });
    await readAgain(listKey(list));
  };
  return (
    <DialogForm
      label={known ? 'Replace' : 'New secret'}
      title={known ? `Replace the secret ${known}` : 'New secret'}
      verb={known ? 'Replace it' : 'Store it'}
      main={!known}
      run={save}
    >
      {!known && <TextField name="name" label="Name" pattern={NAME} wants="Letters, digits and _, as of a variable" />}
      <HiddenField name="value" label="Value" hint="At least 4 characters: a shorter one cannot be masked in logs" />
      <p className="quiet">
        A value of several lines is set with <code>svc secret set {known ?? '<NAME>'} @file</code>.
      </p>
    </DialogForm>
  );
}

function Remove({ scope, name }: { scope: Scope; name: string }) {
  const readAgain = useReadAgain();
  const list = scoped(scope, '/secrets');
  const remove = async () => {
    await json(`${list}/${encodeURIComponent(name)}`, { method: 'DELETE' });
    await readAgain(listKey(list));
  };
  return (
    <Confirm label="Remove" title={`Remove the secret ${name}?`} verb="Remove it" danger run={remove}>
      Jobs that begin from now on do not get it.
    </Confirm>
  );
}

/** The value lives in this row only, until it is hidden, replaced or the page is left. */
function Reveal({ scope, name }: { scope: Scope; name: string }) {
  const [value, setValue] = useState<string>();
  if (value !== undefined)
    return (
      <>
        <pre>{visible(value)}</pre>
        <div className="row">
          <Copy text={value} label={`Copy the value of ${name}`} />
          <button type="button" className="small" onClick={() => setValue(undefined)}>
            Hide
          </button>
        </div>
      </>
    );
  const path = scoped(scope, `/secrets/${encodeURIComponent(name)}`);
  return (
    <Confirm
      label="Show"
      title={`Show the value of ${name}?`}
      verb="Show it"
      run={async () => setValue((await json<Secret>(path)).value)}
    >
      The audit log records that you read it. <code>svc secret get {name}</code> does the same.
    </Confirm>
  );
}
