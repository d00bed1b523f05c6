import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';
import type { Test } from 'tap';
import { nativePrograms } from '../build.mjs';
import { openSpawner, type SpawnedProcess, type Spawner } from '../spawner.ts';
import { gone, privateFolder, until } from './test-agent.ts';

const PATH = process.env['PATH'] ?? '';
const FOREVER = 'while :; do sleep 1000; done';
const failed = { exit_code: null, signal: null };

interface Watched {
  process: SpawnedProcess;
  stdout: () => string;
  stderr: () => string;
  /** Numbers that it has printed, a line each. */
  pids: () => number[];
}

function watch(process: SpawnedProcess): Watched {
  const text = { stdout: '', stderr: '' };
  process.onOutput((stream, data) => {
    text[stream] += data.toString('latin1');
  });
  return {
    process,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    pids: () => text.stdout.split('\n').slice(0, -1).map(Number),
  };
}

function bash(spawner: Spawner, script: string, env: Record<string, string> = {}): Watched {
  return watch(spawner.spawn({ argv: ['bash', '-c', script], env: { PATH, ...env }, cwd: '/' }));
}

/** Parent of a process. */
function parent(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ')[1]);
}

/** The spawner of a process; where it is native, a keeper stands between the two. */
function spawnerOf(pid: number, native: boolean): number {
  return native ? parent(parent(pid)) : parent(pid);
}

export function spawnerSuite(t: Test, native: boolean, program?: string): void {
  const opened = async (t: Test) => {
    const folder = privateFolder(t);
    const spawner = await openSpawner({ runtime_dir: folder, native, ...(program ? { program } : {}) });
    t.teardown(() => spawner.close());
    t.equal(spawner.native, native);
    return { folder, spawner };
  };

  t.test('gives a process its place and tells its output and end', async (t) => {
    const { spawner, folder } = await opened(t);
    const script = 'pwd; printf "\\000\\377"; echo err >&2; cat; exit 7';
    const seen = watch(spawner.spawn({ argv: ['bash', '-c', script], env: { PATH }, cwd: folder }));
    t.same(await seen.process.ended, { exit_code: 7, signal: null });
    t.equal(seen.stdout(), `${folder}\n\0\xff`, 'bytes are kept, and stdin is empty');
    t.equal(seen.stderr(), 'err\n');
    const env = { PATH, A: 'ä=b\nc', EMPTY: '' };
    const plain = watch(spawner.spawn({ argv: ['env', '-0'], env, cwd: folder }));
    t.same(await plain.process.ended, { exit_code: 0, signal: null });
    const whole = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    // The runner adds variables of its own to whatever a Node process starts.
    const added = /^(_TAPJS_|NODE_OPTIONS=.*tapjs)/;
    const got = Buffer.from(plain.stdout(), 'latin1').toString().split('\0');
    t.same(got.filter((variable) => native || !added.test(variable)).sort(), ['', ...whole].sort());
  });

  t.test('names the pipe of stdout and of stderr', async (t) => {
    const { spawner } = await opened(t);
    const seen = bash(
      spawner,
      'echo $$; stat -L -c %d:%i /dev/stdout; stat -L -c %d:%i /dev/stderr >&2; echo x >/dev/stderr',
    );
    await seen.process.ended;
    t.equal(seen.stdout(), `${await seen.process.pid}\n${await seen.process.log}\n`);
    t.equal(seen.stderr(), `${await seen.process.error_log}\nx\n`);
  });

  t.test('hands nothing else down', async (t) => {
    const { spawner } = await opened(t);
    const first = bash(spawner, FOREVER);
    await first.process.pid;
    const argv = ['grep', '-E', '^Sig(Ign|Blk)', '/proc/self/status'];
    const signals = watch(spawner.spawn({ argv, env: { PATH }, cwd: '/' }));
    await signals.process.ended;
    t.match(signals.stdout(), /^SigBlk:\t0+\nSigIgn:\t0+\n$/);
    const script = 'umask; read line < /proc/$$/stat; echo "$line"; ls /proc/$$/fd; :';
    const seen = watch(spawner.spawn({ argv: ['sh', '-c', script], env: { PATH }, cwd: '/' }));
    const pid = await seen.process.pid;
    await seen.process.ended;
    const [mask, status, ...descriptors] = seen.stdout().split('\n');
    if (native) t.same(descriptors, ['0', '1', '2', '']);
    t.equal(Number.parseInt(mask!, 8), process.umask());
    const [, , group, session, terminal] = status!.split(') ')[1]!.split(' ').map(Number);
    t.same([group, session, terminal], [pid, pid, 0], 'a group and session of its own, without a terminal');
  });

  t.test('tells why a process did not start', async (t) => {
    const { spawner, folder } = await opened(t);
    const plain = join(folder, 'plain');
    writeFileSync(plain, 'x');
    chmodSync(plain, 0o644);
    const end = (argv: string[], cwd = folder, env: Record<string, string> = { PATH }) =>
      spawner.spawn({ argv, env, cwd }).ended;
    t.same(await end(['nope']), { ...failed, error: 'nope: command not found', error_code: 'ENOENT' });
    t.match(await end(['/no/such']), { ...failed, error: /^\/no\/such: no such file/i, error_code: 'ENOENT' });
    t.match(await end([plain]), { ...failed, error: /permission denied/i, error_code: 'EACCES' });
    t.match(await end(['true'], join(folder, 'no')), {
      ...failed,
      error: /^the working directory .*\/no cannot be entered/,
      error_code: 'ENOENT',
    });
    t.match(await end(['true'], plain), { ...failed, error_code: 'ENOTDIR' });
    t.match(await end([]), { ...failed, error: /no program/ });
    t.match(await end(['echo', 'a\0b']), { ...failed, error: /NUL/ });
    t.match(await end(['true'], folder, { 'A=B': 'c' }), { ...failed, error: /name/ });
    t.match(await end(['true', 'x'.repeat(3 << 20)]), { ...failed, error_code: 'E2BIG' });
    await t.rejects(spawner.spawn({ argv: ['nope'], env: {}, cwd: '/' }).pid, /command not found/);
    const many = Array.from({ length: 1000 }, (_, index) => `${index}`.repeat(100));
    const seen = watch(
      spawner.spawn({ argv: ['printf', '%s ', ...many], env: { PATH, BIG: 'x'.repeat(100_000) }, cwd: '/' }),
    );
    t.match(await seen.process.ended, { exit_code: 0 });
    t.equal(seen.stdout(), `${many.join(' ')} `);
  });

  if (process.getuid?.() === 0)
    t.test('runs a process of another user', async (t) => {
      const { spawner } = await opened(t);
      const user = { uid: 20_001, gid: 20_002 };
      const script = 'id -u; id -g; id -G; echo named >/dev/stderr; cat /proc/$PPID/environ';
      const seen = watch(spawner.spawn({ argv: ['bash', '-c', script], env: { PATH }, cwd: '/', user }));
      t.same(await seen.process.ended, { exit_code: 1, signal: null });
      t.equal(seen.stdout(), '20001\n20002\n20002\n');
      t.match(seen.stderr(), /^named\n.*environ: Permission denied/);
      if (native) {
        const closed = await spawner.spawn({ argv: ['true'], env: { PATH }, cwd: privateFolder(t), user }).ended;
        t.match(closed, { error_code: 'EACCES' }, 'it enters its folder as that user');
      }
      const forever = watch(
        spawner.spawn({ argv: ['bash', '-c', `echo $$; ${FOREVER}`], env: { PATH }, cwd: '/', user }),
      );
      await until(() => forever.pids().length === 1);
      forever.process.kill('SIGKILL');
      t.same(await forever.process.ended, { exit_code: null, signal: 'SIGKILL' });
    });

  t.test('signals the whole group', async (t) => {
    const { spawner } = await opened(t);
    const seen = bash(
      spawner,
      'trap "wait; exit 5" TERM; (trap "echo inner; exit" TERM; echo 1; while :; do sleep 0.01; done) & wait',
    );
    await until(() => seen.stdout() === '1\n');
    seen.process.kill('SIGTERM');
    t.same(await seen.process.ended, { exit_code: 5, signal: null });
    t.equal(seen.stdout(), '1\ninner\n');
    const early = bash(spawner, FOREVER);
    early.process.kill('SIGKILL');
    t.same(await early.process.ended, { exit_code: null, signal: 'SIGKILL' });
    early.process.kill('SIGTERM');
  });

  t.test('ends what a process leaves behind', async (t) => {
    const { spawner, folder } = await opened(t);
    const file = join(folder, 'pid');
    const daemon = `(setsid bash -c 'echo $$ | tee ${file}; exec sleep 1000' &)`;
    const seen = bash(
      spawner,
      `sleep 1000 & echo $!; sleep 1000 & echo $!; ${daemon}; until [ -s ${file} ]; do sleep 0.01; done`,
    );
    t.same(await seen.process.ended, { exit_code: 0, signal: null });
    t.equal(seen.pids().length, 3);
    t.ok(seen.pids().every(gone), 'group and daemon are gone when the end is told');
  });

  t.test('leaves alone whose file got the number of a closed pipe', async (t) => {
    const { spawner, folder } = await opened(t);
    const go = join(folder, 'go');
    const seen = bash(spawner, `echo up; exec >&- 2>&-; until [ -e ${go} ]; do sleep 0.01; done`);
    await until(() => seen.stdout() === 'up\n');
    // File systems give a free number to the next file: one of these gets it, if nobody kept it.
    const opening = 'for i in {1..200}; do exec {fd}>file-$i; done; echo; exec sleep 1000';
    const bystander = spawn('bash', ['-c', opening], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    t.teardown(() => bystander.kill('SIGKILL'));
    await once(bystander.stdout, 'data');
    writeFileSync(go, '');
    t.match(await seen.process.ended, { exit_code: 0 });
    t.notOk(gone(bystander.pid!), 'it still runs');
  });

  if (native)
    t.test('finds a daemon that let go of everything', async (t) => {
      const { spawner, folder } = await opened(t);
      const file = join(folder, 'pid');
      const seen = bash(
        spawner,
        `(setsid bash -c 'env -i bash -c "echo \\$\\$ > ${file}; exec sleep 1000" &' <&- >/dev/null 2>&1 &); until [ -s ${file} ]; do sleep 0.01; done`,
      );
      t.match(await seen.process.ended, { exit_code: 0 });
      t.ok(gone(Number(readFileSync(file, 'utf8'))));
    });

  t.test('keeps every byte while its reader is slow, and lets others pass', async (t) => {
    const { spawner } = await opened(t);
    const flood = spawner.spawn({ argv: ['head', '-c', '20000000', '/dev/zero'], env: { PATH }, cwd: '/' });
    let size = 0;
    let paused = false;
    let late = false;
    flood.onOutput((_stream, data) => {
      late ||= paused;
      size += data.length;
      if (!paused && size > 1_000_000) {
        paused = true;
        flood.pause();
      }
    });
    await until(() => paused);
    const other = bash(spawner, 'echo other');
    t.match(await other.process.ended, { exit_code: 0 });
    t.equal(other.stdout(), 'other\n');
    t.equal(late, false, 'nothing is delivered while it is paused');
    t.ok(size < 20_000_000);
    paused = true;
    flood.resume();
    t.match(await flood.ended, { exit_code: 0 });
    t.equal(size, 20_000_000);
  });

  t.test('holds output back until someone listens, even after the end', async (t) => {
    const { spawner } = await opened(t);
    const process = spawner.spawn({ argv: ['head', '-c', '50000', '/dev/zero'], env: { PATH }, cwd: '/' });
    const pid = await process.pid;
    await until(() => gone(pid));
    let size = 0;
    process.onOutput((_stream, data) => {
      size += data.length;
    });
    t.match(await process.ended, { exit_code: 0 });
    t.equal(size, 50_000);
  });

  t.test('tells when all that was written by then was delivered, however slow it is itself', async (t) => {
    const { spawner } = await opened(t);
    const seen = bash(spawner, 'echo $$; while :; do sleep 1000; done & printf %050000d 7; echo written >&2; wait');
    await until(() => seen.stderr() !== '');
    const pid = Number.parseInt(seen.stdout(), 10);
    await seen.process.flush();
    t.equal(seen.stdout().length, `${pid}\n`.length + 50_000);
    t.equal(seen.stderr(), 'written\n');
    await seen.process.flush();
    // Nothing is read meanwhile, so the pipe holds what was written before the request.
    const own = spawnerOf(pid, native);
    process.kill(own, 'SIGSTOP');
    const writer = spawn('bash', ['-c', `echo late >/proc/${pid}/fd/1`]);
    await once(writer, 'close');
    let drained = false;
    const asked = seen.process.flush().then(() => {
      drained = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    t.notOk(drained);
    process.kill(own, 'SIGCONT');
    await asked;
    t.match(seen.stdout(), /late\n$/);
    seen.process.pause();
    const paused = seen.process.flush().then(() => 'drained');
    t.equal(await Promise.race([paused, new Promise((resolve) => setTimeout(resolve, 50, 'waiting'))]), 'waiting');
    seen.process.resume();
    t.equal(await paused, 'drained');
    const last = seen.process.flush();
    seen.process.kill('SIGKILL');
    await seen.process.ended;
    await last;
    await seen.process.flush();
  });

  t.test('runs many at once', async (t) => {
    const { spawner } = await opened(t);
    const all = Array.from({ length: 64 }, (_, index) =>
      bash(spawner, `echo out-${index}; echo err-${index} >&2; exit ${index}`),
    );
    for (const [index, seen] of all.entries()) {
      const end = await seen.process.ended;
      t.same([end.exit_code, seen.stdout(), seen.stderr()], [index, `out-${index}\n`, `err-${index}\n`]);
    }
  });

  t.test('a killed agent leaves nothing running', async (t) => {
    const folder = privateFolder(t);
    const file = fileURLToPath(new URL('./doomed-agent.ts', import.meta.url));
    const stubborn = `trap '' TERM HUP INT; echo $$; (setsid bash -c 'echo $$; exec sleep 1000' &); sleep 1000 & echo $!; ${FOREVER}`;
    const agent = spawn(process.execPath, [file, folder, native ? 'native' : 'node', stubborn, stubborn], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    agent.stdout.on('data', (data) => {
      text += data;
    });
    const pids = () => text.split('\n').slice(0, -1).map(Number);
    await until(() => pids().length === 6);
    const own = spawnerOf(pids()[0]!, native);
    agent.kill('SIGKILL');
    await until(() => pids().every(gone) && gone(own));
    t.equal(new Set(pids()).size, 6);
  });

  t.test('a killed spawner leaves nothing running, and another takes its place', async (t) => {
    const { spawner } = await opened(t);
    const seen = bash(spawner, `echo $$; sleep 1000 & echo $!; ${FOREVER}`);
    await until(() => seen.pids().length === 2);
    const own = spawnerOf(seen.pids()[0]!, native);
    t.equal(parent(own), process.pid);
    process.kill(own, 'SIGKILL');
    t.match(await seen.process.ended, { ...failed, lost: true, error: /the spawner ended/ });
    await until(() => seen.pids().every(gone));
    const next = bash(spawner, 'echo again');
    const further = bash(spawner, 'echo further');
    t.match(await next.process.ended, { exit_code: 0 });
    t.match(await further.process.ended, { exit_code: 0 });
    t.equal(next.stdout(), 'again\n');
  });

  if (native)
    t.test('what a spawner cannot start because it is killed itself is lost', async (t) => {
      const folder = privateFolder(t);
      const real = program ?? (await nativePrograms()).programs.spawner!;
      const own = join(folder, 'own-spawner');
      const becomes = (command: string) => writeFileSync(own, `#!/bin/sh\n${command}\n`, { mode: 0o700 });
      becomes(`exec ${real}`);
      const spawner = await openSpawner({ runtime_dir: folder, program: own });
      t.teardown(() => spawner.close());
      const seen = bash(spawner, `echo $$; ${FOREVER}`);
      await until(() => seen.pids().length === 1);
      becomes('kill -9 $$');
      process.kill(spawnerOf(seen.pids()[0]!, true), 'SIGKILL');
      t.match(await seen.process.ended, { lost: true });
      for (let n = 0; n < 3; n += 1)
        t.match(await bash(spawner, 'true').process.ended, { ...failed, lost: true, error: /did not start/ });
      becomes(`exec ${real}`);
      t.match(await bash(spawner, 'true').process.ended, { exit_code: 0 });
    });

  if (native)
    t.test('a killed keeper takes its processes with it, and no others', async (t) => {
      const { spawner } = await opened(t);
      const other = bash(spawner, `echo $$; ${FOREVER}`);
      const seen = bash(
        spawner,
        `echo $$; (setsid bash -c 'echo $$; exec sleep 1000' &); sleep 1000 & echo $!; ${FOREVER}`,
      );
      await until(() => seen.pids().length === 3 && other.pids().length === 1);
      process.kill(parent(seen.pids()[0]!), 'SIGKILL');
      t.match(
        await seen.process.ended,
        { ...failed, lost: true, error: /keeper/ },
        'nobody knows how it would have ended',
      );
      await until(() => seen.pids().every(gone));
      t.notOk(gone(other.pids()[0]!));
    });

  t.test('a program that is killed by SIGKILL has ended so, whoever killed it', async (t) => {
    const { spawner } = await opened(t);
    const killed = { exit_code: null, signal: 'SIGKILL' };
    t.same(await bash(spawner, 'kill -9 $$').process.ended, killed);
    const seen = bash(spawner, `echo $$; ${FOREVER}`);
    await until(() => seen.pids().length === 1);
    process.kill(seen.pids()[0]!, 'SIGKILL');
    t.same(await seen.process.ended, killed);
  });

  t.test('closing kills what runs', async (t) => {
    const { spawner } = await opened(t);
    const seen = bash(spawner, `trap '' TERM; echo $$; sleep 1000 & echo $!; ${FOREVER}`);
    await until(() => seen.pids().length === 2);
    await Promise.all([spawner.close(), spawner.close()]);
    t.match(await seen.process.ended, { ...failed, error: /closed/ });
    await until(() => seen.pids().every(gone));
    t.match(await bash(spawner, 'true').process.ended, { ...failed, error: /closed/ });
  });
  t.end();
}
