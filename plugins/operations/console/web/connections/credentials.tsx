import { useParams } from '@tanstack/react-router';
import type { Credential } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useReadAgain } from '../api/read-again.ts';
import { useMay } from '../app/session.ts';
import { Confirm } from '../kit/confirm.tsx';
import { List, Table } from '../kit/list.tsx';
import { Page } from '../kit/page.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { useTarget } from '../kit/target.ts';
import { CredentialForm } from './credential-form.tsx';
import { KINDS } from './kinds.ts';
import { ConnectionTabs } from './tabs.tsx';
import { UsedBy } from './used-by.tsx';

/** Names and kinds; nothing shows a value. */
export function Credentials() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/connections/credentials' });
  const may = useMay(scope);
  const path = scoped(scope, '/credentials');
  const list = usePaged<'credentials', Credential>('credentials', path, {}, { again_ms: AGAIN_MS });
  useTarget(list.items !== undefined);
  return (
    <Page
      title="Credentials"
      actions={may('admin') && <CredentialForm scope={scope} />}
      same={{ command: 'svc credential list', call: `GET ${path}` }}
    >
      <ConnectionTabs scope={scope} />
      <List list={list} empty="No credential is stored yet.">
        {(items) => (
          <Table columns={['Name', 'Kind', '-Used by', ...(may('admin') ? ['Actions'] : [])]}>
            {items.map((one) => (
              <tr key={one.name} id={one.name}>
                <td>
                  <strong>{one.name}</strong>
                </td>
                <td className="word">{KINDS[one.kind].title}</td>
                <td className="wide">
                  <UsedBy scope={scope} of="credentials" name={one.name} />
                </td>
                {may('admin') && (
                  <td>
                    <Actions scope={scope} credential={one} />
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

function Actions({ scope, credential }: { scope: Scope; credential: Credential }) {
  const readAgain = useReadAgain();
  const list = scoped(scope, '/credentials');
  const remove = async () => {
    await json(`${list}/${encodeURIComponent(credential.name)}`, { method: 'DELETE' });
    await readAgain(listKey(list));
  };
  return (
    <div className="row">
      <CredentialForm scope={scope} known={credential} />
      <Confirm label="Remove" title={`Remove the credential ${credential.name}?`} verb="Remove it" danger run={remove}>
        Everything that uses it fails from its next request. “Used by” lists it.
      </Confirm>
    </div>
  );
}
