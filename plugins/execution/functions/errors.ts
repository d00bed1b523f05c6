import { defineError } from '../../../kernel/contracts/index.ts';

export const functionUnknown = defineError({
  code: 'function_unknown',
  status: 404,
  title: 'No worker has registered a workflow with this name.',
  next: 'Start a worker with it (`svc worker <file>`), or list the names with `svc functions ls`.',
});

export const functionInUse = defineError({
  code: 'function_in_use',
  status: 409,
  title: 'A worker serves this workflow, or it has an open run.',
  next: 'Stop its workers, and let its runs end or cancel them (`svc cancel <run>`); then remove it again.',
});

export const functionUntrusted = defineError({
  code: 'function_untrusted',
  status: 403,
  title: 'Workers run only trusted runs.',
  next: 'Start a script instead, which an agent isolates from its machine.',
});

export const functionFailed = defineError({
  code: 'function_failed',
  status: 422,
  title: "The workflow's function threw an error.",
  next: 'Read the error and the output of `svc steps`, and fix the function; `svc rerun` then continues after the last successful step.',
});

export const workerKilled = defineError({
  code: 'worker_killed',
  status: 500,
  title: "The worker's process ended repeatedly during this run.",
  next: "Find out why it ends: check the worker's output and the memory of its machine.",
});

export const functionsInvalid = defineError({
  code: 'functions_invalid',
  status: 400,
  title: 'The worker registers workflows that the server does not accept.',
  next: 'Fix the problem described in the message. Run the worker and its server with the same version of svc.',
});

export const functionKeyFailed = defineError({
  code: 'function_key_failed',
  status: 422,
  title: "The workflow's concurrency key has no value for this input.",
  next: 'Submit it again with the member that the key reads, or change the `key` of the workflow, for example with `has(…)`.',
});

export const functionOptionsInvalid = defineError({
  code: 'function_options_invalid',
  status: 422,
  title: 'The worker registers a workflow whose options contain an invalid expression or period.',
  next: 'Fix the options described in the message, and start the worker again. Expressions are written in CEL and can read `input`.',
});

export const workerNotStarted = defineError({
  code: 'worker_not_started',
  status: 400,
  title: 'The program that contains the workflows did not start.',
  next: "Read the program's output above, fix the program, and start the worker again.",
});

export const workerSettingInvalid = defineError({
  code: 'worker_setting_invalid',
  status: 400,
  title: 'A worker setting has an invalid value.',
  next: 'Fix the variable shown in the message and start the worker again.',
});
