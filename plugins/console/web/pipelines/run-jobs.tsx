import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { RunDocument, RunRecord } from '../../../../cli/generated/api.ts';
import { json } from '../api/client.ts';
import type { Scope } from '../api/paths.ts';
import { Empty, Loading, Problem, Status } from '../kit/basics.tsx';
import { useNow } from '../kit/clock.ts';
import { took, visible } from '../kit/text.ts';
import type { AnyStep } from '../run/steps.ts';
import { isNode } from '../run/timeline.ts';
import { runPath } from '../run/use-run.ts';
import { type Job, jobsOf } from './document.ts';
import { JobDetails } from './job-details.tsx';
import { byNode, type JobState, stateOf } from './job-state.ts';
import { Stages } from './stages.tsx';

interface Props {
  scope: Scope;
  run: RunRecord;
  steps: readonly AnyStep[];
  /** The job that is open. */
  chosen: string | undefined;
  onChoose(job: string | undefined): void;
}

/** The run of a pipeline as its jobs. */
export default function RunJobs({ scope, run, steps, chosen, onChoose }: Props) {
  const path = runPath(scope, run.run_id);
  const read = useQuery({
    queryKey: ['run-document', path],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => json<RunDocument>(`${path}/document`, { signal }),
  });
  const jobs = useMemo(() => jobsOf(read.data?.source ?? ''), [read.data]);
  const nodes = useMemo(() => byNode(steps.filter(isNode)), [steps]);
  if (read.error) return <Problem error={read.error} again={() => void read.refetch()} />;
  if (!read.data) return <Loading />;
  if (jobs.length === 0) return <Empty>The document cannot be shown as jobs.</Empty>;
  const job = jobs.find(({ id }) => id === chosen);
  return (
    <>
      <Stages jobs={jobs}>
        {(one) => (
          <JobButton
            job={one}
            is={stateOf(one, nodes)}
            chosen={one.id === chosen}
            onClick={() => onChoose(one.id === chosen ? undefined : one.id)}
          />
        )}
      </Stages>
      {job && <JobDetails key={job.id} scope={scope} run={run} job={job} is={stateOf(job, nodes)} />}
    </>
  );
}

interface ButtonProps {
  job: Job;
  is: JobState;
  chosen: boolean;
  onClick(): void;
}

function JobButton({ job, is: { state, node, why }, chosen, onClick }: ButtonProps) {
  const now = useNow();
  const items = node?.items;
  return (
    <button type="button" className="job" aria-pressed={chosen} onClick={onClick}>
      <strong>{visible(job.id)}</strong>
      <Status of={state} />
      {node?.started_at && <span className="quiet">{took(node, now)}</span>}
      {items && (
        <span className="quiet">
          {items.ended} of {items.total} combinations{items.failed > 0 ? `, ${items.failed} failed` : ''}
        </span>
      )}
      {why && <span className="quiet">{visible(why)}</span>}
    </button>
  );
}
