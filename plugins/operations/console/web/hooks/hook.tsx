import { useParams } from '@tanstack/react-router';
import { Blocks, Clock, KeyRound, Puzzle, Radio, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import type { Hook } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useRefetch } from '../api/read-again.ts';
import { useMay } from '../app/session.ts';
import { Deliveries } from '../deliveries/deliveries.tsx';
import { OldSecret, rotations } from '../deliveries/rotate.tsx';
import { proofOfHook } from '../deliveries/sign.ts';
import { AddressCard } from '../deliveries/test-delivery.tsx';
import { Copy, Loading, Problem, Tag, Time } from '../kit/basics.tsx';
import { Detail, HeadFact, Split } from '../kit/detail.tsx';
import { EditAndMore, namedPath, useNamed } from '../kit/named.tsx';
import { Once, type Secret } from '../kit/once.tsx';
import { Panel } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { HOOKS, MODES, secretOf } from './kind.ts';

const FROM = '/orgs/$org/projects/$project/hooks/$hook';

/** Connectors find the type and the id of a delivery in its body, or in headers. */
const sampleOf = ({ mode }: Hook) => ({
  type: 'test',
  payload: mode === 'manifest' ? { id: `test-${Date.now()}`, type: 'test', data: {} } : { test: true },
});

/** One hook: its address, how deliveries prove themselves, and what has come. */
export function HookPage() {
  const { hook: name, ...scope } = useParams({ from: FROM });
  const [shown, setShown] = useState<Secret>();
  const may = useMay(scope);
  const refetchAll = useRefetch();
  const path = namedPath(HOOKS, scope, name);
  const { data: hook, error, isPending, refetch } = useNamed(HOOKS, scope, name);
  const own = hook && !hook.owner && may('admin');
  // The answer may hold the secret, which does not belong into what the page keeps.
  const rotate = async (body: Record<string, unknown>) => {
    setShown(secretOf(await json<Hook>(`${path}/rotate`, { method: 'POST', body })));
    await refetchAll([HOOKS.one, path]);
  };
  return (
    <Detail
      name={name}
      summary={hook && <Facts hook={hook} />}
      actions={
        own && (
          <EditAndMore
            kind={HOOKS}
            scope={scope}
            name={name}
            onSecret={setShown}
            actions={rotations({
              of: hook,
              command: 'svc event-hook',
              path,
              keyed: hook.mode !== 'token',
              rotate,
            })}
          />
        )
      }
    >
      {error && <Problem error={error} again={() => void refetch()} />}
      {isPending && <Loading />}
      {hook && (
        <Split
          title="Recent deliveries"
          about={<span className="push">Newest first</span>}
          left={<Deliveries scope={scope} command="svc event-hook" name={name} path={path} may={may('member')} />}
          command={`svc event-hook show ${name}`}
        >
          <Once shown={shown} close={() => setShown(undefined)} />
          <OldSecret of={hook} />
          <AddressCard
            {...{ scope, name, path }}
            may={may('admin')}
            address={hook.ingest_url}
            proof={proofOfHook(hook)}
            connector={hook.manifest}
            secret={shown?.secret}
            sample={sampleOf(hook)}
            keyed={hook.mode !== 'token'}
          />
          <Verification hook={hook} />
        </Split>
      )}
    </Detail>
  );
}

/** What a sender has to do. */
function Verification({ hook: { mode, hmac, manifest, ingest_url } }: { hook: Hook }) {
  const command = `curl -X POST ${ingest_url} \\\n  -H "X-Svc-Hook-Secret: $SECRET" -H 'Content-Type: application/json' -d '{"ok": true}'`;
  return (
    <Panel title="For the sender">
      {mode === 'token' && (
        <>
          <p>
            Each delivery carries the secret in the <code>X-Svc-Hook-Secret</code> header.
          </p>
          <div className="address">
            <pre className="code-line">{command}</pre>
            <Copy text={command} label="Copy command" />
          </div>
        </>
      )}
      {hmac && (
        <>
          <p>Each delivery is signed with the signing key, in this header:</p>
          <pre>
            {visible(hmac.header)}: {visible(hmac.prefix)}&lt;{hmac.algorithm}, {hmac.encoding}&gt;
          </pre>
        </>
      )}
      {manifest && <p>Each delivery is signed as the {visible(manifest)} connector describes.</p>}
    </Panel>
  );
}

const Facts = ({ hook }: { hook: Hook }) => (
  <>
    <HeadFact icon={Radio}>
      {hook.event_type === undefined ? 'Type set by each delivery' : <Tag>{hook.event_type}</Tag>}
    </HeadFact>
    <HeadFact icon={ShieldCheck}>{MODES[hook.mode]}</HeadFact>
    {hook.manifest && <HeadFact icon={Blocks}>{visible(hook.manifest)}</HeadFact>}
    <HeadFact icon={KeyRound}>
      <span>
        Secret created <Time at={hook.secret_at} />
      </span>
    </HeadFact>
    <HeadFact icon={Clock}>
      <span>
        Changed <Time at={hook.set_at} />
      </span>
    </HeadFact>
    {hook.owner && <HeadFact icon={Puzzle}>Managed by {visible(hook.owner.replace(':', ' '))}</HeadFact>}
  </>
);
