import { useParams, useSearch } from '@tanstack/react-router';
import { Clock, History, Pencil, Puzzle, Radio, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { HandlerView } from '../../../../../cli/generated/api.ts';
import { useMay } from '../app/session.ts';
import { ActionMenu } from '../kit/action-menu.tsx';
import { Loading, Problem, Status, Tag, Time } from '../kit/basics.tsx';
import { Detail, HeadFact, Split } from '../kit/detail.tsx';
import { Panel } from '../kit/page.tsx';
import { visible } from '../kit/text.ts';
import { WhatRuns } from '../kit/what-runs.tsx';
import { WorkflowFacts } from '../kit/workflow-fields.tsx';
import { activityOf, LastDay } from './activity.tsx';
import { ChangeHandler, handlerPath, RemoveHandler, useHandler } from './changes.tsx';
import { Lately } from './lately.tsx';
import { TestPanel } from './test-panel.tsx';

const FROM = '/orgs/$org/projects/$project/handlers/$handler';

/** One handler: what its newest events came to, what it says, and what an event would do. */
export function Handler() {
  const { handler: name, ...scope } = useParams({ from: FROM });
  const { event } = useSearch({ from: FROM });
  const [edits, setEdits] = useState(false);
  const may = useMay(scope);
  const path = handlerPath(scope, name);
  const { data: handler, error, isPending, refetch } = useHandler(scope, name);
  const own = handler && !handler.owner && may('member');
  return (
    <Detail
      name={name}
      status={handler && <Status of={activityOf(handler)} />}
      summary={handler && <Facts handler={handler} />}
      actions={
        own && (
          <>
            <button type="button" onClick={() => setEdits(true)}>
              <Pencil size={14} aria-hidden /> Edit
            </button>
            <ActionMenu
              label={`Actions for ${name}`}
              actions={[
                {
                  icon: Trash2,
                  label: 'Remove handler',
                  danger: true,
                  opens: (close) => <RemoveHandler scope={scope} name={name} close={close} />,
                },
              ]}
            />
          </>
        )
      }
    >
      {error && <Problem error={error} again={() => void refetch()} />}
      {isPending && <Loading />}
      {edits && own && <ChangeHandler scope={scope} name={name} close={() => setEdits(false)} />}
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
