import { defineError } from '../../../kernel/contracts/index.ts';

export {
  approverRequired,
  leaseLost,
  noQuestion,
  runFinished,
  runLimit,
  runStorageLimit,
  workflowInvalid,
} from './contract/errors.ts';

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

export const runUnfinished = defineError({
  code: 'run_unfinished',
  status: 409,
  title: 'The run has not ended.',
  next: 'Wait until it ends, or cancel it. `svc explain` shows what the run is waiting for.',
});

export const filesNotKept = defineError({
  code: 'include_unsupported',
  status: 422,
  title: 'This workflow cannot have included files.',
  next: "Only scripts can include files. In a pipeline, write `include` next to a job's `workflow`.",
});

export const spawnLimit = defineError({
  code: 'spawn_limit',
  status: 409,
  title: 'The run has spawned as many runs as its limit allows.',
  next: 'Do more work in each run, or let spawned runs spawn further runs. An operator can raise `spawns` in SVC_RUN_LIMITS or SVC_UNTRUSTED_RUN_LIMITS.',
});

export const untrustedRunLimit = defineError({
  code: 'untrusted_run_limit',
  status: 409,
  title: 'The project has too many open untrusted runs.',
  next: 'Wait until some of them have ended, or cancel them. An operator can raise `runs` in SVC_UNTRUSTED_PROJECT_LIMITS.',
});

/** The error of a run, not of a request. */
export const deadlineExceeded = defineError({
  code: 'deadline_exceeded',
  status: 408,
  title: 'The run took longer than its timeout.',
  next: 'Submit it with a longer timeout, or find out what took the time: `svc steps`, `svc logs`. Waits count too.',
});

export const activityKilled = defineError({
  code: 'activity_killed',
  status: 409,
  title: 'Every agent that ran this activity was lost.',
  next: 'Find out what stops those agents, such as too little memory or a command that kills other processes.',
});

export const journalConflict = defineError({
  code: 'journal_conflict',
  status: 409,
  title: 'The journal already has another record at this position.',
  next: 'Stop this pass and claim the activity again: its journal shows what was recorded.',
});

export const signalInvalid = defineError({
  code: 'signal_invalid',
  status: 422,
  title: "The answer does not match the wait's form.",
  next: 'Fix the fields listed in `errors`. `svc explain` shows the form.',
});

export const notRejectable = defineError({
  code: 'not_rejectable',
  status: 409,
  title: 'This wait treats any signal as approval.',
  next: 'End the run with `svc cancel <run> --reason …`. A wait with a form, approvers or a message can be rejected.',
});
