import type { Job, PipelineDocument } from '../generated/pipeline.ts';

/** A job that another one needs. */
export interface Need {
  job: string;
  /** True: what `artifacts` of that job names. If a list: folders and files among the run's artifacts. */
  artifacts: boolean | readonly string[] | undefined;
  /** Whether it is written as a map. */
  is_object: boolean;
}

export const readNeeds = ({ needs = [] }: Job): Need[] =>
  [needs]
    .flat()
    .map((need) =>
      typeof need === 'string'
        ? { job: need, artifacts: undefined, is_object: false }
        : { job: need.job, artifacts: need.artifacts, is_object: true },
    );

export const neededJobs = (job: Job): string[] => readNeeds(job).map((need) => need.job);

/** Returns the paths of the artifacts that a job's workspace begins with. They may contain expressions. */
export const neededArtifacts = (job: Job, { jobs }: PipelineDocument): string[] => [
  ...new Set(
    readNeeds(job).flatMap(({ job: need, artifacts = false }) => {
      if (artifacts === true) return jobs[need]?.artifacts ?? [];
      return artifacts === false ? [] : artifacts;
    }),
  ),
];
