import { useParams, useSearch } from '@tanstack/react-router';
import { Clock, History, Hourglass, Puzzle, Radio } from 'lucide-react';
import type { HandlerView } from '../../../../../cli/generated/api.ts';
import { useMay } from '../app/session.ts';
import { Loading, Problem, Status, Tag, Time } from '../kit/basics.tsx';
import { Detail, HeadFact, Split } from '../kit/detail.tsx';
import { EditAndMore, namedPath, useNamed } from '../kit/named.tsx';
import { Panel } from '../kit/page.tsx';
import { count, visible } from '../kit/text.ts';
import { WhatRuns } from '../kit/what-runs.tsx';
import { WorkflowFacts } from '../kit/workflow-fields.tsx';
import { activityOf, LastDay } from './activity.tsx';
import { flowSummary } from './flow-summary.ts';
import { HANDLERS } from './kind.ts';
import { Lately } from './lately.tsx';
import { TestPanel } from './test-panel.tsx';

const FROM = '/orgs/$org/projects/$project/handlers/$handler';

/** One handler: what its newest events came to, what it says, and what an event would do. */
export function Handler() {
  const { handler: name, ...scope } = useParams({ from: FROM });
  const { event } = useSearch({ from: FROM });
  const may = useMay(scope);
  const path = namedPath(HANDLERS, scope, name);
  const { data: handler, error, isPending, refetch } = useNamed(HANDLERS, scope, name);
  const own = handler && !handler.owner && may('member');
  return (
    <Detail
      name={name}
      status={handler && <Status of={activityOf(handler)} />}
      summary={handler && <Facts handler={handler} />}
      actions={own && <EditAndMore kind={HANDLERS} scope={scope} name={name} />}
    >
      {error && <Problem error={error} again={() => void refetch()} />}
      {isPending && <Loading />}
      {handler && (
        <Split
          title="Recent events"
          about={<span className="push">Newest first</span>}
          left={<Lately scope={scope} handler={handler} />}
          command={`svc handler show ${name}`}
        >
          {may('member') && <TestPanel key={event ?? name} scope={scope} path={path} name={name} event={event} />}
          <Panel title="Definition">
            <dl>
              <WorkflowFacts workflow={{ ...handler }} />
            </dl>
          </Panel>
        </Split>
      )}
    </Detail>
  );
}

const Facts = ({ handler }: { handler: HandlerView }) => (
  <>
    <HeadFact icon={Radio}>
      {handler.on.map((pattern) => (
        <Tag key={pattern}>{pattern}</Tag>
      ))}
    </HeadFact>
    {handler.when && (
      <span>
        when <code>{visible(handler.when)}</code>
      </span>
    )}
    {flowSummary(handler).map((fact) => (
      <span key={fact}>{visible(fact)}</span>
    ))}
    {handler.waiting?.map(({ for: what, count: waiting, until }) => (
      <HeadFact key={what} icon={Hourglass}>
        <span>
          {count(waiting)} {waiting === 1 ? 'event waits' : 'events wait'} for {what}
          {until && (
            <>
              {' '}
              until <Time at={until} />
            </>
          )}
        </span>
      </HeadFact>
    ))}
    <WhatRuns workflow={{ ...handler }} />
    <HeadFact icon={History}>
      <span>
        <LastDay lately={handler.lately} /> in 24 hours
      </span>
    </HeadFact>
    <HeadFact icon={Clock}>
      <span>
        Changed <Time at={handler.set_at} />
      </span>
    </HeadFact>
    {handler.owner && <HeadFact icon={Puzzle}>Managed by {visible(handler.owner.replace(':', ' '))}</HeadFact>}
  </>
);
