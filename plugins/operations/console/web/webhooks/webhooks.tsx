import { useParams, useSearch } from '@tanstack/react-router';
import { GitBranch, Webhook as WebhookIcon } from 'lucide-react';
import type { WebhookView } from '../../../../../cli/generated/api.ts';
import { useMay } from '../app/session.ts';
import { LastDelivery } from '../deliveries/last-delivery.tsx';
import { Copy } from '../kit/basics.tsx';
import { editAction, NamedList, namedPath, removeAction } from '../kit/named.tsx';
import { visible } from '../kit/text.ts';
import { WhatRuns } from '../kit/what-runs.tsx';
import { REGISTRATION, WEBHOOKS } from './kind.ts';

const FROM = '/orgs/$org/projects/$project/webhooks';

export function Webhooks() {
  const scope = useParams({ from: FROM });
  const address = useSearch({ from: FROM });
  const may = useMay(scope);
  return (
    <NamedList<WebhookView>
      kind={WEBHOOKS}
      scope={scope}
      address={address}
      may={may('admin')}
      mark={() => <WebhookIcon className="mark" size={16} aria-hidden />}
      columns={[
        { name: 'Repository', look: 'c-when', cell: (webhook) => <Repository webhook={webhook} /> },
        {
          name: 'Address',
          look: 'c-roomy',
          cell: ({ name, delivery_url }) => <AddressCell name={name} address={delivery_url} />,
        },
        { name: 'Runs on push', look: 'c-wide', cell: ({ workflow }) => <Runs workflow={workflow} /> },
        {
          name: 'Last delivery',
          look: 'c-short',
          cell: ({ name }) => <LastDelivery path={namedPath(WEBHOOKS, scope, name)} />,
        },
        {
          name: 'At the forge',
          look: 'c-state c-wide second',
          cell: ({ registration }) => REGISTRATION[registration],
        },
      ]}
      second={(webhook) => (
        <>
          <span className="clip">
            <Repository webhook={webhook} />
          </span>
          <span className="push">
            <LastDelivery path={namedPath(WEBHOOKS, scope, webhook.name)} />
          </span>
        </>
      )}
      actions={(_, of) => [editAction(of), removeAction(of)]}
    />
  );
}

/** An address that is too long for a column, with a button that copies all of it. */
export const AddressCell = ({ name, address }: { name: string; address: string }) => (
  <span className="address-cell">
    <code className="clip" title={address}>
      …{new URL(address).pathname.slice(-10)}
    </code>
    <Copy text={address} label={`Copy address of ${name}`} />
  </span>
);

const Repository = ({ webhook: { repo, forge } }: { webhook: WebhookView }) => (
  <span className="with-icon">
    <GitBranch size={14} aria-hidden />
    <span className="clip" title={`${visible(repo)} · ${visible(forge)}`}>
      {visible(repo)}
    </span>
  </span>
);

export const Runs = ({ workflow }: Pick<WebhookView, 'workflow'>) => (
  <WhatRuns workflow={workflow} nothing="Only handlers" />
);
