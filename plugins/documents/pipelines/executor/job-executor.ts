import type { Clock, Expressions } from '../../../../kernel/contracts/index.ts';
import { READS_INPUTS } from '../../../engine/runs/contract.ts';
import type { Executor } from '../../../execution/agents/contract.ts';
import { GIT, type Programs, type Verb } from '../../../execution/scripts/contract.ts';
import { FETCHES_ARTIFACTS, JOB_EXECUTOR } from '../domain/job-spec.ts';
import { JobPass } from './job-pass.ts';
import { stepVerbs } from './step-verbs.ts';

export interface JobExecutorDeps {
  clock: Clock;
  expressions: Expressions;
  programs: Programs;
  verbs: () => readonly Verb[];
}

/** Runs activities of the executor `job`: the steps of a job, one after the other, in one workspace. */
export function createJobExecutor(deps: JobExecutorDeps): Executor {
  let verbs: ReadonlyMap<string, Verb> | undefined;
  return {
    executor: JOB_EXECUTOR,
    capabilities: async () => [FETCHES_ARTIFACTS, READS_INPUTS, ...((await deps.programs.has(GIT)) ? [GIT] : [])],
    isolation: () => deps.programs.isolation(),
    start: (assignment, host) => new JobPass({ ...deps, verbs: (verbs ??= stepVerbs(deps.verbs())) }, assignment, host),
    close: () => deps.programs.close(),
  };
}
