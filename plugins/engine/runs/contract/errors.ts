import { defineError } from '../../../../kernel/contracts/index.ts';

/** Rejections of the engine that plugins with calls of their own give too. */
export const runStorageLimit = defineError({
  code: 'run_storage_limit',
  status: 409,
  title: 'The stored calls of the run, or of all untrusted runs in its project, have reached their size limit.',
  next: "Print less in steps, or store the output as artifacts; let each child do more work. An operator can raise `calls` in SVC_RUN_LIMITS, `calls` and `children` in SVC_UNTRUSTED_RUN_LIMITS, and `calls` in SVC_UNTRUSTED_PROJECT_LIMITS. The project's total decreases when SVC_RETENTION removes old runs.",
});

export const workflowInvalid = defineError({
  code: 'workflow_invalid',
  status: 422,
  title: 'The workflow is not valid.',
  next: 'Fix the listed problems. `svc check` finds them without submitting.',
});

export const inputInvalid = defineError({
  code: 'input_invalid',
  status: 422,
  title: 'The workflow does not accept this input.',
  next: 'Fix what `errors` lists, and submit again. `svc help <workflow>` lists the inputs that it declares.',
});

export const leaseLost = defineError({
  code: 'lease_lost',
  status: 409,
  title: 'The claim no longer belongs to this agent.',
  next: 'Stop this work and report nothing: another agent has the claim, or the run has ended.',
});

export const runLimit = defineError({
  code: 'run_limit',
  status: 429,
  title: 'The project, or a run together with the runs that it calls, has reached its limit for open runs.',
  next: 'Nothing was started. List the open runs (`svc runs ls --status queued,running,waiting`), cancel those that you do not need, and look for a workflow that starts itself. The operator can raise the limit in `detail`.',
});

export const approverRequired = defineError({
  code: 'approver_required',
  status: 403,
  title: 'You are not an approver of this wait.',
  next: 'Ask one of the people listed in `detail`. One of them can also create a link for you: `svc approve-link`.',
});

export const noQuestion = defineError({
  code: 'no_question',
  status: 409,
  title: 'The run is not waiting for this answer.',
  next: '`svc explain` shows what the run is waiting for. It may have been answered already.',
});

export const runFinished = defineError({
  code: 'run_finished',
  status: 409,
  title: 'The run has ended.',
  next: '`svc status` shows how it ended. Submit the workflow again to run it again.',
});
