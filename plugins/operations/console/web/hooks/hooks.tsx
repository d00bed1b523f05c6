import { useParams, useSearch } from '@tanstack/react-router';
import { Anchor } from 'lucide-react';
import type { Hook } from '../../../../../cli/generated/api.ts';
import { useMay } from '../app/session.ts';
import { LastDelivery } from '../deliveries/last-delivery.tsx';
import { Tag, Time } from '../kit/basics.tsx';
import { editAction, NamedList, namedPath, removeAction } from '../kit/named.tsx';
import { visible } from '../kit/text.ts';
import { AddressCell } from '../webhooks/webhooks.tsx';
import { HOOKS, MODES } from './kind.ts';

const FROM = '/orgs/$org/projects/$project/hooks';

export function Hooks() {
  const scope = useParams({ from: FROM });
  const address = useSearch({ from: FROM });
  const may = useMay(scope);
  return (
    <NamedList<Hook>
      kind={HOOKS}
      scope={scope}
      address={address}
      may={may('admin')}
      mark={() => <Anchor className="mark" size={16} aria-hidden />}
      columns={[
        { name: 'Event type', look: 'c-when', cell: EventType },
        {
          name: 'Address',
          look: 'c-roomy',
          cell: ({ name, ingest_url }) => <AddressCell name={name} address={ingest_url} />,
        },
        { name: 'Verified by', look: 'c-wide second', cell: Proof },
        {
          name: 'Last delivery',
          look: 'c-short',
          cell: ({ name }) => <LastDelivery path={namedPath(HOOKS, scope, name)} />,
        },
        { name: 'Changed', look: 'c-end c-wide', cell: ({ set_at }) => <Time at={set_at} /> },
      ]}
      second={(hook) => (
        <>
          <span className="clip">
            <EventType {...hook} />
          </span>
          <span className="push">
            <LastDelivery path={namedPath(HOOKS, scope, hook.name)} />
          </span>
        </>
      )}
      // What a graph owns is changed there.
      actions={({ owner }, of, onSecret) => [!owner && editAction(of, onSecret), !owner && removeAction(of)]}
    />
  );
}

const EventType = ({ event_type }: Hook) =>
  event_type === undefined ? <span className="quiet">Set by each delivery</span> : <Tag>{event_type}</Tag>;

const Proof = ({ mode, manifest }: Hook) => (
  <>
    {MODES[mode]}
    {manifest && ` · ${visible(manifest)}`}
  </>
);
