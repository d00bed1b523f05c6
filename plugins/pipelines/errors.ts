import { defineError } from '../../kernel/contracts/index.ts';

export const PipelineErrors = {
  pipelineInvalid: defineError({
    code: 'pipeline_invalid',
    status: 422,
    title: 'The pipeline is not valid.',
    next: 'Correct what `detail` names; `svc check <file>` lists every problem with its line and column.',
  }),
  stepFailed: defineError({
    code: 'step_failed',
    status: 422,
    title: 'A step of the job failed.',
    next: 'Read `svc logs` of the run: the step that `detail` names printed why.',
  }),
  /** Something outside of the step's program: an expression without a value, a folder that is not there. */
  stepInvalid: defineError({
    code: 'step_invalid',
    status: 422,
    title: 'A step of the job cannot be carried out.',
    next: 'Correct what `detail` names: the expression, the folder or the outputs of the step.',
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
    title: 'The steps of the job took longer than a job without a timeout may take.',
    next: 'Give the job a `timeout` of its own, or make it faster. An operator can change SVC_JOB_TIMEOUT.',
  }),
  artifactFailed: defineError({
    code: 'artifact_failed',
    status: 422,
    title: 'An artifact of the job cannot be stored.',
    next: 'Check that the steps make what `artifacts` names, and that it is within the limits of artifacts.',
  }),
  jobUnreadable: defineError({
    code: 'job_unreadable',
    status: 422,
    title: 'This agent cannot read the record of the job.',
    next: 'Run agents of the same version as the server.',
  }),
} as const;
