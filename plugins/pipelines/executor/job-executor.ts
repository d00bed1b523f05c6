import type { Clock, Expressions } from '../../../kernel/contracts/index.ts';
import type { Executor } from '../../agents/contract.ts';
import { GIT, type Programs, type Verb } from '../../scripts/contract.ts';
import { JOB_EXECUTOR } from '../domain/job-spec.ts';
import { JobPass } from './job-pass.ts';
import { stepVerbs } from './step-verbs.ts';

export interface JobExecutorParts {
  clock: Clock;
  expressions: Expressions;
  programs: Programs;
  verbs: () => readonly Verb[];
}

/** Runs activities of the executor `job`: the steps of a job, one after the other, in one workspace. */
export function createJobExecutor(parts: JobExecutorParts): Executor {
  let verbs: ReadonlyMap<string, Verb> | undefined;
  return {
    executor: JOB_EXECUTOR,
    capabilities: async () => ((await parts.programs.has(GIT)) ? [GIT] : []),
    isolation: () => parts.programs.isolation(),
    start: (assignment, host) =>
      new JobPass({ ...parts, verbs: (verbs ??= stepVerbs(parts.verbs())) }, assignment, host),
    close: () => parts.programs.close(),
  };
}
