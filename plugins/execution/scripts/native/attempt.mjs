// One attempt of a step's command without a compiler: the same as attempt.c.
import { spawn } from 'node:child_process';
import { constants as os } from 'node:os';

const TIMED_OUT = 124;
const LOOK_MS = 20;
const [attempt, timeout, grace, ...command] = process.argv.slice(2);
const timeout_ms = Number(timeout);
const REASONS = { ENOENT: 'No such file or directory', EACCES: 'Permission denied', ENOEXEC: 'Exec format error' };

const env = { ...process.env };
if (attempt !== '0') env.ATTEMPT = attempt;

let late = false;
const child = spawn(command[0], command.slice(1), {
  env,
  detached: timeout_ms > 0,
  stdio: ['inherit', timeout_ms > 0 ? 'pipe' : 'inherit', 'inherit'],
});

/** False when the group is empty. */
function tell(signal) {
  try {
    return timeout_ms > 0 ? process.kill(-Number(child.pid), signal) : child.kill(signal);
  } catch {
    return false;
  }
}

child.on('error', (error) => {
  const unknown = error.code === 'ENOENT' && !command[0].includes('/');
  console.error(`svc: ${command[0]}: ${unknown ? 'command not found' : (REASONS[error.code] ?? error.message)}`);
  process.exit(error.code === 'ENOENT' || error.code === 'ENOTDIR' ? 127 : 126);
});
child.stdout?.pipe(process.stdout);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => tell(signal));

/** Also what its command left behind in the group. */
function exitWhenEmpty() {
  if (tell(0)) setTimeout(exitWhenEmpty, LOOK_MS);
  else process.exit(TIMED_OUT);
}
child.on('close', (code, signal) => {
  if (late) exitWhenEmpty();
  else process.exit(signal === null ? code : 128 + os.signals[signal]);
});

if (timeout_ms > 0)
  setTimeout(
    () => {
      late = true;
      tell('SIGTERM');
      setTimeout(() => {
        tell('SIGKILL');
        // Who has left the group may hold the pipe for ever.
        setTimeout(() => process.exit(TIMED_OUT), LOOK_MS);
      }, Number(grace));
    },
    Math.min(timeout_ms, 2 ** 31 - 1),
  );
