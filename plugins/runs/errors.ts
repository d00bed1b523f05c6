import { defineError } from '../../kernel/contracts/index.ts';

export const workflowInvalid = defineError({
  code: 'workflow_invalid',
  status: 422,
  title: 'The workflow cannot be run as it is.',
  next: 'Correct the problems that `errors` lists. `svc check` finds them without submitting.',
});

export const workflowKindUnknown = defineError({
  code: 'workflow_kind_unknown',
  status: 400,
  title: 'No plugin provides this kind of workflow.',
  next: 'Name a known kind (`--as script` runs any file as a program), or ask the operator to load the plugin that provides it.',
});

export const envelopeGone = defineError({
  code: 'envelope_gone',
  status: 410,
  title: 'The event that started the run is no longer stored.',
  next: 'Submit the workflow again with its input.',
});

export const runFinished = defineError({
  code: 'run_finished',
  status: 409,
  title: 'The run is over.',
  next: '`svc status` shows how it ended. Submit the workflow again to run it again.',
});

export const runUnfinished = defineError({
  code: 'run_unfinished',
  status: 409,
  title: 'The run is not over yet.',
  next: 'Wait for its end, or cancel it. `svc explain` shows what it waits for.',
});

export const filesNotKept = defineError({
  code: 'include_unsupported',
  status: 422,
  title: 'Files cannot lie beside this workflow.',
  next: 'Include files with scripts. In a pipeline write `include` beside the `workflow` of a job.',
});

export const spawnLimit = defineError({
  code: 'spawn_limit',
  status: 409,
  title: 'The run has spawned as many runs as it may.',
  next: 'Let one run do more of the work, or let the spawned runs spawn. An operator can raise `spawns` of SVC_RUN_LIMITS or SVC_UNTRUSTED_RUN_LIMITS.',
});

export const untrustedRunLimit = defineError({
  code: 'untrusted_run_limit',
  status: 409,
  title: 'The project has too many untrusted runs that are not over.',
  next: 'Wait until some of them are over, or cancel them. An operator can raise `runs` of SVC_UNTRUSTED_PROJECT_LIMITS.',
});

export const runStorageLimit = defineError({
  code: 'run_storage_limit',
  status: 409,
  title: 'The calls of an untrusted run, or of all those of its project, have stored as much as they may.',
  next: 'Print less in steps, or store it as artifacts; let one child do more of the work. An operator can raise `calls` and `children` of SVC_UNTRUSTED_RUN_LIMITS, and `calls` of SVC_UNTRUSTED_PROJECT_LIMITS, whose bytes are free again when SVC_RETENTION removes old runs.',
});

/** The error of a run, not of a request. */
export const deadlineExceeded = defineError({
  code: 'deadline_exceeded',
  status: 408,
  title: 'The run took longer than its timeout.',
  next: 'Submit it with a longer timeout, or look what took the time: `svc steps`, `svc logs`. Waits count too.',
});

export const runNotReplayable = defineError({
  code: 'run_not_replayable',
  status: 422,
  title: 'The run has no history that a program reads again.',
  next: 'Name a run of a script. `svc check` without --replay checks documents of every kind.',
});

export const leaseLost = defineError({
  code: 'lease_lost',
  status: 409,
  title: 'The claim no longer belongs to this agent.',
  next: 'Stop this work and report nothing: another agent has the claim, or the run is over.',
});

export const activityKilled = defineError({
  code: 'activity_killed',
  status: 409,
  title: 'Every agent that ran this activity was lost.',
  next: 'Look for what stops those agents: too little memory, or a command that kills other processes.',
});

export const callsTooDeep = defineError({
  code: 'calls_too_deep',
  status: 409,
  title: 'Too many runs have called each other.',
  next: 'Look for a workflow that calls itself, and give it a condition that ends.',
});

export const runLimit = defineError({
  code: 'run_limit',
  status: 429,
  title: 'The project, or a run and what it calls, has reached its limit of runs that are not over.',
  next: 'Nothing was started. See what is open (`svc runs ls --status queued,running,waiting`), cancel what is not needed, and look for a workflow that starts itself. The operator can raise the limit that `detail` names.',
});

export const journalConflict = defineError({
  code: 'journal_conflict',
  status: 409,
  title: 'The journal already holds another record at this position.',
  next: 'Stop this pass and claim the activity again: its journal shows what was recorded.',
});

export const untrustedRunMayNotWriteState = defineError({
  code: 'untrusted_run_may_not_write_state',
  status: 403,
  title: 'An untrusted run may not write state of the project.',
  next: "Remove --entity to write the run's own state, or let a trusted run write it.",
});
