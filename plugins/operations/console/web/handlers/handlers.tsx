import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import type { HandlerView } from '../../../../../cli/generated/api.ts';
import { useMay } from '../app/session.ts';
import { StatusIcon, Tag, Time } from '../kit/basics.tsx';
import { editAction, NamedList, removeAction } from '../kit/named.tsx';
import { visible } from '../kit/text.ts';
import { WhatRuns } from '../kit/what-runs.tsx';
import { activityOf, LastDay } from './activity.tsx';
import { HANDLERS } from './kind.ts';

interface Load {
  in_flight: number;
  queued: number;
}

const FROM = '/orgs/$org/projects/$project/handlers';
const TAGS = 2;

export function Handlers() {
  const scope = useParams({ from: FROM });
  const address = useSearch({ from: FROM });
  const navigate = useNavigate();
  const may = useMay(scope);
  return (
    <NamedList<HandlerView>
      kind={HANDLERS}
      scope={scope}
      address={address}
      may={may('member')}
      mark={(handler) => <StatusIcon of={activityOf(handler)} />}
      columns={[
        { name: 'Event types', look: 'c-name', cell: ({ on }) => <Types on={on} /> },
        {
          name: 'Condition',
          look: 'c-roomy second',
          cell: ({ when }) =>
            when ? <code title={visible(when)}>{visible(when)}</code> : <span className="quiet">Every event</span>,
        },
        { name: 'Runs', look: 'c-wide', cell: (handler) => <WhatRuns workflow={{ ...handler }} /> },
        { name: 'Last 24 hours', look: 'c-state second', cell: LastDay },
        { name: 'Changed', look: 'c-end c-wide', cell: ({ set_at }) => <Time at={set_at} /> },
      ]}
      second={(handler) => (
        <>
          <span className="clip">
            <Types on={handler.on} />
          </span>
          <span className="push">
            <LastDay lately={handler.lately} />
          </span>
        </>
      )}
      actions={({ owner }, of) => [
        {
          icon: FlaskConical,
          label: 'Test with an event',
          run: () => void navigate({ to: `${FROM}/$handler`, params: { ...scope, handler: of.name }, search: {} }),
        },
        // What a graph owns is changed there.
        !owner && editAction(of),
        !owner && removeAction(of),
      ]}
      beside={(answer) => <Slots load={answer as Load} />}
    />
  );
}

const Slots = ({ load: { in_flight, queued } }: { load: Load }) => (
  <span className="quiet" title="When 16 handler runs are queued or running, new events wait.">
    {in_flight} of 16 slots in use{queued > 0 && ` · ${queued} events wait`}
  </span>
);

const Types = ({ on }: { on: readonly string[] }) => (
  <span className="tags" title={on.map(visible).join(', ')}>
    {on.slice(0, TAGS).map((pattern) => (
      <Tag key={pattern}>{pattern}</Tag>
    ))}
    {on.length > TAGS && <span className="quiet">+{on.length - TAGS}</span>}
  </span>
);
