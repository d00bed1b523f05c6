import { defineError } from '../../../kernel/contracts/index.ts';

export const scriptFailed = defineError({
  code: 'script_failed',
  status: 422,
  title: 'The script failed.',
  next: 'Read the output of `svc logs <run>` and `svc steps <run>`.',
});

export const interpreterMissing = defineError({
  code: 'interpreter_missing',
  status: 422,
  title: "The script's interpreter is not installed on the agent's machine.",
  next: 'Install it there, choose another interpreter with --interpreter, or use `requires` to choose an agent that has it.',
});

export const includeMissing = defineError({
  code: 'include_missing',
  status: 400,
  title: 'A file or folder to include does not exist, or cannot be read.',
  next: "Write its path relative to the script's folder: `svc submit jobs/report.py --include lib/` includes jobs/lib.",
});

export const includeOutside = defineError({
  code: 'include_outside',
  status: 400,
  title: 'A file that a workflow includes is outside its folder, or has a reserved path.',
  next: "Copy it into the workflow's folder, or use --root <folder> with a folder that contains both. Files with keys and logins are never included.",
});

export const includeInvalid = defineError({
  code: 'include_invalid',
  status: 400,
  title: 'The file or folder cannot be included.',
  next: 'Include only regular files, and folders that contain them. Names cannot contain control characters or backslashes.',
});

/** The program could not be started, and a retry will not help. */
export const scriptNotStarted = defineError({
  code: 'script_not_started',
  status: 422,
  title: 'The script could not be started.',
  next: 'Fix the problem described in the message: the interpreter, the environment or its size.',
});

/** Something outside the run keeps killing the script, and no pass gets further than the one before. */
export const scriptKilled = defineError({
  code: 'script_killed',
  status: 422,
  title: 'The script was killed many times at the same position in its journal.',
  next: "Find out what kills it on the agent's machine, such as the memory limit, another process, or the script itself.",
});

/** The machine cannot do what `SVC_AGENT_RUN_AS` requires. */
export const runAsUnusable = defineError({
  code: 'run_as_unusable',
  status: 400,
  title: 'The agent cannot run programs as the users in SVC_AGENT_RUN_AS.',
  next: 'Fix the problem that the message describes, and start the agent again.',
});

/** A caller of the socket sent something that is not a request of the protocol. */
export const socketRequestInvalid = defineError({
  code: 'socket_request_invalid',
  status: 400,
  title: 'The request on the agent socket is not valid.',
  next: 'Use a verb client or an SDK with the same version as the agent.',
});

export const stepInProgress = defineError({
  code: 'step_in_progress',
  status: 409,
  title: 'A step is still in progress on this connection.',
  next: 'Send `end` first. Durable calls are not possible inside a step.',
});

export const checkoutFailed = defineError({
  code: 'checkout_failed',
  status: 422,
  title: "The event's repository cannot be checked out into the workspace.",
  next: "Check the address and ref shown in `detail` and the webhook's credential, or set `checkout: false`.",
});
