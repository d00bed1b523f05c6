import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useRef } from 'react';
import { Panels } from '../extensions/panels.tsx';
import { Loading, Name, Problem, Status } from '../kit/basics.tsx';
import { Page, Panel } from '../kit/page.tsx';
import { ChainPanel } from '../chain/chain.tsx';
import { CompareLink, RunActions } from './actions.tsx';
import { Facts } from './facts.tsx';
import { Files } from './files.tsx';
import { Journal, type JournalHandle } from './journal.tsx';
import { Log } from './log.tsx';
import { Notes } from './notes.tsx';
import { OPEN } from './steps.ts';
import { Timeline } from './timeline.tsx';
import { useRun } from './use-run.ts';
import { DeterminismViolation } from './violation.tsx';
import { Waiting } from './waiting.tsx';
import { Why } from './why.tsx';

const RunGraph = lazy(() => import('../graphs/run/run-graph.tsx'));
const RunJobs = lazy(() => import('../pipelines/run-jobs.tsx'));
const Artifacts = lazy(() => import('../pipelines/artifacts.tsx'));
const DRAWN = ['graph', 'node'];

export function Run() {
  const { org, project, run: run_id } = useParams({ from: '/orgs/$org/projects/$project/runs/$run' });
  const { job } = useSearch({ from: '/orgs/$org/projects/$project/runs/$run' });
  const navigate = useNavigate({ from: '/orgs/$org/projects/$project/runs/$run' });
  const scope = { org, project };
  const journal = useRef<JournalHandle>(null);
  const { record, steps, path } = useRun(scope, run_id);
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
      actions={
        <>
          <CompareLink scope={scope} a={run_id}>
            Compare with…
          </CompareLink>
          <RunActions scope={scope} run={run} />
        </>
      }
      same={{ command: `svc status ${run_id}`, call: `GET ${path}` }}
    >
      <Panel>
        <Facts scope={scope} run={run} />
      </Panel>
      <DeterminismViolation run={run} />
      <Why scope={scope} run={run} steps={all} />
      <Waiting scope={scope} run={run} />
      <ChainPanel scope={scope} kind="runs" id={run_id} />
      <Notes texts={run.annotations} />
      {DRAWN.includes(run.kind) && (
        <Panel title="Graph">
          <Suspense fallback={<Loading />}>
            <RunGraph scope={scope} run={run} steps={all} />
          </Suspense>
        </Panel>
      )}
      {run.kind === 'pipeline' && (
        <Panel title="Jobs">
          <Suspense fallback={<Loading />}>
            <RunJobs
              scope={scope}
              run={run}
              steps={all}
              chosen={job}
              onChoose={(chosen) =>
                void navigate({ search: chosen === undefined ? {} : { job: chosen }, replace: true })
              }
            />
          </Suspense>
        </Panel>
      )}
      {run.kind === 'script' && <Files scope={scope} run={run} />}
      <Suspense fallback={null}>
        <Artifacts scope={scope} run_id={run_id} open={OPEN.includes(run.status)} />
      </Suspense>
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
      {/* A job that is open shows its own part of it. */}
      {job === undefined && (
        <Panel title="Log">
          <Log path={`${path}/logs`} />
        </Panel>
      )}
      <Panels scope={scope} place="run" of={{ run: run_id }} />
    </Page>
  );
}
