import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { misused } from './errors.mjs';
import { presentEnv, presentRun, stepTrace } from './turns.mjs';

const REASONS = {
  ENOENT: 'No such file or directory',
  ENOTDIR: 'Not a directory',
  EACCES: 'Permission denied',
  ENOEXEC: 'Exec format error',
  E2BIG: 'Argument list too long',
};

/** The words of a command, checked. */
export function words(command) {
  if (command.length === 0 || command.some((word) => typeof word !== 'string' || word.includes('\0')))
    throw misused('a command is a list of strings without NUL, starting with the program');
  if (command[0] === '') throw misused("the command's program is empty");
  return command;
}

/** As a shell tells of a program that it cannot start. */
function notStarted([program], cwd, error) {
  const missing = error.code === 'ENOENT' || error.code === 'ENOTDIR';
  if (missing && cwd !== undefined && !existsSync(cwd)) return { exit: 126, error: `${cwd}: ${REASONS.ENOENT}` };
  const unknown = error.code === 'ENOENT' && !program.includes('/');
  const why = unknown ? 'command not found' : (REASONS[error.code] ?? error.message);
  return { exit: missing ? 127 : 126, error: `${program}: ${why}` };
}

/**
 * Runs a command as `svc step` does: with this process's environment less every `SVC_*`, plus the key, until it has
 * ended and its stdout is closed. Answers `{exit, stdout, size, error?}`; stdout holds at most `limit` bytes, `size`
 * counts them all. Never rejects.
 */
export function runCommand(command, { key, limit, cwd, env = {}, input, echo = false }) {
  // The variables of a run add to those of the worker, and in a script they are the same.
  const own = Object.entries({ ...process.env, ...presentEnv(), ...env }).filter(
    ([name, value]) => !name.startsWith('SVC_') && value != null,
  );
  const shared = presentRun() !== undefined;
  const outcome = { exit: 0, size: 0, error: undefined };
  const chunks = [];
  return new Promise((resolve) => {
    const done = () => resolve({ ...outcome, stdout: Buffer.concat(chunks) });
    let child;
    try {
      child = spawn(command[0], command.slice(1), {
        cwd,
        env: { ...Object.fromEntries(own), ...stepTrace(key), SVC_IDEMPOTENCY_KEY: key },
        stdio: [input === undefined ? (shared ? 'ignore' : 'inherit') : 'pipe', 'pipe', shared ? 'pipe' : 'inherit'],
      });
    } catch (error) {
      Object.assign(outcome, notStarted(command, cwd, error));
      return done();
    }
    // A command that does not read its input to the end is no fault of it.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
    child.stdout.on('data', (data) => {
      const room = limit - outcome.size;
      if (room > 0) chunks.push(data.subarray(0, room));
      outcome.size += data.length;
      if (echo) process.stdout.write(data);
    });
    // Written here, so that it reaches the log of the run and not that of its neighbours.
    child.stderr?.on('data', (data) => process.stderr.write(data));
    child.on('error', (error) => {
      Object.assign(outcome, notStarted(command, cwd, error));
      if (child.pid === undefined) done();
    });
    child.on('close', (code, signal) => {
      if (outcome.error === undefined) outcome.exit = signal === null ? code : 128 + constants.signals[signal];
      done();
    });
  });
}
