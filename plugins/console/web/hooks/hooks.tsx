import { useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Hook } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Name, Time } from '../kit/basics.tsx';
import { DialogForm, TextField } from '../kit/dialog-form.tsx';
import { List, Table } from '../kit/list.tsx';
import { NAME, NAME_WANTS } from '../kit/more-fields.tsx';
import { Once, type Secret } from '../kit/once.tsx';
import { AGAIN_MS, listKey, usePaged } from '../kit/paged.ts';
import { Page } from '../kit/page.tsx';
import { refuseTaken } from '../kit/taken.ts';
import { visible } from '../kit/text.ts';
import { HookFields, hookOf } from './form.tsx';

export const MODES: Record<Hook['mode'], string> = {
  token: 'a secret that it shows',
  manifest: 'a signature, as a connector describes it',
  hmac: 'an HMAC in a header',
};

export const secretOf = ({ name, secret }: Hook): Secret | undefined =>
  secret === undefined
    ? undefined
    : { of: `the hook ${name}`, secret, use: 'The sender puts it into the header X-Svc-Hook-Secret.' };

export function Hooks() {
  const scope = useParams({ from: '/orgs/$org/projects/$project/hooks' });
  const [shown, setShown] = useState<Secret>();
  const may = useMay(scope);
  const path = scoped(scope, '/event-hooks');
  const list = usePaged<'event_hooks', Hook>('event_hooks', path, {}, { again_ms: AGAIN_MS });
  return (
    <Page
      title="Hooks"
      actions={may('admin') && <MakeHook scope={scope} onMade={setShown} />}
      same={{ command: 'svc event-hook ls', call: `GET ${path}` }}
    >
      <p className="quiet">
        Addresses at which others tell what happened at their side. Each delivery becomes an event.
      </p>
      <Once shown={shown} close={() => setShown(undefined)} />
      <List list={list} empty="There is no hook yet.">
        {(hooks) => (
          <Table columns={['Hook', 'Type of its events', '-A delivery shows', '-Set']}>
            {hooks.map((hook) => (
              <Row key={hook.name} scope={scope} hook={hook} />
            ))}
          </Table>
        )}
      </List>
    </Page>
  );
}

const Row = ({ scope, hook }: { scope: Scope; hook: Hook }) => (
  <tr>
    <td>
      <Link to="/orgs/$org/projects/$project/hooks/$hook" params={{ ...scope, hook: hook.name }}>
        <Name>{hook.name}</Name>
      </Link>
      {hook.owner && <div className="quiet">of {visible(hook.owner)}</div>}
    </td>
    <td>
      {hook.event_type === undefined ? <span className="quiet">by its deliveries</span> : visible(hook.event_type)}
    </td>
    <td className="wide">{MODES[hook.mode]}</td>
    <td className="tight wide">
      <Time at={hook.set_at} />
    </td>
  </tr>
);

function MakeHook({ scope, onMade }: { scope: Scope; onMade(secret: Secret | undefined): void }) {
  const client = useQueryClient();
  const make = async (fields: Record<string, string>) => {
    const path = scoped(scope, `/event-hooks/${encodeURIComponent(fields.name ?? '')}`);
    await refuseTaken(path, 'hook');
    const hook = await json<Hook>(path, { method: 'PUT', body: hookOf(fields) });
    onMade(secretOf(hook));
    await client.invalidateQueries({ queryKey: listKey(scoped(scope, '/event-hooks')) });
  };
  return (
    <DialogForm label="New hook" title="New hook" verb="Make it" main run={make}>
      <TextField name="name" label="Name" pattern={NAME} wants={NAME_WANTS} />
      <HookFields />
    </DialogForm>
  );
}
