import { defineError } from '../../kernel/contracts/index.ts';

export const scriptFailed = defineError({
  code: 'script_failed',
  status: 422,
  title: 'The script failed.',
  next: 'Read `svc logs` and `svc steps` of the run.',
});

export const interpreterMissing = defineError({
  code: 'interpreter_missing',
  status: 422,
  title: 'The interpreter of the script is not installed on the machine of the agent.',
  next: 'Install it there, name another one with --interpreter, or choose an agent that has it with `requires`.',
});

/** The program could not be started for a reason that another try will not mend. */
export const scriptNotStarted = defineError({
  code: 'script_not_started',
  status: 422,
  title: 'The script could not be started.',
  next: 'Correct the cause that the message names: the interpreter, the environment or its size.',
});

/** Something outside the run keeps killing the script, and no pass gets further than the one before. */
export const scriptKilled = defineError({
  code: 'script_killed',
  status: 422,
  title: 'The script was killed many times at the same position of its journal.',
  next: 'Look for what kills it on the machine of the agent: the memory limit, another process, or the script itself.',
});

/** A caller of the socket said something that is no request of the protocol. */
export const socketRequestInvalid = defineError({
  code: 'socket_request_invalid',
  status: 400,
  title: 'The request on the agent socket is not valid.',
  next: 'Use the verb client or an SDK of the same version as the agent.',
});

export const stepInProgress = defineError({
  code: 'step_in_progress',
  status: 409,
  title: 'A step is still open on this connection.',
  next: 'Send `end` first. A durable call inside a step is not possible.',
});
