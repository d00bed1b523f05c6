/** Whatever the service or the SDK refuses. `code` is stable; `next` explains what to do. */
export class SvcError extends Error {
  constructor(code, message, next = '', options) {
    super(message, options);
    this.name = 'SvcError';
    this.code = code;
    this.next = next;
  }
}

/** A recorded call that failed: a step, a command under a lock, a child activity. The same on every pass. */
export class StepError extends SvcError {
  constructor(what, { exit_code, reason = '', stdout = Buffer.alloc(0), cause }) {
    const why = reason === '' ? ` with exit code ${exit_code}` : `: ${reason}`;
    super('step_failed', `${what} failed${why}`, '', cause === undefined ? undefined : { cause });
    this.name = 'StepError';
    this.exitCode = exit_code;
    this.reason = reason;
    this.stdout = stdout;
  }
}

/** The time of a wait is over. Recorded, so a later pass meets it again. */
export class WaitTimeoutError extends SvcError {
  constructor(what, timeout) {
    super('wait_timed_out', `${what} did not end within ${timeout}`);
    this.name = 'WaitTimeoutError';
  }
}

export const notInAScript = (variable) =>
  new SvcError(
    'not_in_a_script_run',
    `${variable} is not set: this call works only in a script that an agent runs`,
    'Submit the script with `svc submit`, or run it here with `svc run`.',
  );

export const insideAStep = (what, step) =>
  new SvcError(
    'step_in_progress',
    `${what} was called inside the step ${JSON.stringify(step)}, where nothing can be recorded`,
    "Call it before or after the step, and return values as the step's result.",
  );

export const tooOld = (what, protocol, needed) =>
  new SvcError(
    'protocol_unsupported',
    `${what} with ${needed > 2 ? 'retry or timeout' : 'a timeout'} needs protocol ${needed} of the agent socket, but this agent speaks protocol ${protocol}`,
    'Run the script on a newer agent, or leave these options out.',
  );

export const agentLost = (path, why) =>
  new SvcError(
    'agent_lost',
    `the agent is no longer running (SVC_AGENT_SOCKET ${path}: ${why})`,
    'Nothing is lost: the run continues when an agent claims it again, and recorded calls are not repeated.',
  );

export const unreadable = (why) =>
  new SvcError(
    'agent_answer_invalid',
    `the agent's answer cannot be read: ${why}`,
    "Use the same SDK version as the agent; if you do not install an SDK, scripts get the agent's version automatically.",
  );

export const misused = (message) => new SvcError('usage', message);
