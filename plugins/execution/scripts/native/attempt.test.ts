import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { until } from '../../../../test/kit/index.ts';
import { nativePrograms } from './build.mjs';

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

const alive = (pid: number): boolean => {
  try {
    // A zombie has ended.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
const pidsIn = (file: string): number[] => readFileSync(file, 'utf8').trim().split('\n').map(Number);

/** Attempts of commands, by the native program and by its fallback. */
function suite(t: Test, program: readonly string[]): void {
  const run = (args: readonly (string | number)[], signal?: NodeJS.Signals): Promise<Ran> => {
    const child = spawn(program[0]!, [...program.slice(1), ...args.map(String)], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (data) => {
      stdout += data;
      if (signal && stdout.includes('ready')) child.kill(signal);
    });
    child.stderr.on('data', (data) => (stderr += data));
    return new Promise((ran) => child.on('close', (code) => ran({ code, stdout, stderr })));
  };

  t.test('the command sees its number, and its end is told', async (t) => {
    t.same(await run([2, 0, 0, 'sh', '-c', 'echo "$ATTEMPT"; exit 3']), { code: 3, stdout: '2\n', stderr: '' });
    t.match(await run([0, 0, 0, 'sh', '-c', 'echo "${ATTEMPT-none}"']), { code: 0, stdout: 'none\n' });
    t.match(await run([3, 60_000, 0, 'sh', '-c', 'echo "$ATTEMPT"; kill -9 $$']), { code: 137, stdout: '3\n' });
    for (const timeout of [0, 60_000]) {
      t.match(await run([1, timeout, 0, 'no-such']), { code: 127, stderr: /no-such: command not found/ });
      t.match(await run([1, timeout, 0, '/etc/passwd']), { code: 126, stderr: /Permission denied/ });
    }
  });

  t.test('what takes too long is ended with its group, at first gently', async (t) => {
    const file = join(t.testdir(), 'pids');
    const script = `trap 'echo asked; exit 0' TERM; sleep 600 & echo $! > ${file}; echo $$ >> ${file}; wait`;
    t.match(await run([0, 2000, 60_000, 'sh', '-c', script]), { code: 124, stdout: 'asked\n' });
    await until(async () => pidsIn(file).every((pid) => !alive(pid)));
  });

  t.test('what does not listen is killed after the grace period, grandchildren too', async (t) => {
    const file = join(t.testdir(), 'pids');
    const script = `trap '' TERM; (trap '' TERM; sleep 600) & echo $! > ${file}; echo $$ >> ${file}; wait; sleep 600`;
    t.match(await run([0, 2000, 200, 'sh', '-c', script]), { code: 124 });
    await until(async () => pidsIn(file).every((pid) => !alive(pid)));
  });

  t.test('a process that it leaves behind with its output is part of it', async (t) => {
    t.match(await run([0, 2000, 200, 'sh', '-c', 'sleep 600 & echo out']), { code: 124, stdout: 'out\n' });
  });

  t.test('signals go on to the command', async (t) => {
    const script = "trap 'echo told; exit 9' TERM; echo ready; while :; do sleep 0.05; done";
    t.match(await run([0, 60_000, 0, 'sh', '-c', script], 'SIGTERM'), { code: 9, stdout: 'ready\ntold\n' });
  });
}

t.test('the fallback', async (t) => suite(t, [process.execPath, join(import.meta.dirname, 'attempt.mjs')]));

t.test('native', async (t) => {
  const { programs, why } = await nativePrograms();
  if (programs.attempt === undefined) return t.comment(`not compiled: ${why}`);
  const attempt = programs.attempt;
  suite(t, [attempt]);

  t.test('nobody gets the number of a group that may still be told to end', async (t) => {
    const held = "sh -c 'sleep 600 & echo $! $$'";
    const child = spawn(attempt, ['0', '600000', '100', 'sh', '-c', `exec setsid -w ${held}; exit`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.teardown(() => child.kill('SIGKILL'));
    const [left] = await new Promise<number[]>((told) =>
      child.stdout.once('data', (data) => told(String(data).trim().split(' ').map(Number))),
    );
    t.teardown(() => process.kill(left!, 'SIGKILL'));
    const children = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
    // The command has ended, and another session holds its output: its number is kept for as long as that lasts.
    const command = Number(children());
    await until(async () => !alive(command));
    t.equal(children(), String(command));
  });
});
