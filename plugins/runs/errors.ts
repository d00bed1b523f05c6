import { defineError } from '../../kernel/contracts/index.ts';

export const workflowInvalid = defineError({
  code: 'workflow_invalid',
  status: 422,
  title: 'The workflow cannot be run as it is.',
  next: 'Correct the problems named in `errors`; `svc check` finds them without submitting.',
});

export const workflowKindUnknown = defineError({
  code: 'workflow_kind_unknown',
  status: 400,
  title: 'No plugin brings this kind of workflow.',
  next: 'Name a kind that is known (`--as script` runs any file as a program), or ask the operator for the plugin that brings it.',
});

export const envelopeGone = defineError({
  code: 'envelope_gone',
  status: 410,
  title: 'What started the run is not kept any more.',
  next: 'Submit the work again with its input.',
});

export const runFinished = defineError({
  code: 'run_finished',
  status: 409,
  title: 'The run is over.',
  next: 'Look at it with `svc status`; submit it again to run it again.',
});

export const runUnfinished = defineError({
  code: 'run_unfinished',
  status: 409,
  title: 'The run is not over yet.',
  next: 'Wait for its end, or cancel it; `svc explain` says what it waits for.',
});

export const leaseLost = defineError({
  code: 'lease_lost',
  status: 409,
  title: 'The claim is no longer yours.',
  next: 'Stop this work and report nothing: another agent has it, or the run is over.',
});

export const activityKilled = defineError({
  code: 'activity_killed',
  status: 409,
  title: 'Whatever agent takes the activity is lost.',
  next: 'Look for what ends those agents: want of memory, or a command that kills more than its own processes.',
});

export const journalConflict = defineError({
  code: 'journal_conflict',
  status: 409,
  title: 'The journal holds something else at this place.',
  next: 'Stop this pass and claim the activity again: its journal says what was recorded.',
});

export const untrustedRunMayNotWriteState = defineError({
  code: 'untrusted_run_may_not_write_state',
  status: 403,
  title: 'An untrusted run may not write state of the project.',
  next: "Leave out --entity to write the run's own state, or have a trusted run write it.",
});
