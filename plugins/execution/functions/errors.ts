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
  title: 'A worker serves this workflow, or a run of it is open.',
  next: 'Stop its workers, and let its runs end or cancel them (`svc cancel <run>`); then remove it again.',
});

export const functionUntrusted = defineError({
  code: 'function_untrusted',
  status: 403,
  title: 'Workers take only trusted runs.',
  next: 'Start a script instead, which an agent isolates from its machine.',
});

export const functionFailed = defineError({
  code: 'function_failed',
  status: 422,
  title: "The workflow's function threw an error.",
  next: 'Read the error and `svc steps`; fix the function, then `svc rerun` continues after the last good step.',
});

export const inputInvalid = defineError({
  code: 'input_invalid',
  status: 422,
  title: 'The workflow does not accept this input.',
  next: 'Fix the places that `errors` names, and submit again.',
});

export const workerKilled = defineError({
  code: 'worker_killed',
  status: 500,
  title: "The worker's process ended repeatedly during this run.",
  next: "Find out what ends it: check the worker's output and its machine's memory.",
});

export const functionsInvalid = defineError({
  code: 'functions_invalid',
  status: 400,
  title: 'The worker registers workflows that the server does not accept.',
  next: 'Fix what the message names. Run the worker and its server with the same version of svc.',
});

export const workerNotStarted = defineError({
  code: 'worker_not_started',
  status: 400,
  title: 'The program with the workflows did not start.',
  next: 'Read its output above, fix it, and start the worker again.',
});

export const workerSettingInvalid = defineError({
  code: 'worker_setting_invalid',
  status: 400,
  title: 'A setting of the worker has a value that it cannot use.',
  next: 'Correct the variable that the message names and start the worker again.',
});
