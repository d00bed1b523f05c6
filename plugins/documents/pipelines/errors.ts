import { defineError } from '../../../kernel/contracts/index.ts';

export const PipelineErrors = {
  pipelineInvalid: defineError({
    code: 'pipeline_invalid',
    status: 422,
    title: 'The pipeline is not valid.',
    next: 'Fix the problem described in `detail`; `svc check <file>` lists every problem with its line and column.',
  }),
  matrixInvalid: defineError({
    code: 'matrix_invalid',
    status: 422,
    title: 'The computed `matrix` is not valid.',
    next: 'Make the expression at the pointer in `detail` return a list, or an object with a list for each axis.',
  }),
  stepFailed: defineError({
    code: 'step_failed',
    status: 422,
    title: 'A step of the job failed.',
    next: "Read the run's log (`svc logs`): the step in `detail` printed the reason.",
  }),
  /** An error outside the step's program, such as an expression without a value or a missing folder. */
  stepInvalid: defineError({
    code: 'step_invalid',
    status: 422,
    title: 'A step of the job cannot be executed.',
    next: 'Fix the problem described in `detail`: the expression, the folder or the outputs of the step.',
  }),
  stepTimeout: defineError({
    code: 'step_timeout',
    status: 422,
    title: 'A step of the job took longer than its timeout.',
    next: 'Give the step more time with `timeout`, or make it faster.',
  }),
  jobTimeout: defineError({
    code: 'job_timeout',
    status: 422,
    title: 'The steps of the job took longer than the limit for a job without a timeout.',
    next: 'Set a `timeout` for the job, or make it faster. An operator can change SVC_JOB_TIMEOUT.',
  }),
  artifactFailed: defineError({
    code: 'artifact_failed',
    status: 422,
    title: 'An artifact of the job cannot be stored.',
    next: 'Check that the steps create the files in `artifacts`, and that they are within the artifact limits.',
  }),
  artifactMissing: defineError({
    code: 'artifact_missing',
    status: 422,
    title: "An artifact that the job needs is not among the run's artifacts.",
    next: 'Check that the needed job stores it under this path; `svc artifact ls <run>` lists what the run has.',
  }),
  jobUnreadable: defineError({
    code: 'job_unreadable',
    status: 422,
    title: "This agent cannot read the job's record.",
    next: 'Run agents with the same version as the server.',
  }),
} as const;
