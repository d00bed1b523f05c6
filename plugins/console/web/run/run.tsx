import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useRef } from 'react';
import type { RunRecord } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import { scoped } from '../api/paths.ts';
import { Loading, Name, Problem, Status } from '../kit/basics.tsx';
import { Page, Panel } from '../kit/page.tsx';
import { RunActions } from './actions.tsx';
import { Facts } from './facts.tsx';
import { Journal, type JournalHandle } from './journal.tsx';
import { Log } from './log.tsx';
import { Notes } from './notes.tsx';
import { OPEN, useSteps } from './steps.ts';
import { Timeline } from './timeline.tsx';
import { Waiting } from './waiting.tsx';
import { Why } from './why.tsx';

export function Run() {
  const { org, project, run: run_id } = useParams({ from: '/orgs/$org/projects/$project/runs/$run' });
  const scope = { org, project };
  const path = scoped(scope, `/runs/${encodeURIComponent(run_id)}`);
  const journal = useRef<JournalHandle>(null);
  const client = useQueryClient();
  const record = useQuery({ queryKey: ['run', path], queryFn: ({ signal }) => json<RunRecord>(path, { signal }) });
  const steps = useSteps(path, record.data);
  useLive(scope, `run:${run_id}`, (kind, data) => {
    // What is told of a run has no output.
    if (kind === 'run' && OPEN.includes((data as RunRecord).status))
      client.setQueryData<RunRecord>(['run', path], (before) => before && { ...before, ...(data as RunRecord) });
    else if (kind === 'run' || kind === 'reset') void record.refetch();
    if (kind !== 'log') void steps.refetch();
  });
  if (record.error) return <Problem error={record.error} again={() => void record.refetch()} />;
  if (!record.data) return <Loading />;
  const run = record.data;
  const all = steps.data?.steps ?? [];
  return (
    <Page
      title={`${run.workflow} ${run_id.slice(-6)}`}
      heading={
        <>
          <Name>{run.workflow}</Name> <Status of={run.status} />
        </>
      }
      actions={<RunActions scope={scope} run={run} />}
      same={{ command: `svc status ${run_id}`, call: `GET ${path}` }}
    >
      <Panel>
        <Facts scope={scope} run={run} />
      </Panel>
      <Why scope={scope} run={run} steps={all} />
      <Waiting scope={scope} run={run} />
      <Notes texts={run.annotations} />
      <Panel title="Timeline">
        {steps.error ? (
          <Problem error={steps.error} again={() => void steps.refetch()} />
        ) : (
          <Timeline run={run} steps={all} onChoose={(key) => journal.current?.show(key)} />
        )}
      </Panel>
      <Panel title="Steps">
        <Journal ref={journal} scope={scope} run={run} steps={all} />
      </Panel>
      <Panel title="Log">
        <Log path={`${path}/logs`} />
      </Panel>
    </Page>
  );
}
