import { useParams } from '@tanstack/react-router';
import { Clock, GitBranch, Globe, KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { WebhookView } from '../../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useRefetch } from '../api/read-again.ts';
import { useMay } from '../app/session.ts';
import { Deliveries } from '../deliveries/deliveries.tsx';
import { OldSecret, rotations } from '../deliveries/rotate.tsx';
import { AddressCard } from '../deliveries/test-delivery.tsx';
import { Loading, Problem, Status, Time } from '../kit/basics.tsx';
import { Detail, HeadFact, Split } from '../kit/detail.tsx';
import { EditAndMore, namedPath, useNamed } from '../kit/named.tsx';
import { Once, type Secret } from '../kit/once.tsx';
import { Panel } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { WorkflowFacts } from '../kit/workflow-fields.tsx';
import { REGISTRATION, REGISTRATION_STATES, secretOf, WEBHOOKS } from './kind.ts';
import { Runs } from './webhooks.tsx';

const FROM = '/orgs/$org/projects/$project/webhooks/$webhook';
const ZEROS = '0'.repeat(40);

/** What a forge sends when one asks it for a test: nothing was pushed, so nothing is built. */
const sampleOf = ({ repo }: WebhookView) => ({
  type: 'ping',
  payload: {
    zen: 'A test delivery from the console',
    hook_id: 0,
    repository: { full_name: repo },
    sender: { login: 'svc-console' },
    after: ZEROS,
  },
});

/** One repository at a forge: its address, what runs at its pushes, and what came. */
export function Webhook() {
  const { webhook: name, ...scope } = useParams({ from: FROM });
  const [shown, setShown] = useState<Secret>();
  const may = useMay(scope);
  const refetchAll = useRefetch();
  const path = namedPath(WEBHOOKS, scope, name);
  const { data: webhook, error, isPending, refetch } = useNamed(WEBHOOKS, scope, name);
  // The answer holds the secret, which does not belong into what the page keeps.
  const rotate = async (body: Record<string, unknown>) => {
    setShown(secretOf(await json<WebhookView>(`${path}/rotate`, { method: 'POST', body })));
    await refetchAll([WEBHOOKS.one, path]);
  };
  return (
    <Detail
      name={name}
      status={
        webhook && <Status of={REGISTRATION_STATES[webhook.registration]}>{REGISTRATION[webhook.registration]}</Status>
      }
      summary={webhook && <Facts webhook={webhook} />}
      actions={
        webhook &&
        may('admin') && (
          <EditAndMore
            kind={WEBHOOKS}
            scope={scope}
            name={name}
            actions={rotations({
              of: webhook,
              command: 'svc webhook',
              path,
              also: 'A webhook that the service created at the forge gets the new secret.',
              rotate,
            })}
          />
        )
      }
    >
      {error && <Problem error={error} again={() => void refetch()} />}
      {isPending && <Loading />}
      {webhook && (
        <Split
          title="Recent deliveries"
          about={<span className="push">Newest first</span>}
          left={<Deliveries scope={scope} command="svc webhook" name={name} path={path} may={may('member')} />}
          command={`svc webhook show ${name}`}
        >
          <Once shown={shown} close={() => setShown(undefined)} />
          <OldSecret of={webhook} />
          {webhook.warnings && <p className="banner failed">{webhook.warnings.map(visible).join(' ')}</p>}
          <AddressCard
            {...{ scope, name, path }}
            may={may('admin')}
            address={webhook.delivery_url}
            proof={undefined}
            connector={webhook.forge}
            secret={shown?.secret}
            sample={sampleOf(webhook)}
            keyed={false}
          />
          <Panel title="Definition">
            <dl>
              <WorkflowFacts workflow={webhook.workflow} />
            </dl>
          </Panel>
        </Split>
      )}
    </Detail>
  );
}

const Facts = ({ webhook }: { webhook: WebhookView }) => (
  <>
    <HeadFact icon={GitBranch}>
      <span>
        {visible(webhook.repo)} · {visible(webhook.forge)}
      </span>
    </HeadFact>
    <Runs workflow={webhook.workflow} />
    {webhook.api_base && <HeadFact icon={Globe}>{visible(webhook.api_base)}</HeadFact>}
    {webhook.credential && <HeadFact icon={KeyRound}>{visible(webhook.credential)}</HeadFact>}
    <HeadFact icon={Clock}>
      <span>
        Changed <Time at={webhook.set_at} />
      </span>
    </HeadFact>
  </>
);
