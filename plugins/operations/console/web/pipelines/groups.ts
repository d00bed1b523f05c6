import type { RunRecord } from '../../../../../cli/generated/api.ts';

/** What is known about a pipeline from its newest runs. */
export interface PipelineItem {
  name: string;
  /** The newest one first. */
  runs: readonly RunRecord[];
}

/** Groups the runs of pipelines by the pipeline's name; the one that ran last comes first. Runs of other kinds are left out. */
export function groupPipelines(runs: readonly RunRecord[]): PipelineItem[] {
  const groups = new Map<string, RunRecord[]>();
  for (const run of runs)
    if (run.kind === 'pipeline') groups.set(run.workflow, [...(groups.get(run.workflow) ?? []), run]);
  return [...groups].map(([name, found]) => ({ name, runs: found }));
}
