import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Hook } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { type Scope, scoped } from '../api/paths.ts';
import { useMay } from '../app/session.ts';
import { Deliveries } from '../deliveries/deliveries.tsx';
import { OldSecret, Rotate } from '../deliveries/rotate.tsx';
import { Copy, Loading, Name, Problem, Time } from '../kit/basics.tsx';
import { Confirm } from '../kit/confirm.tsx';
import { DialogForm } from '../kit/dialog-form.tsx';
import { Fact } from '../kit/facts.tsx';
import { Once, type Secret } from '../kit/once.tsx';
import { listKey } from '../kit/paged.ts';
import { Page, Panel } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { HookFields, hookOf } from './form.tsx';
import { MODES, secretOf } from './hooks.tsx';

/** One hook: its address, how deliveries prove themselves, and what has come. */
export function HookPage() {
  const { hook: name, ...scope } = useParams({ from: '/orgs/$org/projects/$project/hooks/$hook' });
  const [shown, setShown] = useState<Secret>();
  const may = useMay(scope);
  const path = scoped(scope, `/event-hooks/${encodeURIComponent(name)}`);
  const read = useQuery({ queryKey: ['hook', path], queryFn: ({ signal }) => json<Hook>(path, { signal }) });
  const hook = read.data;
  const own = hook && !hook.owner && may('admin');
  return (
    <Page
      title={name}
      heading={<Name>{name}</Name>}
      actions={own && <Actions scope={scope} hook={hook} path={path} onSecret={setShown} />}
      same={{ command: `svc event-hook show ${name}`, call: `GET ${path}` }}
    >
      {read.error && <Problem error={read.error} again={() => void read.refetch()} />}
      {read.isPending && <Loading />}
      <Once shown={shown} close={() => setShown(undefined)} />
      {hook && (
        <>
          <Panel>
            <Facts hook={hook} />
          </Panel>
          <Deliveries scope={scope} command="svc event-hook" name={name} path={path} may={may('member')} />
        </>
      )}
    </Page>
  );
}

const Facts = ({ hook }: { hook: Hook }) => (
  <dl>
    <Fact name="Address">
      <code>{hook.ingest_url}</code> <Copy text={hook.ingest_url} label="Copy the address" />
    </Fact>
    <Fact name="Type of its events">
      {hook.event_type === undefined ? 'by its deliveries' : visible(hook.event_type)}
    </Fact>
    <Fact name="A delivery shows">{MODES[hook.mode]}</Fact>
    {hook.manifest && <Fact name="Connector">{visible(hook.manifest)}</Fact>}
    {hook.hmac && (
      <Fact name="Signature">
        <code>
          {visible(hook.hmac.header)}: {visible(hook.hmac.prefix)}&lt;{hook.hmac.algorithm}, {hook.hmac.encoding}&gt;
        </code>
      </Fact>
    )}
    {hook.mode === 'token' && (
      <Fact name="A delivery by hand">
        <pre>{`curl -X POST ${hook.ingest_url} \\\n  -H "X-Svc-Hook-Secret: $SECRET" -H 'Content-Type: application/json' -d '{"ok": true}'`}</pre>
      </Fact>
    )}
    {hook.owner && <Fact name="Belongs to">{visible(hook.owner)}; it changes with it</Fact>}
    <Fact name="Set">
      <Time at={hook.set_at} />
    </Fact>
    <Fact name="Secret since">
      <Time at={hook.secret_at} />
    </Fact>
    <OldSecret of={hook} />
  </dl>
);

interface ActionProps {
  scope: Scope;
  hook: Hook;
  path: string;
  onSecret(secret: Secret | undefined): void;
}

function Actions({ scope, hook, path, onSecret }: ActionProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  // The answer may hold the secret, which does not belong into what the page keeps.
  const done = async (answer: Hook) => {
    onSecret(secretOf(answer));
    await client.invalidateQueries({ queryKey: ['hook', path] });
  };
  const remove = async () => {
    await json(path, { method: 'DELETE' });
    client.removeQueries({ queryKey: ['hook', path] });
    await client.invalidateQueries({ queryKey: listKey(scoped(scope, '/event-hooks')) });
    void navigate({ to: '/orgs/$org/projects/$project/hooks', params: scope });
  };
  const rotate = async (body: Record<string, unknown>) =>
    done(await json<Hook>(`${path}/rotate`, { method: 'POST', body }));
  return (
    <>
      <DialogForm
        label="Change"
        title={`Change the hook ${hook.name}`}
        verb="Set it again"
        run={async (fields) => done(await json<Hook>(path, { method: 'PUT', body: hookOf(fields) }))}
      >
        <p className="quiet">Its address stays, and so does a secret that the service made.</p>
        <HookFields hook={hook} />
      </DialogForm>
      <Rotate of={hook} command="svc event-hook" path={path} keyed={hook.mode !== 'token'} rotate={rotate} />
      <Confirm label="Remove" title={`Remove the hook ${hook.name}?`} verb="Remove it" danger run={remove}>
        Its address takes no more deliveries, and no later hook has it again. Events that came stay.
      </Confirm>
    </>
  );
}
