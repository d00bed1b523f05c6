import { defineError } from '../../kernel/contracts/index.ts';

/** A verb was called in a way it does not take; exits 2 and takes no position. */
export const verbUsage = defineError({
  code: 'verb_usage',
  status: 400,
  title: 'The verb was called in a way that it does not take.',
  next: 'Call it as its usage line says; `svc <verb> --help` prints it.',
});

/** The script came to another durable call than the one recorded at that position. */
export const determinismViolation = defineError({
  code: 'determinism_violation',
  status: 409,
  title: 'The script did not repeat the durable calls that its journal holds.',
  next: 'Let the script make the same calls in the same order on every pass: take what varies (time, random numbers, listings) from the output of a step.',
});

export const scriptFailed = defineError({
  code: 'script_failed',
  status: 422,
  title: 'The script ended with a failure.',
  next: 'Read `svc logs` and `svc steps` of the run.',
});

export const interpreterMissing = defineError({
  code: 'interpreter_missing',
  status: 422,
  title: 'The machine of the agent lacks the interpreter of the script.',
  next: 'Install it there, name another one with --interpreter, or ask for a capable agent with `requires`.',
});

/** The program could not be started for a reason that another try will not mend. */
export const scriptNotStarted = defineError({
  code: 'script_not_started',
  status: 422,
  title: 'The script could not be started.',
  next: 'Correct what the message names: the interpreter, the environment or its size.',
});

/** Something outside the run keeps killing the script, and no pass gets further than the one before. */
export const scriptKilled = defineError({
  code: 'script_killed',
  status: 422,
  title: 'The script was killed again and again at the same place.',
  next: 'Look for what kills it on the machine of the agent: the memory limit, another process, the script itself.',
});

/** A caller of the socket said something that is no request of the protocol. */
export const socketRequestInvalid = defineError({
  code: 'socket_request_invalid',
  status: 400,
  title: 'The request on the agent socket is not valid.',
  next: 'Use the verb client or an SDK of the version of the agent.',
});

export const stepInProgress = defineError({
  code: 'step_in_progress',
  status: 409,
  title: 'This connection has begun a step and not ended it.',
  next: 'Send `end` first; a durable call inside a step is not possible.',
});

/** What the script hands over is larger than the service keeps. */
export const valueTooLarge = defineError({
  code: 'value_too_large',
  status: 413,
  title: 'The value is larger than the service keeps.',
  next: 'Write it to a file or an artifact and hand over its name.',
});
