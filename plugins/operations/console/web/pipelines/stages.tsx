import type { ReactNode } from 'react';
import { visible } from '../kit/text.ts';
import { type Job, stagesOf } from './document.ts';
import './pipelines.css';

const KINDS: Record<Job['kind'], string> = {
  steps: 'steps',
  event: 'waits for an event',
  workflow: 'calls a workflow',
};

/** Jobs by stages; `children` says more of each. */
export function Stages({ jobs, children }: { jobs: readonly Job[]; children(job: Job): ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: many stages scroll by keys
    <section className="stages" aria-label="Jobs by stage" tabIndex={0}>
      {stagesOf(jobs).map((stage, index) => (
        <section key={stage[0]!.id} aria-label={`Stage ${index + 1}`}>
          {stage.map((job) => (
            <div key={job.id}>{children(job)}</div>
          ))}
        </section>
      ))}
    </section>
  );
}

/** What a document says of a job. */
export const JobCard = ({ job }: { job: Job }) => (
  <div className="job">
    <strong>{visible(job.id)}</strong>
    <span className="quiet">
      {KINDS[job.kind]}
      {job.what && `: ${visible(job.what)}`}
      {job.kind === 'steps' && job.steps.length > 0 && `: ${visible(job.steps.join(', '))}`}
    </span>
    {job.cells.length > 0 && <span className="quiet">{job.cells.length} combinations</span>}
    {job.needs.length > 0 && <span className="quiet">needs {visible(job.needs.join(', '))}</span>}
    {job.group !== undefined && <span className="quiet">lock {visible(job.group)}</span>}
    {job.condition !== undefined && <span className="quiet">if {visible(job.condition)}</span>}
  </div>
);
